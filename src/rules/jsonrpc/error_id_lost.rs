//! `error-id-lost`: an error has no id although its request had a readable one.

use super::{has_id, is_lost};
use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::why::place;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "error-id-lost",
    layer: Layer::JsonRpc,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (Some(message), Some(answer)) = (cx.msg(), cx.answer()) else { return };
    if message.cut || has_id(message) || !is_lost(cx, answer) {
        return;
    }
    let Some(open) = answer.exchange.and_then(|e| cx.session.open(e)) else { return };
    let (id, there) = (cut(&open.id.text, 60), place(cx.store, open.record));
    let none = if message.env.id.is_some() { "id null" } else { "no id" };
    let draft = out.say(format!("the error has {none}, although request {id} ({there}) is all that it can answer"));
    draft.pointer("/id").expected(id).actual(if message.env.id.is_some() { "null" } else { "missing" });
}
