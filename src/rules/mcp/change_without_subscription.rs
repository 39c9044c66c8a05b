//! `change-without-subscription`: change notification without any subscription.

use super::support::{from_server, sees_all};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::subs;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "change-without-subscription",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Notification(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    let Some(method) = message.method else { return };
    let change = subs::KINDS.iter().any(|(_, m)| *m == method) || method == Method::ResourceUpdated;
    let named = cx.session.subs.named_by(message).is_some();
    if change && !named && cx.session.listens.is_empty() && !cx.session.subs.forgetful && sees_all(cx) {
        out.say(format!("{} came while no subscription is open", method.name()))
            .expected("a subscriptions/listen request that asks for it");
    }
}
