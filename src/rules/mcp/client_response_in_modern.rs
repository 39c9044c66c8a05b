//! `client-response-in-modern`: client sent a response.

use super::support::{cut, from_client};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "client-response-in-modern",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(check), On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_client(cx) else { return };
    let what = if message.env.error.is_some() { "an error" } else { "a result" };
    let id = message.id().map_or_else(|| "no id".to_owned(), |id| format!("id {}", cut(&id.text)));
    out.say(format!("the client sends {what} with {id}, and no server may ask it anything"))
        .expected("inputResponses in a retry of the client's own request");
}
