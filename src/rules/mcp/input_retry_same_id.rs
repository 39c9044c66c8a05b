//! `input-retry-same-id`: retry uses the old id.

use super::support::{cut, from_client, retried};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "input-retry-same-id",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (Some(message), Some(waiting)) = (from_client(cx), retried(cx)) else { return };
    if message.id().is_some_and(|id| id == waiting.id) {
        out.say(format!("the retry has the id {} of the request that it repeats", cut(&waiting.id.text)))
            .pointer("/id")
            .expected("an id that was not used before")
            .actual(cut(&waiting.id.text));
    }
}
