//! `structured-content-without-text`: structuredContent comes without a text block.

use super::calls;
use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "structured-content-without-text",
    layer: Layer::Tool,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_06_18),
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(result) = calls::outcome(cx) else { return };
    let Some(content) = result.get("content").filter(|c| c.is_array()) else { return };
    if result.get("structuredContent").is_none_or(|s| s.is_null()) {
        return;
    }
    let mut text = content.elements().filter(|b| b.get("type").is_some_and(|t| t.str_eq("text")));
    if text.next().is_none() {
        let others = content.len();
        let draft = out.say(match others {
            0 => "structuredContent comes with an empty content".to_owned(),
            _ => "structuredContent comes without a text block".to_owned(),
        });
        draft.at(content).expected("a text block with the same data").actual(format!("{others} other blocks"));
        if others > 0 {
            draft.severity(Severity::Info);
        }
    }
}
