//! `tool-arguments-accepted-invalid`: the server ran the tool on arguments that violate its schema.

use super::calls;
use crate::mcp::Revisions;
use crate::rules::show::quoted;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "tool-arguments-accepted-invalid",
    layer: Layer::Tool,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (Some(open), Some(result)) = (calls::call(cx), calls::outcome(cx)) else { return };
    if !calls::is_error(result) && calls::arguments_violate(cx, open) {
        let name = quoted(open.target.as_deref().unwrap_or_default());
        out.say(format!("{name} ran on arguments that violate its inputSchema"))
            .expected("isError: true, or error -32602")
            .actual("a result");
    }
}
