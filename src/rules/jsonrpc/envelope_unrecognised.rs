//! `envelope-unrecognised`: the value is neither request, notification nor response.

use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::envelope::MessageKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "envelope-unrecognised",
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
    if message.kind != MessageKind::Unrecognised || message.cut {
        return;
    }
    let env = &message.env;
    let root = env.root;
    if root.is_array() && root.is_empty() {
        return; // an empty batch: `batch-malformed`, `batch-not-allowed`
    }
    let why = if !root.is_object() {
        format!("a JSON {} is no message", root.kind().name())
    } else if env.result.is_some() || env.error.is_some() {
        let which = if env.result.is_some() { "result" } else { "error" };
        format!("the message has a method together with {which}")
    } else {
        match env.method {
            Some(method) if method.is_string() => "method is empty".to_owned(),
            Some(method) => format!("method is a {}, not a string", method.kind().name()),
            None => "the message has no method, no result and no error".to_owned(),
        }
    };
    let draft = out.say(why);
    draft.at(env.method.unwrap_or(root)).expected("a request, a notification or a response");
}
