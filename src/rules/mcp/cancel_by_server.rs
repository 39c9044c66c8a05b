//! `cancel-by-server`: server cancelled a normal request.

use super::support::{cut, from_server, sees_all, shown};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;
use crate::wire::id::Id;

/// See the module.
pub static RULE: Rule = Rule {
    id: "cancel-by-server",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Notification(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx).filter(|m| m.is(Method::Cancelled)) else { return };
    let Some(id) = message.params().and_then(|p| p.get("requestId")) else { return };
    let found = cx.session.by_id(Dir::C2s, &Id::read(id));
    let Some(exchange) = found.and_then(|e| cx.store.exchanges.get(e as usize)) else {
        if sees_all(cx) {
            out.say(format!("the server cancels request {}, which is no subscription", shown(id))).at(id);
        }
        return;
    };
    let method = cx.store.method_of(exchange).unwrap_or_default();
    if method != Method::Listen.name() {
        out.say(format!("the server cancels {} with id {}", cut(method), shown(id)))
            .at(id)
            .expected("the id of a subscriptions/listen request");
    }
}
