//! `progress-after-response`: progress after the answer.

use super::support::{cut, shown, span};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, NONE, Severity};
use crate::wire::id::Id;

/// See the module.
pub static RULE: Rule = Rule {
    id: "progress-after-response",
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
    let Some(message) = cx.msg().filter(|m| m.is(Method::Progress) && !m.replay) else { return };
    let Some(value) = message.params().and_then(|p| p.get("progressToken")) else { return };
    let id = Id::read(value);
    let Some(token) = cx.session.tokens.get(message.dir.opposite(), &id.text).filter(|t| !t.task) else { return };
    if cx.session.open(token.exchange).is_some() || cx.session.is_cancelled(token.exchange) {
        return;
    }
    let Some(exchange) = cx.store.exchanges.get(token.exchange as usize) else { return };
    if exchange.cancelled_by != NONE || exchange.response == NONE {
        return;
    }
    let answered = cx.store.record(exchange.response);
    let since = answered.map_or(0, |r| message.t - r.t);
    let request = cx.store.record(exchange.request).and_then(|r| cx.store.id_text(r.id)).unwrap_or_default();
    out.say(format!(
        "progress with token {} came {} after request {} was answered",
        shown(value),
        span(since),
        cut(&request)
    ))
    .at(value);
}
