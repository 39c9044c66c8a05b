//! `schema-invalid`: a schema of a tool is not valid JSON Schema.

use super::definitions;
use crate::mcp::{Revision, Revisions};
use crate::rules::schema::Unusable;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "schema-invalid",
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
    for (tool, keyword, schema) in definitions::schemas(cx) {
        let compiled = cx.schemas.get(schema.raw());
        match compiled.unusable() {
            None => {}
            // Which dialect holds without `$schema` is said from 2025-11-25 on.
            Some(Unusable::Invalid { .. }) if cx.revision < Revision::V2025_11_25 && compiled.fits_draft7() => {
                out.not_judged("without $schema this revision names no dialect; the schema fits draft-07");
            }
            Some(Unusable::NotJudged(why)) => out.not_judged(why.clone()),
            Some(Unusable::Invalid { pointer, why }) => {
                let name = definitions::name(tool);
                let place = if pointer.is_empty() { "its root" } else { pointer };
                out.say(format!("{keyword} of {name} is not valid at {}: {why}", crate::rules::show::short(place)))
                    .pointer(format!("{}{pointer}", schema.pointer()));
            }
        }
    }
}
