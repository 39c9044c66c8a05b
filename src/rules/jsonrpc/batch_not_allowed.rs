//! `batch-not-allowed`: the message is an array, which only 2025-03-26 has.

use super::batch;
use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "batch-not-allowed",
    layer: Layer::JsonRpc,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::of(&[
        Revision::V2024_11_05,
        Revision::V2025_06_18,
        Revision::V2025_11_25,
        Revision::V2026_07_28,
    ]),
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Text(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(root) = batch(cx) else { return };
    out.say(format!("an array of {} messages in revision {}, which has no batches", root.len(), cx.revision.as_str()))
        .at(root)
        .expected("one message")
        .actual(format!("an array of {}", root.len()));
}
