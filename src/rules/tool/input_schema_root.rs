//! `input-schema-root`: inputSchema is missing or not an object schema.

use super::definitions;
use crate::mcp::Revisions;
use crate::rules::show;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "input-schema-root",
    layer: Layer::Tool,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    for tool in definitions::tools(cx) {
        let name = definitions::name(tool);
        let Some(schema) = tool.get("inputSchema") else {
            out.say(format!("the tool {name} has no inputSchema"))
                .missing(tool, "inputSchema")
                .expected("a schema with type: \"object\"");
            continue;
        };
        match schema.get("type") {
            Some(t) if schema.is_object() && t.str_eq("object") => {}
            Some(t) if schema.is_object() => {
                out.say(format!("inputSchema of {name} has type {} at its root", show::value(t)))
                    .at(t)
                    .expected("\"object\"")
                    .actual(show::value(t));
            }
            _ if schema.is_object() => {
                out.say(format!("inputSchema of {name} has no type at its root"))
                    .missing(schema, "type")
                    .expected("type: \"object\"");
            }
            _ => {
                out.say(format!("inputSchema of {name} is no schema object"))
                    .at(schema)
                    .expected("a schema with type: \"object\"")
                    .actual(show::value(schema));
            }
        }
    }
}
