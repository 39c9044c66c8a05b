//! `subscription-ack-narrowed`: server agreed to less than was asked.

use super::support::{cut, from_server, list};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::subs;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "subscription-ack-narrowed",
    layer: Layer::Mcp,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Notification(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx).filter(|m| m.is(Method::Acknowledged)) else { return };
    let Some(sub) = cx.session.subs.named_by(message).filter(|s| s.acknowledged.is_none()) else { return };
    let agreed = message.params().and_then(|p| p.get("notifications"));
    let filter = subs::Filter::read(agreed);
    let mut left_out: Vec<String> = Vec::new();
    for (i, (name, _)) in subs::KINDS.iter().enumerate() {
        if sub.asked.kinds[i] && !filter.kinds[i] {
            left_out.push((*name).to_owned());
        }
    }
    let uris = sub.asked.uris.iter().filter(|u| !filter.overflow && !filter.uris.contains(*u));
    left_out.extend(uris.take(5).map(|u| cut(u)));
    if left_out.is_empty() {
        return;
    }
    left_out.sort_unstable();
    let draft = out.say(format!("the server does not agree to {}", list(&left_out, " and ")));
    match agreed {
        Some(agreed) => draft.at(agreed),
        None => draft.pointer("/params"),
    };
}
