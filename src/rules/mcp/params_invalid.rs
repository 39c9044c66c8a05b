//! `params-invalid`: params do not match the method.

use super::support::say_fault;
use crate::mcp::{Revisions, shape};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "params-invalid",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check), On::Notification(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg() else { return };
    let Some(method) = message.method else { return };
    let revision = message.revision();
    // A message that the revision does not have has no shape in it, though an input of the same name may.
    if !method.is_in(revision) && method.extension(revision).is_none() {
        return;
    }
    let Some(params) = message.params() else {
        if shape::params_required(method, revision) {
            out.say(format!("{} has no params", method.name()))
                .missing(message.env.root, "params")
                .expected("an object");
        }
        return;
    };
    let Some(shape) = shape::params(method, revision) else { return };
    if shape.accepts(params) {
        return;
    }
    for fault in shape.faults(params, 3) {
        say_fault(&format!("params of {}", method.name()), params, fault, out);
    }
}
