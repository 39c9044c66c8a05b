//! `schema-dialect-unsupported`: a schema is written in a dialect that is not supported.

use super::definitions;
use crate::mcp::Revisions;
use crate::rules::schema::same_dialect;
use crate::rules::show::{quoted, short};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "schema-dialect-unsupported",
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
    for (tool, keyword, schema) in definitions::schemas(cx) {
        let compiled = cx.schemas.get(schema.raw());
        let Some(declared) = compiled.facts().declared.as_deref() else { continue };
        if cx.options.dialects.iter().any(|d| same_dialect(d, declared)) {
            continue;
        }
        let name = definitions::name(tool);
        let draft = out.say(format!("{keyword} of {name} is written in the dialect {}", quoted(declared)));
        draft.expected(cx.options.dialects.first().cloned().unwrap_or_default()).actual(short(declared));
        if let Some(value) = schema.get("$schema") {
            draft.at(value);
        }
    }
}
