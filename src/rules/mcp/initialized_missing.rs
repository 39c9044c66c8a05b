//! `initialized-missing`: notifications/initialized missing.

use super::support::{cut, from_client, is_mixed};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "initialized-missing",
    layer: Layer::Mcp,
    severity: Severity::Error,
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
    let session = cx.session;
    if session.worked_before_initialized
        || session.gap
        || is_mixed(cx)
        || !session.handshake.is_done()
        || session.handshake.initialized.is_some()
        || matches!(message.method, Some(Method::Initialize | Method::Ping))
    {
        return;
    }
    let name = message.method_name().unwrap_or_default();
    out.say(format!("{} came, and no notifications/initialized before it", cut(&name)))
        .expected("notifications/initialized")
        .actual(cut(&name));
}
