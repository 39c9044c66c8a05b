//! `id-type-changed`: the id of the response has another type than that of the request.

use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::How;
use crate::trace::why::place;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "id-type-changed",
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
    let Some(answer) = cx.answer().filter(|a| a.how == How::TypeChanged) else { return };
    let Some(open) = answer.exchange.and_then(|e| cx.session.open(e)) else { return };
    let Some(id) = cx.msg().and_then(|m| m.env.id) else { return };
    let (sent, came) = (cut(&open.id.text, 60), cut(&id.raw_str(), 60));
    out.say(format!("the request had id {sent} ({}), the response has id {came}", place(cx.store, open.record)))
        .at(id)
        .expected(sent)
        .actual(came);
}
