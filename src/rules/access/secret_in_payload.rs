//! `secret-in-payload`: a value looks like a secret.

use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;
use crate::wire::secrets::{self, Kind};

/// See the module.
pub static RULE: Rule = Rule {
    id: "secret-in-payload",
    layer: Layer::Access,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Message(check)],
};

/// Secrets of one message that are reported.
const MAX: usize = 5;

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg() else { return };
    let root = message.env.root;
    let mut said: Vec<u32> = Vec::new();
    let mut say = |value: Value<'_>, kind: Kind| {
        if said.len() < MAX && !said.contains(&value.node()) {
            said.push(value.node());
            out.say(format!("the value looks like {}", kind.as_str())).at(value).actual("not shown");
        }
    };
    for hit in secrets::hits(root.raw()) {
        let at = root.span().start + hit.range.start;
        if let Some(value) = root.doc().at_offset(at) {
            say(value, hit.kind);
        }
    }
    for value in secrets::named(root, MAX) {
        say(value, Kind::Named);
    }
}
