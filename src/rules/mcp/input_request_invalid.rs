//! `input-request-invalid`: invalid entry in inputRequests.

use super::support::{cut, kind, modern_result, shown};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "input-request-invalid",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((_, result)) = modern_result(cx) else { return };
    let Some(requests) = result.get("inputRequests").filter(|r| r.is_object()) else { return };
    for (key, request) in requests.members().take(200) {
        let Some(why) = fault(request) else { continue };
        out.say(format!("the input request \"{}\" {why}", cut(&key.as_str())))
            .at(request)
            .expected("method and params of elicitation/create, sampling/createMessage or roots/list");
    }
}

fn fault(request: Value<'_>) -> Option<String> {
    if !request.is_object() {
        return Some(format!("is {}", kind(request)));
    }
    let Some(name) = request.get("method") else { return Some("has no method".to_owned()) };
    let method = name.as_str().as_deref().and_then(Method::lookup).filter(|m| m.is_input_request());
    let Some(method) = method else { return Some(format!("has the method {}", shown(name))) };
    match request.get("params") {
        None if method != Method::RootsList => return Some("has no params".to_owned()),
        Some(params) if !params.is_object() => return Some(format!("has params that are {}", kind(params))),
        _ => {}
    }
    let extra = ["jsonrpc", "id"].iter().find(|k| request.get(k).is_some())?;
    Some(format!("has a member {extra}, as if it were a message of its own"))
}
