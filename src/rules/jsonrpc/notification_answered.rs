//! `notification-answered`: a message that wants no answer was answered.

use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::How;
use crate::trace::why::place;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "notification-answered",
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
    let Some(How::AnsweredNotification { record }) = cx.answer().map(|a| a.how) else { return };
    let name = cx.store.record(record).and_then(|r| cx.store.name(r.method)).unwrap_or("a message without id");
    out.say(format!("{} ({}) wants no answer and got one", cut(name, 60), place(cx.store, record)))
        .expected("no answer");
}
