//! `request-without-id`: a request was sent without its id.

use crate::mcp::Revisions;
use crate::mcp::methods::Kind;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "request-without-id",
    layer: Layer::JsonRpc,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Notification(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| !m.cut) else { return };
    if message.env.id.is_none() && message.method_kind() == Some(Kind::Request) {
        let name = message.method_name().unwrap_or_default();
        out.say(format!("{name} is a request and has no id, so no answer will come"))
            .missing(message.env.root, "id")
            .expected("a string or an integer");
    }
}
