//! `result-type-missing`: resultType is missing.

use super::support::modern_result;
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "result-type-missing",
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
    if result.get("resultType").is_none() {
        let method = cx.request().and_then(|o| o.method).map_or("the request", Method::name);
        out.say(format!("the result of {method} has no resultType"))
            .missing(result, "resultType")
            .expected("\"complete\"");
    }
}
