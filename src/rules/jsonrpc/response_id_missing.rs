//! `response-id-missing`: a result has no id.

use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::How;
use crate::trace::why::place;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "response-id-missing",
    layer: Layer::JsonRpc,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg() else { return };
    if message.env.result.is_none() || message.env.id.is_some_and(|id| !id.is_null()) || message.cut || message.replay {
        return;
    }
    let Some(answer) = cx.answer().filter(|a| a.how != How::Id) else { return };
    let open = answer.exchange.and_then(|e| cx.session.open(e));
    let none = if message.env.id.is_some() { "id null" } else { "no id" };
    let which = match open {
        Some(open) => format!("; it may answer request {} ({})", cut(&open.id.text, 60), place(cx.store, open.record)),
        None => String::new(),
    };
    out.say(format!("the result has {none}{which}"))
        .pointer("/id")
        .expected(open.map_or_else(|| "the id of the request".to_owned(), |o| cut(&o.id.text, 60)))
        .actual(if message.env.id.is_some() { "null" } else { "missing" });
}
