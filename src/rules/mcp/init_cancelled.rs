//! `init-cancelled`: initialize was cancelled.

use super::support::{from_client, shown};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;
use crate::wire::id::Id;

/// See the module.
pub static RULE: Rule = Rule {
    id: "init-cancelled",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::LEGACY,
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Notification(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_client(cx).filter(|m| m.is(Method::Cancelled)) else { return };
    let Some(id) = message.params().and_then(|p| p.get("requestId")) else { return };
    let exchange = cx.session.by_id(Dir::C2s, &Id::read(id));
    if exchange.is_some() && exchange == cx.session.handshake.exchange {
        out.say(format!("the client cancels its initialize request, id {}", shown(id))).at(id);
    }
}
