//! `tool-name-invalid`: the name of a tool has other characters than it should.

use super::definitions;
use crate::mcp::{Revision, Revisions};
use crate::rules::show::quoted;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "tool-name-invalid",
    layer: Layer::Tool,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_11_25),
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(check)],
};

/// Characters of a name.
const MAX: usize = 128;

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    for tool in definitions::tools(cx) {
        let Some(value) = tool.get("name").filter(|n| n.is_string()) else { continue };
        let name = Value::as_str(value).unwrap_or_default();
        let why = match name.chars().count() {
            0 => "is empty".to_owned(),
            n if n > MAX => format!("has {n} characters"),
            _ => match name.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))) {
                Some(' ') => "has a space".to_owned(),
                Some(c) => format!("has the character {}", quoted(&c.to_string())),
                None => continue,
            },
        };
        out.say(format!("the tool name {} {why}", quoted(&name)))
            .at(value)
            .expected("1 to 128 of A-Z a-z 0-9 _ - .")
            .actual(quoted(&name));
    }
}
