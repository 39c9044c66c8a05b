//! `deprecated-roots`: roots are deprecated.

use super::support::{declared, each_input};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "deprecated-roots",
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
        if let Some(roots) = declared(message.params()).and_then(|c| c.get("roots")) {
            out.say("the client declares the roots capability").at(roots);
        }
    } else if message.result().is_some() {
        each_input(message, |method, _| {
            if method == Method::RootsList {
                out.say("the server asks for roots");
            }
        });
    }
}
