//! `subscription-before-ack`: notification before the acknowledgement.

use super::support::{cut, from_server};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Outcome, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "subscription-before-ack",
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
    let Some(message) = from_server(cx).filter(|m| !m.is(Method::Acknowledged)) else { return };
    let Some(sub) = cx.session.subs.named_by(message) else { return };
    if sub.acknowledged.is_some() || cx.outcome(sub.exchange) != Some(Outcome::Open) {
        return;
    }
    let name = message.method_name().unwrap_or_default();
    out.say(format!("{} came before the subscription was acknowledged", cut(&name)))
        .expected("notifications/subscriptions/acknowledged first")
        .actual(cut(&name));
}
