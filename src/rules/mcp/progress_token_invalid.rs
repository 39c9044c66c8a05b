//! `progress-token-invalid`: progressToken has a bad type or is in use.

use super::support::{cut, shown};
use crate::mcp::{Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::id::Id;

/// See the module.
pub static RULE: Rule = Rule {
    id: "progress-token-invalid",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg() else { return };
    let Some(token) = message.env.params_meta().and_then(|m| m.get(meta::PROGRESS_TOKEN)) else { return };
    if !token.is_string() && !token.is_integer() {
        out.say(format!("the progress token is {}", shown(token)))
            .at(token)
            .expected("a string or an integer")
            .actual(shown(token));
        return;
    }
    let other = cx.session.tokens.get(message.dir, &Id::read(token).text).map(|t| t.exchange);
    let other = other.and_then(|e| cx.session.open(e)).filter(|o| o.cancelled.is_none());
    // An id that is in use twice is another finding, and the token often follows it.
    if let Some(other) = other.filter(|o| message.id().is_none_or(|id| id != o.id)) {
        out.say(format!(
            "request {}, still in flight, has the progress token {} too",
            cut(&other.id.text),
            shown(token)
        ))
        .at(token)
        .expected("a token that no request in flight has")
        .actual(shown(token));
    }
}
