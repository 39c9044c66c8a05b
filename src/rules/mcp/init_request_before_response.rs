//! `init-request-before-response`: request before the initialize result.

use super::support::{cut, from_client, is_mixed};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "init-request-before-response",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::LEGACY,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_client(cx) else { return };
    let handshake = &cx.session.handshake;
    let open = handshake.request.is_some() && handshake.result.is_none() && handshake.refused.is_none();
    if !open || cx.session.gap || is_mixed(cx) || matches!(message.method, Some(Method::Initialize | Method::Ping)) {
        return;
    }
    // A request that was refused on HTTP has no result to wait for.
    if handshake.exchange.is_some_and(|e| cx.session.open(e).is_none_or(|o| o.cancelled.is_some())) {
        return;
    }
    let name = message.method_name().unwrap_or_default();
    out.say(format!("{} came while initialize was unanswered", cut(&name))).expected("nothing but ping");
}
