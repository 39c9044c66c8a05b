//! `response-neither`: a response has neither result nor error.

use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "response-neither",
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
    let Some(message) = cx.msg().filter(|m| !m.cut) else { return };
    if message.env.result.is_none() && message.env.error.is_none() {
        out.say("the response has an id, but no result and no error")
            .missing(message.env.root, "result")
            .expected("result or error");
    }
}
