//! `protocol-error-for-bad-arguments`: bad arguments are refused as a JSON-RPC error.

use super::calls;
use crate::mcp::errors;
use crate::mcp::{Revision, Revisions};
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "protocol-error-for-bad-arguments",
    layer: Layer::Tool,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_11_25),
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (Some(open), Some(message)) = (calls::call(cx), cx.msg()) else { return };
    if message.env.error_code() == Some(errors::INVALID_PARAMS) && calls::arguments_violate(cx, open) {
        let text = message.env.error_message().unwrap_or_default();
        out.say(format!("bad arguments were refused with -32602: {}", short(&text)))
            .pointer("/error/code")
            .expected("a result with isError: true")
            .actual("-32602");
    }
}
