//! `id-null`: the id of a request is null.

use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "id-null",
    layer: Layer::JsonRpc,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg() else { return };
    let Some(id) = message.env.id.filter(|id| id.is_null()) else { return };
    let method = cut(&message.method_name().unwrap_or_default(), 60);
    out.say(format!("the id of the request {method} is null")).at(id).expected("a string or an integer").actual("null");
}
