//! `input-response-shape`: inputResponses entry has the wrong shape.

use super::support::{cut, from_client, kind, retried};
use crate::mcp::{Method, Revision, Revisions, shape};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::{Document, Value};

/// See the module.
pub static RULE: Rule = Rule {
    id: "input-response-shape",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_client(cx) else { return };
    let Some(responses) = message.params().and_then(|p| p.get("inputResponses")) else { return };
    if !responses.is_object() {
        out.say(format!("inputResponses is {}", kind(responses)))
            .at(responses)
            .expected("an object with the keys of inputRequests")
            .actual(kind(responses));
        return;
    }
    let waiting = retried(cx);
    let asked = waiting.map(|w| Document::new(w.requests.clone()));
    let asked = asked.as_ref().and_then(|d| d.doc().root());
    for (key, answer) in responses.members().take(200) {
        let name = key.as_str();
        let question = asked.and_then(|a| a.get(&name));
        let method = question.and_then(|q| q.get("method")).and_then(Value::as_str);
        let method = method.as_deref().and_then(Method::lookup).filter(|m| m.is_input_request());
        let unasked = waiting.is_some_and(|w| !w.keys.iter().chain(&w.earlier).any(|k| k.as_ref() == name));
        if unasked && question.is_none() {
            out.say(format!("the server has not asked for \"{}\"", cut(&name))).at(answer);
        } else if let Some(why) = fault(method, answer, message.revision()) {
            let draft = out.say(format!("the answer to \"{}\" {why}", cut(&name)));
            draft.at(answer).expected(expectation(method));
        }
    }
}

fn fault(method: Option<Method>, answer: Value<'_>, revision: Revision) -> Option<String> {
    let shape = match method {
        Some(method) => shape::result(method, revision, shape::Form::Complete),
        None => shape::named("InputResponse", revision),
    }?;
    if !answer.is_object() {
        return Some(format!("is {}", kind(answer)));
    }
    if shape.accepts(answer) {
        return None;
    }
    // An answer wrapped in the response that it would have been in older revisions.
    let wrapper = ["result", "jsonrpc", "method"].into_iter().find(|w| answer.get(w).is_some());
    if let Some(wrapper) = wrapper {
        return Some(format!("is wrapped: it has a member {wrapper}"));
    }
    let fault = shape.check(answer)?;
    Some(format!("has not its shape: {} at {}", cut(&fault.actual), cut(&fault.pointer)))
}

fn expectation(method: Option<Method>) -> &'static str {
    match method {
        Some(Method::Elicit) => "an object with action, and content where it is accepted",
        Some(Method::CreateMessage) => "an object with role, content and model",
        Some(Method::RootsList) => "an object with roots",
        _ => "the bare result of what was asked for",
    }
}
