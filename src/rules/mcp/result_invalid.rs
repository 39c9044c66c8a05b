//! `result-invalid`: result does not match the method.

use super::support::{modern_result, say_fault};
use crate::mcp::{Revision, Revisions, shape};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::How;
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "result-invalid",
    layer: Layer::Mcp,
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
    let Some(message) = cx.msg().filter(|m| !m.replay) else { return };
    let (Some(result), Some(open)) = (message.result(), cx.request()) else { return };
    let Some(method) = open.method else { return };
    // A guess at the request is no ground to judge the result by.
    if !cx.answer().is_some_and(|a| matches!(a.how, How::Id | How::Stream)) {
        return;
    }
    let revision = message.revision();
    let modern = revision.is_modern();
    if modern && message.dir == Dir::S2c && result.is_object() && modern_result(cx).is_none() {
        return;
    }
    // The result may be a task only if the request asked for one.
    let task = revision == Revision::V2025_11_25
        && result.get("task").is_some()
        && cx.request_params().is_some_and(|p| p.get("task").is_some());
    let Some(shape) = shape::result(method, revision, shape::form(revision, task, result)) else { return };
    if shape.accepts(result) {
        return;
    }
    for fault in shape.faults(result, 3) {
        say_fault(&format!("the result of {}", method.name()), result, fault, out);
    }
}
