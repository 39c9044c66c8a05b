//! `notification-with-id`: a notification carries an id.

use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "notification-with-id",
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
    let Some(message) = cx.msg() else { return };
    let Some(id) = message.env.id else { return };
    let name = cut(&message.method_name().unwrap_or_default(), 60);
    let text = cut(&id.raw_str(), 60);
    out.say(format!("{name} is a notification and carries id {text}")).at(id).expected("no id").actual(text);
}
