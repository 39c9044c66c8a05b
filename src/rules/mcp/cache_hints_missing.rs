//! `cache-hints-missing`: ttlMs or cacheScope is missing.

use super::support::{is_complete, modern_result};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "cache-hints-missing",
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
    let Some((message, result)) = modern_result(cx) else { return };
    let Some(method) = cx.request().and_then(|o| o.method) else { return };
    if !method.is_cacheable(message.revision()) || !is_complete(result) {
        return;
    }
    let (ttl, scope) = (result.get("ttlMs").is_none(), result.get("cacheScope").is_none());
    let (what, first) = match (ttl, scope) {
        (false, false) => return,
        (true, true) => ("neither ttlMs nor cacheScope", "ttlMs"),
        (true, false) => ("no ttlMs", "ttlMs"),
        (false, true) => ("no cacheScope", "cacheScope"),
    };
    out.say(format!("the result of {} has {what}", method.name()))
        .missing(result, first)
        .expected("ttlMs and cacheScope");
}
