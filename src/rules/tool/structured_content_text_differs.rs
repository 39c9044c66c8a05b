//! `structured-content-text-differs`: the text copy is JSON, but not the same value.

use super::calls;
use crate::mcp::{Revision, Revisions};
use crate::rules::same::same;
use crate::rules::show;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::{Document, Value};

/// See the module.
pub static RULE: Rule = Rule {
    id: "structured-content-text-differs",
    layer: Layer::Tool,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_06_18),
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Result(check)],
};

/// Bytes of a text block that are compared.
const MAX: usize = 1 << 20;

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(result) = calls::outcome(cx) else { return };
    let (Some(structured), Some(content)) = (result.get("structuredContent"), result.get("content")) else { return };
    let mut texts = content.elements().filter(|b| b.get("type").is_some_and(|t| t.str_eq("text")));
    let (Some(only), None) = (texts.next(), texts.next()) else { return };
    let Some(text) = only.get("text").filter(|t| t.raw().len() <= MAX) else { return };
    let Some(said) = text.as_str().filter(|t| t.trim_start().starts_with(['{', '['])) else { return };
    let json = Document::new(Box::<[u8]>::from(said.as_bytes()));
    let faults = json.doc().faults();
    let Some(copy) = json.doc().root().filter(|_| faults.syntax.is_none() && !faults.trailing) else { return };
    if !same(copy, structured) && !wrapped(structured, copy) {
        out.say(format!("the text block says {}, structuredContent {}", show::value(copy), show::value(structured)))
            .at(text)
            .expected(show::value(structured))
            .actual(show::value(copy));
    }
}

/// A value in an object with one member, as frameworks wrap what is no object; a list of one as its element.
fn wrapped(structured: Value<'_>, copy: Value<'_>) -> bool {
    if structured.len() != 1 || !structured.is_object() {
        return false;
    }
    let Some((_, inner)) = structured.members().next() else { return false };
    same(inner, copy) || inner.len() == 1 && inner.index(0).is_some_and(|one| same(one, copy))
}
