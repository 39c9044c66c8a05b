//! `output-schema-no-structured`: outputSchema is promised, structuredContent is missing.

use super::calls;
use crate::mcp::{Revision, Revisions};
use crate::rules::schema::Verdict;
use crate::rules::show::{quoted, short};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Document;

/// See the module.
pub static RULE: Rule = Rule {
    id: "output-schema-no-structured",
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

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (Some(open), Some(result)) = (calls::call(cx), calls::outcome(cx)) else { return };
    let structured = result.get("structuredContent").filter(|s| cx.revision.is_modern() || !s.is_null());
    if calls::is_error(result) || structured.is_some() {
        return;
    }
    let name = open.target.as_deref().unwrap_or_default();
    let Some(schema) = calls::listed(cx, name).and_then(|t| t.output_schema()) else { return };
    // What a text block says in JSON is at least looked at.
    let text = calls::first_text(result).and_then(|t| t.as_str()).filter(|t| t.trim_start().starts_with(['{', '[']));
    let aside = text.and_then(|t| {
        let json = Document::new(Box::<[u8]>::from(t.as_bytes()));
        let root = json.doc().root().filter(|_| json.doc().faults().syntax.is_none())?;
        Some(match cx.schemas.check(schema, root) {
            Verdict::Valid => "; the JSON in its text block fits".to_owned(),
            Verdict::Invalid(found) => {
                let v = found.first()?;
                let place = if v.pointer.is_empty() { "its root" } else { v.pointer.as_str() };
                format!(
                    "; the JSON in its text block does not fit: {} is {}, expected {}",
                    short(place),
                    v.actual,
                    v.expected
                )
            }
            Verdict::NotJudged(_) => return None,
        })
    });
    out.say(format!(
        "{} has an outputSchema, its result no structuredContent{}",
        quoted(name),
        aside.unwrap_or_default()
    ))
    .missing(result, "structuredContent")
    .expected("structuredContent that fits outputSchema");
}
