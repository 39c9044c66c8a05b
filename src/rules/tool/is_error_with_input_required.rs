//! `is-error-with-input-required`: fields of a tool result in a result that asks for input.

use super::calls;
use crate::mcp::Revisions;
use crate::rules::show::list;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "is-error-with-input-required",
    layer: Layer::Tool,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(result) = calls::call(cx).and_then(|_| cx.msg()?.result()) else { return };
    if !result.get("resultType").is_some_and(|t| t.str_eq("input_required")) {
        return;
    }
    let there: Vec<&str> =
        ["content", "structuredContent", "isError"].into_iter().filter(|k| result.get(k).is_some()).collect();
    if let Some(first) = there.first().and_then(|k| result.get(k)) {
        out.say(format!("a result that asks for input holds {}", list(&there)))
            .at(first)
            .expected("inputRequests, requestState");
    }
}
