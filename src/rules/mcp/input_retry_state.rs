//! `input-retry-state`: requestState not echoed as it was.

use super::support::{from_client, retried};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "input-retry-state",
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
    let Some(params) = message.params() else { return };
    let state = params.get("requestState");
    match (&waiting.state, state) {
        (None, None) => {}
        (None, Some(state)) => {
            out.say("the retry has a requestState, and the server gave none").at(state).expected("no requestState");
        }
        (Some(_), None) => {
            out.say("the retry lacks the requestState that the server gave")
                .missing(params, "requestState")
                .expected("the requestState of the result, unchanged");
        }
        (Some(given), Some(state)) if !state.str_eq(given) => {
            out.say("the retry has another requestState than the server gave")
                .at(state)
                .expected("the requestState of the result, unchanged");
        }
        (Some(_), Some(state)) => {
            let other = message.method != waiting.method || message.target().as_deref() != waiting.target.as_deref();
            if other {
                let what = waiting.method.map_or("another request", Method::name);
                out.say(format!("the requestState was given for {what}, and is used for another request")).at(state);
            }
        }
    }
}
