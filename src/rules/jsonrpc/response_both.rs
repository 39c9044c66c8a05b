//! `response-both`: a response has both result and error.

use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "response-both",
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
    let Some(message) = cx.msg().filter(|m| m.kind.is_response()) else { return };
    let (Some(result), Some(error)) = (message.env.result, message.env.error) else { return };
    let (which, value) = if error.is_null() {
        ("error is null beside the result", error)
    } else if result.is_null() {
        ("result is null beside the error", result)
    } else {
        ("the response has both result and error", error)
    };
    out.say(which).at(value).expected("either result or error");
}
