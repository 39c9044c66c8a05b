//! `resource-updated-not-subscribed`: update of a resource nobody watches.

use super::support::{from_server, sees_all, shown};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "resource-updated-not-subscribed",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Notification(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx).filter(|m| m.is(Method::ResourceUpdated) && sees_all(cx)) else { return };
    let Some(value) = message.params().and_then(|p| p.get("uri")) else { return };
    let Some(uri) = value.as_str() else { return };
    if message.revision().is_modern() {
        let Some(sub) = cx.session.subs.named_by(message) else { return };
        // A subscription without any uri is `subscription-type-not-requested`.
        if sub.asked.uris.is_empty() || sub.asked.covers(&uri) {
            return;
        }
    } else {
        // A subscription outlives what a piece of a trace shows of it.
        let beginning = cx.session.began || cx.session.handshake.request.is_some();
        if !beginning || cx.session.subs.covers(&uri) {
            return;
        }
    }
    out.say(format!("the client has not subscribed to {}", shown(value))).at(value).actual(shown(value));
}
