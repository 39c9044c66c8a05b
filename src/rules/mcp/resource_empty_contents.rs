//! `resource-empty-contents`: resources/read returned no contents.

use super::support::{cut, is_complete, modern_result};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "resource-empty-contents",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((_, result)) = modern_result(cx) else { return };
    let Some(open) = cx.request().filter(|o| o.method == Some(Method::ResourcesRead)) else { return };
    let Some(contents) = result.get("contents").filter(|c| c.is_array() && c.is_empty()) else { return };
    if is_complete(result) {
        let uri = open.target.as_deref().unwrap_or_default();
        out.say(format!("the contents of \"{}\" are an empty array", cut(uri)))
            .at(contents)
            .expected("error -32602 for a missing resource, one entry with empty text for an empty one")
            .actual("[]");
    }
}
