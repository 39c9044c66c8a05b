//! `cancel-unknown-request`: cancels a request that was never sent.

use super::support::{cut, sees_all, shown};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;
use crate::wire::id::Id;

/// See the module.
pub static RULE: Rule = Rule {
    id: "cancel-unknown-request",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Notification(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.is(Method::Cancelled)) else { return };
    // A server of 2026-07-28 has no requests of its own: `cancel-by-server` judges it.
    if message.revision().is_modern() && message.dir == Dir::S2c {
        return;
    }
    let Some(value) = message.params().and_then(|p| p.get("requestId")) else { return };
    let id = Id::read(value);
    if !id.is_usable() || cx.session.by_id(message.dir, &id).is_some() {
        return;
    }
    let similar = cx.session.in_flight(message.dir).take(1000).find(|o| o.id.same_but_type(&id));
    if similar.is_none() && !sees_all(cx) {
        return;
    }
    let sender = message.sender().as_str();
    let draft = out.say(format!("the {sender} cancels {}, but has sent no request with that id", shown(value)));
    draft.at(value).actual(shown(value));
    if let Some(open) = similar {
        draft.expected(format!("{}: the type counts", cut(&open.id.text)));
    }
}
