//! `response-duplicate`: a request was answered a second time.

use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::How;
use crate::trace::why::place;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "response-duplicate",
    layer: Layer::JsonRpc,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Message(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(answer) = cx.answer().filter(|a| a.how == How::Duplicate) else { return };
    let Some(message) = cx.msg() else { return };
    let Some(exchange) = answer.exchange.and_then(|e| cx.store.exchanges.get(e as usize)) else { return };
    let id = message.env.id.map(|v| cut(&v.raw_str(), 60)).unwrap_or_default();
    let first = place(cx.store, exchange.response);
    let asked = message.dir.opposite();
    let open = cx.session.in_flight(asked).next().filter(|_| cx.session.in_flight_count(asked) == 1);
    let other = match open {
        Some(open) => {
            format!("; request {} ({}) still waits", cut(&open.id.text, 60), place(cx.store, open.record))
        }
        None => String::new(),
    };
    out.say(format!("request {id} was answered already ({first}){other}"))
        .pointer("/id")
        .expected(
            open.map_or_else(|| "one answer".to_owned(), |o| format!("one answer; {} is open", cut(&o.id.text, 60))),
        )
        .actual(id);
}
