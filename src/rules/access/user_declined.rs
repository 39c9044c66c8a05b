//! `user-declined`: the user declined or dismissed what was asked.

use crate::mcp::Revisions;
use crate::mcp::{Method, errors};
use crate::rules::show;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "user-declined",
    layer: Layer::Access,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(retry), On::Result(answer), On::Error(rejected)],
};

/// `decline` or `cancel` in an answer to an elicitation.
fn declined(answer: Value<'_>) -> Option<&'static str> {
    let action = answer.get("action")?;
    ["decline", "cancel"].into_iter().find(|word| action.str_eq(word))
}

fn say(out: &mut Out<'_>, at: Value<'_>, word: &str) {
    let did = if word == "decline" { "declined" } else { "dismissed" };
    out.say(format!("the user {did} the elicitation")).at(at.get("action").unwrap_or(at)).actual(word);
}

fn retry(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::C2s) else { return };
    let Some(responses) = message.params().and_then(|p| p.get("inputResponses")) else { return };
    for (key, response) in responses.members() {
        if let Some(word) = declined(response) {
            let did = if word == "decline" { "declined" } else { "dismissed" };
            out.say(format!("the user {did} the input {}", show::quoted(&key.as_str())))
                .at(response.get("action").unwrap_or(response))
                .actual(word);
        }
    }
}

fn answer(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::C2s) else { return };
    if cx.open.is_some_and(|o| o.method == Some(Method::Elicit))
        && let Some((result, word)) = message.result().and_then(|r| Some((r, declined(r)?)))
    {
        say(out, result, word);
    }
}

fn rejected(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::C2s) else { return };
    let sampling = cx.open.is_some_and(|o| o.method == Some(Method::CreateMessage));
    if sampling && message.env.error_code() == Some(errors::USER_REJECTED) {
        out.say("the user rejected the sampling request").pointer("/error/code").actual("-1");
    }
}
