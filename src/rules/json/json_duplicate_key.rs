//! `json-duplicate-key`: a key stands twice in an object.

use super::{readable, shown};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "json-duplicate-key",
    layer: Layer::Json,
    severity: Severity::Warning,
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
    let Some(offset) = text.doc.faults().duplicate_key else { return };
    let Some(second) = text.doc.at_offset(offset) else { return };
    let (Some(key), Some(object)) = (second.key(), second.parent()) else { return };
    let name = key.as_str();
    let first = object.members().find(|(k, _)| k.as_str() == name).map(|(_, v)| v);
    let values =
        first.map(|v| format!(", first {}, then {}", shown(&name, v), shown(&name, second))).unwrap_or_default();
    out.say(format!("the key {name:?} stands twice in an object{values}")).at(second).expected("each key once");
}
