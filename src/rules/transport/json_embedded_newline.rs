//! `json-embedded-newline`: a message is spread over several lines.

use crate::mcp::Revisions;
use crate::rules::TextClass;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "json-embedded-newline",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Stdio,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Text(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(text) = cx.text.filter(|t| t.class == TextClass::Joined) else { return };
    out.say(format!("one message is spread over {} lines", text.lines))
        .expected("one line")
        .actual(format!("{} lines", text.lines));
}
