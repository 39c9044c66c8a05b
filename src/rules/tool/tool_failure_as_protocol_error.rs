//! `tool-failure-as-protocol-error`: a failure inside the tool is sent as a JSON-RPC error.

use super::calls;
use crate::mcp::Revisions;
use crate::mcp::errors;
use crate::rules::show::{has, short};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "tool-failure-as-protocol-error",
    layer: Layer::Tool,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (Some(open), Some(message)) = (calls::call(cx), cx.msg()) else { return };
    let Some(code) = message.env.error_code() else { return };
    let about_request = matches!(
        code,
        errors::PARSE_ERROR
            | errors::INVALID_REQUEST
            | errors::METHOD_NOT_FOUND
            | errors::INVALID_PARAMS
            | errors::RESOURCE_NOT_FOUND
            | errors::URL_ELICITATION_REQUIRED
            | -32003
            | errors::USER_REJECTED
    ) || errors::is_modern_sign(code);
    let refused = cx.stream.and_then(|s| s.status()).is_some_and(|s| s >= 400);
    let text = message.env.error_message().unwrap_or_default();
    // What the server says about the call's name or about its own end is no failure of the tool.
    let other = cx.store.fired(open.record, "tool-unknown")
        || has(&text, "unknown tool")
        || has(&text, "tool not found")
        || has(&text, "connection closed")
        || has(&text, "cancelled");
    if !about_request && !refused && !other && open.cancelled.is_none() {
        let what = if calls::arguments_violate(cx, open) {
            "bad arguments were refused"
        } else {
            "a failure of the tool was sent"
        };
        out.say(format!("{what} as error {code}: {}", short(&text)))
            .pointer("/error/code")
            .expected("a result with isError: true")
            .actual(code.to_string());
    }
}
