//! `error-shape`: the error object is malformed.

use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "error-shape",
    layer: Layer::JsonRpc,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| !m.cut) else { return };
    let Some(error) = message.env.error else { return };
    if !error.is_object() {
        let kind = error.kind().name();
        out.say(format!("error is a JSON {kind}, not an object"))
            .at(error)
            .expected("an object with code and message")
            .actual(kind);
        return;
    }
    if error.get("code").is_none() {
        out.say("the error has no code").missing(error, "code").expected("an integer");
        return;
    }
    match error.get("message") {
        None => {
            out.say("the error has no message").missing(error, "message").expected("a string");
        }
        Some(text) if !text.is_string() => {
            let kind = text.kind().name();
            out.say(format!("the error's message is a JSON {kind}, not a string"))
                .at(text)
                .expected("a string")
                .actual(kind);
        }
        Some(_) => {}
    }
}
