//! `input-retry-missing-responses`: retry without the requested input.

use super::support::{cut, from_client, list, retried};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "input-retry-missing-responses",
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
    let Some(params) = message.params().filter(|_| !waiting.keys.is_empty()) else { return };
    let responses = params.get("inputResponses");
    let missing: Vec<_> = waiting
        .keys
        .iter()
        .filter(|k| responses.is_none_or(|r| r.is_object() && r.get(k).is_none()))
        .map(|k| cut(k))
        .collect();
    if missing.is_empty() {
        return;
    }
    let draft =
        out.say(format!("the retry brings no answer to \"{}\"", list(&missing[..missing.len().min(5)], "\" and \"")));
    draft.expected("an answer to each of inputRequests");
    match responses {
        Some(responses) => draft.missing(responses, &missing[0]),
        None => draft.missing(params, "inputResponses"),
    };
}
