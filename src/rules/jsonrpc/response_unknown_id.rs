//! `response-unknown-id`: nobody sent a request with the id of the response.

use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::How;
use crate::trace::why::place;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "response-unknown-id",
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
    let Some(answer) = cx.answer().filter(|a| matches!(a.how, How::Unknown | How::Stream | How::Batch)) else { return };
    let Some(message) = cx.msg().filter(|m| !m.cut) else { return };
    let Some(id) = message.env.id.filter(|id| !id.is_null()) else { return };
    if !cx.session.began && answer.exchange.is_none() {
        out.not_judged("the trace does not show the beginning of the session");
        return;
    }
    if cx.session.gap_record.is_some() && answer.exchange.is_none() {
        out.not_judged("a gap in the recording may hide the request");
        return;
    }
    let asked = message.dir.opposite();
    let open = answer.exchange.and_then(|e| cx.session.open(e));
    let only = cx.session.in_flight(asked).next().filter(|_| cx.session.in_flight_count(asked) == 1);
    let which = match (open, only) {
        (Some(open), _) => format!("; by its HTTP exchange it answers request {}", cut(&open.id.text, 60)),
        (None, Some(open)) => {
            format!("; request {} ({}) is all that waits", cut(&open.id.text, 60), place(cx.store, open.record))
        }
        _ => String::new(),
    };
    let text = cut(&id.raw_str(), 60);
    let draft = out.say(format!("no request with id {text} was sent{which}"));
    draft.at(id).actual(text);
    if let Some(open) = open.or(only) {
        draft.expected(cut(&open.id.text, 60));
    }
}
