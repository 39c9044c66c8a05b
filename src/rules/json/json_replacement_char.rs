//! `json-replacement-char`: the text holds U+FFFD.

use super::readable;
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "json-replacement-char",
    layer: Layer::Json,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Text(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(text) = readable(cx) else { return };
    let Some(offset) = text.doc.faults().replacement_char else { return };
    let draft = out.say(format!("the replacement character U+FFFD stands at byte {offset}: text was damaged before"));
    if let Some(value) = text.doc.at_offset(offset) {
        draft.at(value);
    }
}
