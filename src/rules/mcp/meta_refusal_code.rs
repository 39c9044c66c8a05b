//! `meta-refusal-code`: missing _meta refused with another code than -32602.

use super::support::{from_server, request_lacked_meta, shown};
use crate::mcp::{Revisions, errors};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "meta-refusal-code",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx).filter(|_| request_lacked_meta(cx)) else { return };
    let Some(value) = message.env.error.and_then(|e| e.get("code")) else { return };
    let judged = !matches!(
        value.as_i64(),
        None | Some(
            errors::INVALID_PARAMS
                | errors::HEADER_MISMATCH
                | errors::UNSUPPORTED_VERSION
                | errors::METHOD_NOT_FOUND
                | errors::PARSE_ERROR
        )
    );
    if judged {
        out.say(format!("a request that lacks a required field of _meta is refused with {}", shown(value)))
            .at(value)
            .expected("-32602")
            .actual(shown(value));
    }
}
