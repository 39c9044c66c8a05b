//! `cache-stale-list-used`: call based on a list past its ttl.

use super::support::{cut, from_client, span};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "cache-stale-list-used",
    layer: Layer::Mcp,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_client(cx) else { return };
    let Some(list) = message.method.and_then(|m| cx.session.lists.behind(m)) else { return };
    if !list.is_known() || list.used_stale || list.asked_again {
        return;
    }
    let name = message.target();
    let Some(page) = list.stale_page(name.as_deref(), message.t) else { return };
    let ttl = (page.ttl_ms.unwrap_or(0.0) * 1000.0) as i64;
    out.say(format!(
        "\"{}\" is used {} after the list was fetched, which was to be kept for {}",
        cut(&name.unwrap_or_default()),
        span(message.t - page.t),
        span(ttl)
    ));
}
