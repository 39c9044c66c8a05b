//! `input-retry-params-changed`: retry changed the original params.

use super::support::{from_client, params_of, retried, same};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Document;

/// See the module.
pub static RULE: Rule = Rule {
    id: "input-retry-params-changed",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (Some(message), Some(waiting)) = (from_client(cx), retried(cx)) else { return };
    if message.method != waiting.method {
        return; // the state of another request: `input-retry-state`
    }
    let Some(params) = message.params() else { return };
    let first = Document::new(waiting.request.clone());
    let Some(first) = params_of(&first) else { return };
    let changed = ["name", "uri", "arguments"].into_iter().find(|m| !same(first.get(m), params.get(m)));
    if let Some(member) = changed {
        let draft = out.say(format!("{member} is not what it was in the request that the retry repeats"));
        match params.get(member) {
            Some(value) => draft.at(value),
            None => draft.missing(params, member),
        };
    }
}
