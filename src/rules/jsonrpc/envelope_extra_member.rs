//! `envelope-extra-member`: the envelope has a member that belongs to no message.

use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::envelope::MessageKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "envelope-extra-member",
    layer: Layer::JsonRpc,
    severity: Severity::Warning,
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
    let Some((key, value)) = message.env.extra else { return };
    if message.kind == MessageKind::Unrecognised {
        return; // `envelope-unrecognised` says more
    }
    let name = cut(&key.as_str(), 60);
    let inside = match message.kind {
        MessageKind::Response => "result",
        MessageKind::Error => "error",
        _ => "params",
    };
    out.say(format!("the member {name:?} belongs to no JSON-RPC message"))
        .at(value)
        .expected(format!("nothing here, or {name:?} inside {inside}"));
}
