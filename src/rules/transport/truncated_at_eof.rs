//! `truncated-at-eof`: the last line ends in the middle of a value.

use crate::mcp::Revisions;
use crate::rules::TextClass;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "truncated-at-eof",
    layer: Layer::Transport,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Stdio,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Text(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(text) = cx.text.filter(|t| t.class == TextClass::CutOff) else { return };
    let expected = text.doc.faults().syntax.as_ref().map_or("the rest of the message", |s| s.expected);
    out.say(format!("the last line is cut off after {} bytes", text.bytes.len()))
        .expected(expected)
        .actual("the end of the stream");
}
