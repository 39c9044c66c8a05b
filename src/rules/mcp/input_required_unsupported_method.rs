//! `input-required-unsupported-method`: input_required on a method that forbids it.

use super::support::modern_result;
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "input-required-unsupported-method",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((message, result)) = modern_result(cx) else { return };
    let Some(ty) = result.get("resultType").filter(|t| t.str_eq("input_required")) else { return };
    let Some(method) = cx.request().and_then(|o| o.method) else { return };
    if !method.may_ask_for_input(message.revision()) {
        out.say(format!("{} is answered with input_required", method.name()))
            .at(ty)
            .expected("a complete result, or an error")
            .actual("\"input_required\"");
    }
}
