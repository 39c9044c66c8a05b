//! `subscription-type-not-requested`: notification type nobody subscribed to.

use super::support::{cut, from_server};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::subs;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "subscription-type-not-requested",
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
    let Some(sub) = cx.session.subs.named_by(message) else { return };
    let asked = &sub.asked;
    if message.is(Method::Acknowledged) {
        let Some(agreed) = message.params().and_then(|p| p.get("notifications")) else { return };
        let filter = subs::Filter::read(Some(agreed));
        let extra = subs::KINDS.iter().zip(filter.kinds).zip(asked.kinds).find(|((_, got), want)| *got && !want);
        if let Some((((name, _), _), _)) = extra {
            out.say(format!("the server acknowledges {name}, which was not asked for"))
                .pointer(format!("/params/notifications/{name}"));
        } else if let Some(uri) = filter.uris.iter().find(|u| !asked.covers(u)) {
            out.say(format!("the server acknowledges the resource \"{}\", which was not asked for", cut(uri)))
                .pointer("/params/notifications/resourceSubscriptions");
        }
        return;
    }
    let Some(method) = message.method else { return };
    let unasked = subs::KINDS.iter().zip(asked.kinds).find(|((_, m), want)| *m == method && !want);
    if let Some(((name, _), _)) = unasked {
        out.say(format!("{} came on a subscription that did not ask for {name}", method.name()))
            .pointer("/method")
            .expected(format!("{name} in the filter"))
            .actual(method.name());
    } else if method == Method::ResourceUpdated && asked.uris.is_empty() && !asked.overflow {
        out.say("notifications/resources/updated came on a subscription without resourceSubscriptions")
            .pointer("/method")
            .expected("resourceSubscriptions in the filter")
            .actual(method.name());
    }
}
