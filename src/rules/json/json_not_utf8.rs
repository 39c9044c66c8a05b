//! `json-not-utf8`: the text has bytes that are not UTF-8.

use super::{is_cut_there, readable};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "json-not-utf8",
    layer: Layer::Json,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Text(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(text) = readable(cx) else { return };
    let Some(offset) = text.doc.faults().invalid_utf8.filter(|o| !is_cut_there(text, *o)) else { return };
    let Some(byte) = text.bytes.get(offset) else { return };
    let draft = out.say(format!("byte {offset} (0x{byte:02X}) is not UTF-8"));
    draft.expected("UTF-8").actual(format!("0x{byte:02X}"));
    if let Some(value) = text.doc.at_offset(offset) {
        draft.at(value);
    }
}
