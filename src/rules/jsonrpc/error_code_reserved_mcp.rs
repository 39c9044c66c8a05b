//! `error-code-reserved-mcp`: the code is in the range that MCP owns.

use super::code_of;
use crate::mcp::Revisions;
use crate::mcp::errors;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "error-code-reserved-mcp",
    layer: Layer::JsonRpc,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((value, code)) = code_of(cx) else { return };
    if (-32099..=-32020).contains(&code) && errors::find(code).is_none() {
        out.say(format!("code {code} is in the range -32020 to -32099, which only the MCP specification may define"))
            .at(value)
            .expected("-32020, -32021, -32022, or a code outside -32768 to -32000")
            .actual(code.to_string());
    }
}
