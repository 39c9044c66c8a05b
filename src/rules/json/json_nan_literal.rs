//! `json-nan-literal`: NaN or Infinity stands where a value belongs.

use super::readable;
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "json-nan-literal",
    layer: Layer::Json,
    severity: Severity::Error,
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
    let Some(offset) = text.doc.faults().nan else { return };
    let Some(value) = text.doc.at_offset(offset) else { return };
    let word = value.raw_str().into_owned();
    out.say(format!("{word} at byte {offset} is no JSON"))
        .at(value)
        .expected("a number, a string or null")
        .actual(word);
}
