//! `json-lone-surrogate`: an escape is half of a surrogate pair.

use super::{is_cut_there, readable};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "json-lone-surrogate",
    layer: Layer::Json,
    severity: Severity::Warning,
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
    let Some(offset) = text.doc.faults().lone_surrogate.filter(|o| !is_cut_there(text, *o)) else { return };
    let escape = String::from_utf8_lossy(&text.bytes[offset..text.bytes.len().min(offset + 6)]).into_owned();
    let draft = out.say(format!("{escape} at byte {offset} is half of a surrogate pair"));
    draft.expected("a high surrogate and a low one after it").actual(escape);
    if let Some(value) = text.doc.at_offset(offset) {
        draft.at(value);
    }
}
