//! `error-without-id`: an error does not tell which request it is about.

use super::{has_id, is_lost};
use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::How;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "error-without-id",
    layer: Layer::JsonRpc,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (Some(message), Some(answer)) = (cx.msg(), cx.answer()) else { return };
    let explained = matches!(answer.how, How::Batch | How::Refusal | How::Replay | How::AnsweredNotification { .. });
    if message.cut || has_id(message) || explained || is_lost(cx, answer) || answer.how == How::Id {
        return;
    }
    let none = if message.env.id.is_some() { "id null" } else { "no id" };
    let code = message.env.error_code().map(|c| format!(" {c}")).unwrap_or_default();
    let why = match answer.exchange.and_then(|e| cx.session.open(e)) {
        Some(open) => format!("; by its HTTP exchange it answers request {}", cut(&open.id.text, 60)),
        None => match cx.session.in_flight_count(message.dir.opposite()) {
            0 => "; no request is in flight".to_owned(),
            n => format!("; {n} requests are in flight"),
        },
    };
    out.say(format!("error{code} has {none}{why}"))
        .pointer("/id")
        .expected("the id of the request")
        .actual(if message.env.id.is_some() { "null" } else { "missing" });
}
