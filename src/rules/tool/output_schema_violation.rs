//! `output-schema-violation`: structuredContent violates outputSchema.

use super::calls;
use crate::mcp::{Revision, Revisions};
use crate::rules::schema::Verdict;
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "output-schema-violation",
    layer: Layer::Tool,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_06_18),
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(check)],
};

/// Violations of one result that are reported.
const MAX: usize = 20;

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (Some(open), Some(result)) = (calls::call(cx), calls::outcome(cx)) else { return };
    let Some(structured) = result.get("structuredContent").filter(|_| !calls::is_error(result)) else { return };
    let name = open.target.as_deref().unwrap_or_default();
    let Some(schema) = calls::listed(cx, name).and_then(|t| t.output_schema()) else { return };
    match cx.schemas.check(schema, structured) {
        Verdict::Valid => {}
        Verdict::NotJudged(why) => out.not_judged(why),
        Verdict::Invalid(found) => {
            for v in found.iter().take(MAX) {
                let place = short(&format!("structuredContent{}", v.pointer));
                out.say(format!("{}: {place} is {}, expected {}", short(name), v.actual, v.expected))
                    .pointer(format!("{}{}", structured.pointer(), v.pointer))
                    .expected(v.expected.clone())
                    .actual(v.actual.clone());
            }
        }
    }
}
