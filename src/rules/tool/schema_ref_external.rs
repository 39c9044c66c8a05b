//! `schema-ref-external`: a schema refers to a network address.

use super::definitions;
use crate::mcp::Revisions;
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "schema-ref-external",
    layer: Layer::Tool,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    for (tool, keyword, schema) in definitions::schemas(cx) {
        for (pointer, target) in &cx.schemas.get(schema.raw()).facts().external {
            let name = definitions::name(tool);
            out.say(format!("{keyword} of {name} refers to {}", short(target)))
                .pointer(format!("{}{pointer}", schema.pointer()))
                .expected("a reference within the schema")
                .actual(short(target));
        }
    }
}
