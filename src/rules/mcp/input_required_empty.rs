//! `input-required-empty`: input_required without anything to do.

use super::support::modern_result;
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "input-required-empty",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((_, result)) = modern_result(cx) else { return };
    if !result.get("resultType").is_some_and(|t| t.str_eq("input_required")) {
        return;
    }
    let asks = result.get("inputRequests").is_some_and(|r| !r.is_object() || !r.is_empty());
    if !asks && result.get("requestState").is_none() {
        out.say("the result asks for input, and has neither inputRequests nor requestState")
            .missing(result, "inputRequests")
            .expected("inputRequests, requestState, or both");
    }
}
