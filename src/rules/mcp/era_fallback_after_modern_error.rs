//! `era-fallback-after-modern-error`: fell back although the server is modern.

use super::support::{cut, from_client, list};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "era-fallback-after-modern-error",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_client(cx).filter(|m| m.is(Method::Initialize)) else { return };
    let Some((_, code)) = cx.session.probe.modern_error else { return };
    // After a modern result it is no fallback from a probe: `init-on-modern-connection`.
    let probing = cx.session.client_modern && !cx.session.probe.modern_result;
    if !probing || cx.session.handshake.request.is_some() {
        return;
    }
    let asked = message.params().and_then(|p| p.get("protocolVersion"));
    let versions = cx.session.server_versions.as_deref().unwrap_or_default();
    if asked.is_some_and(|a| versions.iter().any(|v| a.str_eq(v))) {
        return;
    }
    let draft = out.say(format!(
        "the server answered with {code}, which only a modern server sends, and the client falls back to initialize"
    ));
    let supported: Vec<_> = versions.iter().take(8).map(|v| cut(v)).collect();
    if !supported.is_empty() {
        draft.expected(format!("a request in {}", list(&supported, " or ")));
    }
    draft.actual("initialize");
}
