//! `subscription-id-unknown`: subscriptionId matches no open subscription.

use super::support::{cut, from_server, list, sees_all, shown};
use crate::mcp::{Method, Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::id::Id;

/// See the module.
pub static RULE: Rule = Rule {
    id: "subscription-id-unknown",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Notification(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    let Some(value) = message.env.params_meta().and_then(|m| m.get(meta::SUBSCRIPTION_ID)) else { return };
    let session = cx.session;
    if session.subs.forgetful || !(value.is_string() || value.is_number()) {
        return;
    }
    let id = Id::read(value);
    let Some(sub) = session.subs.get(&id) else {
        // With no subscription at all, that is what is wrong: `change-without-subscription`.
        if !sees_all(cx) || (session.listens.is_empty() && !message.is(Method::Acknowledged)) {
            return;
        }
        let draft = out.say(format!("no subscription has the id {}", shown(value)));
        draft.at(value).actual(shown(value));
        let open: Vec<_> = session.listens.iter().take(4).map(|(_, id)| cut(&id.text)).collect();
        if !open.is_empty() {
            draft.expected(list(&open, " or "));
        }
        return;
    };
    // What crosses the client's own cancellation is late, not unknown; and a server may end with a cancellation.
    let ended = session.open(sub.exchange).is_none() && !session.is_cancelled(sub.exchange);
    if ended && !message.is(Method::Cancelled) {
        out.say(format!("the subscription {} has ended", shown(value))).at(value).actual(shown(value));
    }
}
