//! `cache-scope-differs`: pages of one list differ in cacheScope.

use super::support::{cut, modern_result, shown};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "cache-scope-differs",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((_, result)) = modern_result(cx) else { return };
    let Some(listing) = cx.request().and_then(|o| o.method).and_then(|m| cx.session.lists.of(m)) else { return };
    let (Some(listing), Some(scope)) = (&listing.current, result.get("cacheScope").filter(|s| s.is_string())) else {
        return;
    };
    let Some(first) = listing.scope.as_deref().filter(|first| !scope.str_eq(first)) else { return };
    let cursor = cx.request_params().and_then(|p| p.get("cursor")).and_then(Value::as_str);
    if cursor.is_some_and(|c| listing.position(Some(&c)).is_some()) {
        out.say(format!(
            "this page has cacheScope {}, the first page of the list had \"{}\"",
            shown(scope),
            cut(first)
        ))
        .at(scope)
        .expected(format!("\"{}\"", cut(first)))
        .actual(shown(scope));
    }
}
