//! `json-too-deep`: arrays and objects are nested deeper than many parsers go.

use super::readable;
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "json-too-deep",
    layer: Layer::Json,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Text(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(text) = readable(cx) else { return };
    let (depth, limit) = (text.doc.faults().max_depth, cx.options.max_depth);
    if depth > limit {
        out.say(format!("arrays and objects are nested {depth} levels deep"))
            .expected(format!("at most {limit} levels"))
            .actual(depth.to_string());
    }
}
