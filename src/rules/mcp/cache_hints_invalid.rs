//! `cache-hints-invalid`: ttlMs or cacheScope has a bad value.

use super::support::{is_complete, modern_result, shown};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "cache-hints-invalid",
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
    let cacheable = cx.request().and_then(|o| o.method).is_some_and(|m| m.is_cacheable(message.revision()));
    if !cacheable || !is_complete(result) {
        return;
    }
    if let Some(ttl) = result.get("ttlMs")
        && !(ttl.is_integer() && ttl.as_f64().is_some_and(|n| n >= 0.0))
    {
        out.say(format!("ttlMs is {}", shown(ttl)))
            .at(ttl)
            .expected("an integer of at least 0, in milliseconds")
            .actual(shown(ttl));
    }
    if let Some(scope) = result.get("cacheScope")
        && !scope.str_eq("public")
        && !scope.str_eq("private")
    {
        out.say(format!("cacheScope is {}", shown(scope)))
            .at(scope)
            .expected("\"public\" or \"private\"")
            .actual(shown(scope));
    }
}
