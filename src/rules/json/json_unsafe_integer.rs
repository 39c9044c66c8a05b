//! `json-unsafe-integer`: an integer is beyond 2^53.

use super::{cut, readable};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "json-unsafe-integer",
    layer: Layer::Json,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Text(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(text) = readable(cx) else { return };
    let Some(offset) = text.doc.faults().unsafe_integer else { return };
    let Some(value) = text.doc.at_offset(offset) else { return };
    let digits = cut(&value.raw_str(), 40);
    out.say(format!("the integer {digits} is beyond 2^53 - 1"))
        .at(value)
        .expected("at most 9007199254740991, or a string")
        .actual(digits);
}
