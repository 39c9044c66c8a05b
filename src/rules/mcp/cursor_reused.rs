//! `cursor-reused`: same page fetched again.

use super::support::{from_client, shown, span};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "cursor-reused",
    layer: Layer::Mcp,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_client(cx) else { return };
    let Some(list) = message.method.and_then(|m| cx.session.lists.of(m)) else { return };
    let Some(cursor) = message.params().and_then(|p| p.get("cursor")) else { return };
    let Some(listing) = list.current.as_ref().filter(|_| list.changed.is_none()) else { return };
    let Some(text) = cursor.as_str() else { return };
    let Some(page) = listing.page(Some(&text)) else { return };
    // The server itself sent the client there again, or says that the page may not be kept.
    let called_for = listing.pages.last().and_then(|p| p.next.as_deref()) == Some(text.as_ref())
        || page.ttl_ms.is_some_and(|ttl| ttl <= 0.0)
        || page.is_stale(message.t);
    if !called_for {
        out.say(format!("the page with cursor {} was fetched {} before", shown(cursor), span(message.t - page.t)))
            .at(cursor);
    }
}
