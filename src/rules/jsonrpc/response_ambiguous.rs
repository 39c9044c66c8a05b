//! `response-ambiguous`: several requests wait for the id of the response.

use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::How;
use crate::trace::why::place;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "response-ambiguous",
    layer: Layer::JsonRpc,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Message(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(answer) = cx.answer().filter(|a| a.how == How::Ambiguous) else { return };
    let Some(open) = answer.exchange.and_then(|e| cx.session.open(e)) else { return };
    let count = cx.session.crowd(open.dir, &open.id).map_or(2, std::collections::BTreeSet::len);
    let (id, there) = (cut(&open.id.text, 60), place(cx.store, open.record));
    out.say(format!("{count} requests wait for id {id}; taken as the answer to that of {there}")).pointer("/id");
}
