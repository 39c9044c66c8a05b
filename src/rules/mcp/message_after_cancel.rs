//! `message-after-cancel`: message for a cancelled request.

use super::support::{cut, span};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;
use crate::wire::id::Id;

/// See the module.
pub static RULE: Rule = Rule {
    id: "message-after-cancel",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(answer), On::Error(answer), On::Notification(notification)],
};

fn answer(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| !m.replay) else { return };
    let Some(answer) = cx.answer().filter(|a| a.late) else { return };
    let Some(open) = answer.exchange.and_then(|e| cx.session.open(e)) else { return };
    let Some(cancelled) = open.cancelled else { return };
    // A server may end a subscription with a cancellation, a result, or both.
    if cx.store.record(cancelled.record).is_some_and(|r| r.dir == message.dir) {
        return;
    }
    say(cx, open.exchange, "the answer to", Some(cancelled.t), out);
}

fn notification(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| !m.replay) else { return };
    let (exchange, what) = if message.is(Method::Progress) {
        let token = message.params().and_then(|p| p.get("progressToken")).map(Id::read);
        let token = token.and_then(|t| cx.session.tokens.get(message.dir.opposite(), &t.text));
        (token.map(|t| t.exchange), "progress of")
    } else if message.dir == Dir::S2c && !message.is(Method::Cancelled) {
        (cx.session.subs.named_by(message).map(|s| s.exchange), "a notification of")
    } else {
        return;
    };
    let Some(exchange) = exchange.filter(|e| cx.session.is_cancelled(*e)) else { return };
    let cancelled = cx.session.open(exchange).and_then(|o| o.cancelled);
    if cancelled.and_then(|c| cx.store.record(c.record)).is_some_and(|r| r.dir == message.dir) {
        return;
    }
    say(cx, exchange, what, cancelled.map(|c| c.t), out);
}

fn say(cx: &Cx<'_>, exchange: u32, what: &str, since: Option<i64>, out: &mut Out<'_>) {
    let request = cx.store.exchanges.get(exchange as usize).and_then(|e| cx.store.record(e.request));
    let id = request.and_then(|r| cx.store.id_text(r.id)).unwrap_or_default();
    let when = since.map(|t| format!(", {} after it was cancelled", span(cx.t - t))).unwrap_or_default();
    let late = cx.session.late_messages(exchange);
    let count = if late == 0 { String::new() } else { format!(": late message number {}", late + 1) };
    let draft = out.say(format!("{what} request {} came{when}{count}", cut(&id)));
    // The first may have crossed the cancellation on its way.
    if late == 0 {
        draft.severity(Severity::Info);
    }
}
