//! `params-not-object`: params is no object.

use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "params-not-object",
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
    let Some(message) = cx.msg() else { return };
    let Some(params) = message.env.params.filter(|p| !p.is_object()) else { return };
    if message.env.method.is_none() {
        return; // no method: whatever this is, it takes no params
    }
    let kind = params.kind().name();
    let name = cut(&message.method_name().unwrap_or_default(), 60);
    out.say(format!("params of {name} is a JSON {kind}, not an object")).at(params).expected("an object").actual(kind);
}
