//! `subscription-not-acknowledged`: subscription was never acknowledged.

use super::support::{cut, from_server};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Outcome, Severity};
use crate::wire::frame::Side;
use crate::wire::id::Id;

/// See the module.
pub static RULE: Rule = Rule {
    id: "subscription-not-acknowledged",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(answered), On::Unanswered(never)],
};

fn answered(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    let Some(open) = cx.request().filter(|o| o.method == Some(Method::Listen) && o.cancelled.is_none()) else { return };
    if is_acknowledged(cx, &open.id) {
        return;
    }
    let draft = out.say(format!("the subscription {} was answered before it was acknowledged", cut(&open.id.text)));
    draft.expected("notifications/subscriptions/acknowledged, and no result while the subscription lasts");
    if let Some(result) = message.result() {
        draft.at(result).actual("a result");
    }
}

fn never(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(open) = cx.request().filter(|o| o.method == Some(Method::Listen) && o.cancelled.is_none()) else { return };
    // A server that has crashed owes an explanation of another kind.
    let crashed = cx.session.exit.as_ref().is_some_and(|e| e.status.is_some_and(|s| s != 0));
    let asks = cx.outcome(open.exchange) == Some(Outcome::Open);
    if asks && cx.clean_end && !crashed && !open.after_eof && !cx.session.gap && !is_acknowledged(cx, &open.id) {
        out.say(format!("the subscription {} was never acknowledged", cut(&open.id.text)))
            .owner(Side::Server)
            .expected("notifications/subscriptions/acknowledged");
    }
}

fn is_acknowledged(cx: &Cx<'_>, id: &Id<'_>) -> bool {
    cx.session.subs.forgetful || cx.session.subs.get(id).is_some_and(|s| s.acknowledged.is_some())
}
