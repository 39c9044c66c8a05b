//! `resource-not-found-code`: wrong code for a missing resource.

use super::support::{cut, from_server, shown};
use crate::mcp::{Method, Revision, Revisions, errors};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "resource-not-found-code",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[
        (Revision::V2024_11_05, Severity::Warning),
        (Revision::V2025_03_26, Severity::Warning),
        (Revision::V2025_06_18, Severity::Warning),
        (Revision::V2025_11_25, Severity::Warning),
    ],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    if cx.request().is_none_or(|o| o.method != Some(Method::ResourcesRead)) {
        return;
    }
    let Some(value) = message.env.error.and_then(|e| e.get("code")) else { return };
    let Some(code) = value.as_i64() else { return };
    let right = if message.revision().is_modern() { errors::INVALID_PARAMS } else { errors::RESOURCE_NOT_FOUND };
    // An unknown method is another matter, and -32002 in 2026-07-28 is `error-code-retired`.
    if code == right || matches!(code, errors::METHOD_NOT_FOUND | errors::RESOURCE_NOT_FOUND) {
        return;
    }
    let text = message.env.error_message().unwrap_or_default().to_lowercase();
    let text = text.as_str();
    let missing = ["not found", "notfound", "unknown resource", "no such", "does not exist", "doesn't exist"];
    if missing.iter().any(|w| text.contains(w)) && !text.contains("method not found") {
        out.say(format!("\"{}\" has the code {}", cut(&message.env.error_message().unwrap_or_default()), shown(value)))
            .at(value)
            .expected(right.to_string())
            .actual(shown(value));
    }
}
