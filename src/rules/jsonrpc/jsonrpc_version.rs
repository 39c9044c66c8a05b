//! `jsonrpc-version`: the member `jsonrpc` is missing or not the string `"2.0"`.

use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "jsonrpc-version",
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
    if !message.env.root.is_object() {
        return; // `envelope-unrecognised` says it
    }
    match message.env.jsonrpc {
        Some(version) if version.str_eq("2.0") => {}
        Some(version) => {
            let actual = version.raw_str().chars().take(40).collect::<String>();
            out.say("jsonrpc is not the string \"2.0\"").at(version).expected("\"2.0\"").actual(actual);
        }
        None if message.cut => {}
        None => {
            out.say("the member jsonrpc is missing").missing(message.env.root, "jsonrpc").expected("\"2.0\"");
        }
    }
}
