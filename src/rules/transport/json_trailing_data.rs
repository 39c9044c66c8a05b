//! `json-trailing-data`: text stands on the line after the first JSON value.

use crate::mcp::Revisions;
use crate::rules::TextClass;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "json-trailing-data",
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
    let Some(text) = cx.text.filter(|t| t.class == TextClass::TwoMessages) else { return };
    let end = text.doc.end();
    let rest = text.bytes.get(end..).unwrap_or_default().trim_ascii_start();
    let what = if rest.first() == Some(&b'{') { "another JSON value" } else { "more text" };
    out.say(format!("{what} follows on the same line after the message that ends at byte {end}"))
        .expected("a line feed after the message")
        .actual(format!("{} more bytes", rest.len()));
}
