//! `deprecated-sampling`: sampling is deprecated.

use super::support::{declared, each_input};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "deprecated-sampling",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Once,
    tier: 2,
    hooks: &[On::Request(check), On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg() else { return };
    if message.dir == Dir::C2s {
        if let Some(sampling) = declared(message.params()).and_then(|c| c.get("sampling")) {
            out.say("the client declares the sampling capability").at(sampling);
        }
    } else if message.result().is_some() {
        each_input(message, |method, _| {
            if method == Method::CreateMessage {
                out.say("the server asks for sampling");
            }
        });
    }
}
