//! `schema-too-complex`: a schema passes the limits for depth or number of subschemas.

use super::definitions;
use crate::mcp::Revisions;
use crate::rules::schema::MAX_SCHEMA_BYTES;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "schema-too-complex",
    layer: Layer::Tool,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (depth, count) = (cx.options.schema_max_depth, cx.options.schema_max_subschemas);
    for (tool, keyword, schema) in definitions::schemas(cx) {
        let compiled = cx.schemas.get(schema.raw());
        let facts = compiled.facts();
        let bytes = schema.raw().len();
        let (what, limit) = if facts.depth > depth {
            (format!("{} levels of subschemas", facts.depth), depth.to_string())
        } else if facts.subschemas > count {
            (format!("{} subschemas", facts.subschemas), count.to_string())
        } else if bytes > MAX_SCHEMA_BYTES {
            (format!("{bytes} bytes"), MAX_SCHEMA_BYTES.to_string())
        } else {
            continue;
        };
        let name = definitions::name(tool);
        out.say(format!("{keyword} of {name} has {what}")).at(schema).expected(format!("at most {limit}")).actual(what);
    }
}
