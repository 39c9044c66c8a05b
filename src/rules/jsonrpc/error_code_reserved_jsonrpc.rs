//! `error-code-reserved-jsonrpc`: the code is in the range that JSON-RPC reserves.

use super::code_of;
use crate::mcp::Revisions;
use crate::mcp::errors;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "error-code-reserved-jsonrpc",
    layer: Layer::JsonRpc,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((value, code)) = code_of(cx) else { return };
    if (-32768..=-32100).contains(&code) && errors::find(code).is_none() {
        out.say(format!("code {code} is reserved by JSON-RPC and not defined there"))
            .at(value)
            .expected("a standard code, or one outside -32768 to -32000")
            .actual(code.to_string());
    }
}
