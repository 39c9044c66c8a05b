//! `input-request-undeclared`: asks for input the client cannot give.

use super::support::{cut, declared, has, modern_result};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "input-request-undeclared",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((_, result)) = modern_result(cx) else { return };
    let Some(requests) = result.get("inputRequests").filter(|r| r.is_object()) else { return };
    // A request without capabilities has its own finding.
    let Some(caps) = declared(cx.request_params()) else { return };
    for (key, request) in requests.members().take(200) {
        let method = request.get("method").and_then(Value::as_str).as_deref().and_then(Method::lookup);
        let Some(missing) = method.and_then(|m| missing(m, request.get("params"), caps)) else { continue };
        out.say(format!(
            "the input request \"{}\" needs {missing}, which the request did not declare",
            cut(&key.as_str())
        ))
        .at(request)
        .expected(format!("error -32021 with requiredCapabilities, or {missing} in clientCapabilities"))
        .actual("not declared");
    }
}

/// The capability that an input needs and the client lacks.
fn missing(method: Method, params: Option<Value<'_>>, caps: Value<'_>) -> Option<&'static str> {
    let member = |name| params.and_then(|p| p.get(name));
    match method {
        Method::Elicit if !has(caps, &["elicitation"]) => Some("elicitation"),
        Method::Elicit => {
            let url = has(caps, &["elicitation", "url"]);
            match member("mode").is_some_and(|m| m.str_eq("url")) {
                true => (!url).then_some("elicitation.url"),
                false => (url && !has(caps, &["elicitation", "form"])).then_some("elicitation.form"),
            }
        }
        Method::CreateMessage if !has(caps, &["sampling"]) => Some("sampling"),
        Method::CreateMessage => {
            let tools = member("tools").is_some() || member("toolChoice").is_some();
            (tools && !has(caps, &["sampling", "tools"])).then_some("sampling.tools")
        }
        Method::RootsList => (!has(caps, &["roots"])).then_some("roots"),
        _ => None,
    }
}
