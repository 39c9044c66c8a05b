//! `result-not-object`: result is no object.

use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "result-not-object",
    layer: Layer::JsonRpc,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.env.error.is_none()) else { return };
    let Some(result) = message.env.result.filter(|r| !r.is_object()) else { return };
    let kind = result.kind().name();
    out.say(format!("result is a JSON {kind}, not an object")).at(result).expected("an object").actual(kind);
}
