//! `x-mcp-header-invalid`: an x-mcp-header annotation breaks the rules.

use super::definitions;
use crate::mcp::Revisions;
use crate::mcp::{headers, param_headers};
use crate::rules::show;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "x-mcp-header-invalid",
    layer: Layer::Tool,
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
    for tool in definitions::tools(cx) {
        let Some(schema) = tool.get("inputSchema").filter(|s| s.is_object()) else { continue };
        if memchr::memmem::find(schema.raw(), headers::ANNOTATION.as_bytes()).is_none() {
            continue;
        }
        for (value, fault) in param_headers::annotations(schema).faults {
            let name = definitions::name(tool);
            out.say(format!("x-mcp-header {} of {name}: {}", show::value(value), fault.as_str()))
                .at(value)
                .expected("a unique HTTP token on a string, integer or boolean")
                .actual(show::value(value));
        }
    }
}
