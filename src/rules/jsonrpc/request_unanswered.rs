//! `request-unanswered`: a request was never answered.

use crate::mcp::Method;
use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::NONE;
use crate::trace::why::{Reason, place, stderr_after, why};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "request-unanswered",
    layer: Layer::JsonRpc,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Responder,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Unanswered(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(open) = cx.open else { return };
    let exempt = open.cancelled.is_some() || open.after_eof || open.method == Some(Method::Listen);
    if exempt || cx.store.exchanges.get(open.exchange as usize).is_none_or(|e| e.response != NONE) {
        return;
    }
    if cx.store.fired(open.record, "truncated-at-eof") {
        return; // nobody got the whole request
    }
    if cx.session.gap_record.is_some_and(|gap| gap > open.record) {
        out.not_judged("a gap in the recording may hide the answer");
        return;
    }
    let reason = why(cx.store, cx.session, open);
    let name = cx.store.name(open.name).unwrap_or("the request");
    let text =
        format!("{} (id {}) was never answered: {}", cut(name, 60), cut(&open.id.text, 60), reason.text(cx.store));
    let stderr = stderr_after(cx.session, open.record).filter(|_| open.dir == Dir::C2s);
    let stderr = stderr.map(|(line, _)| format!("; stderr has text after it ({})", place(cx.store, line)));
    let draft = out.say(text + &stderr.unwrap_or_default());
    draft.expected("a result or an error with this id").because_of(reason.record());
    if reason == Reason::RecordingEnded {
        draft.severity(Severity::Info);
    }
}
