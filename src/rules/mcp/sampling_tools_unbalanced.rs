//! `sampling-tools-unbalanced`: tool_use and tool_result do not match.

use std::borrow::Cow;

use super::support::{cut, each_input, from_server, shown};
use crate::mcp::{Method, Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "sampling-tools-unbalanced",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_11_25),
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Request(check), On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    each_input(message, |method, params| {
        let Some(messages) = params.and_then(|p| p.get("messages")).filter(|m| m.is_array()) else { return };
        if method == Method::CreateMessage {
            judge(messages, out);
        }
    });
}

/// Walks the conversation: after calls of tools comes one message of nothing but their results.
fn judge(messages: Value<'_>, out: &mut Out<'_>) {
    let mut calls: Vec<Cow<'_, str>> = Vec::new();
    for message in messages.elements().take(10_000) {
        let user = message.get("role").is_some_and(|r| r.str_eq("user"));
        let Some(content) = message.get("content") else { return };
        let is = |block: Value<'_>, ty: &str| block.get("type").is_some_and(|t| t.str_eq(ty));
        let results = blocks(content).filter(|b| is(*b, "tool_result")).count();
        let others = blocks(content).count() - results;
        let answered = |id: &str| {
            blocks(content).any(|b| is(b, "tool_result") && b.get("toolUseId").is_some_and(|i| i.str_eq(id)))
        };
        let missing = calls.iter().find(|id| !user || !answered(id));
        if let Some(id) = missing {
            out.say(format!("the tool call \"{}\" has no result in the message after it", cut(id)))
                .at(message)
                .expected("a user message with a tool_result for each tool_use");
            return;
        }
        if user && results > 0 {
            if others > 0 {
                out.say("the message mixes tool results with other content")
                    .at(content)
                    .expected("tool_result blocks only");
                return;
            }
            let stray = blocks(content).filter_map(|b| b.get("toolUseId")).find(|v| !calls.iter().any(|c| v.str_eq(c)));
            if let Some(stray) = stray {
                out.say(format!(
                    "a tool result names the call {}, which the message before it does not make",
                    shown(stray)
                ))
                .at(stray)
                .actual(shown(stray));
                return;
            }
        }
        calls.clear();
        let made = blocks(content).filter(|b| !user && is(*b, "tool_use")).filter_map(|b| b.get("id"));
        calls.extend(made.filter_map(Value::as_str).take(1000));
    }
    if let Some(id) = calls.first() {
        out.say(format!("the conversation ends with the tool call \"{}\", without its result", cut(id))).at(messages);
    }
}

/// The blocks of a content: one, or an array.
fn blocks(content: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let one = (!content.is_array()).then_some(content);
    let many = content.is_array().then(|| content.elements()).into_iter().flatten();
    one.into_iter().chain(many)
}
