//! `era-fallback`: fell back to the initialize handshake.

use super::support::{from_client, shown};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "era-fallback",
    layer: Layer::Mcp,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_client(cx).filter(|m| m.is(Method::Initialize)) else { return };
    let session = cx.session;
    if session.client_modern && !session.server_modern && session.handshake.request.is_none() {
        let version = message.params().and_then(|p| p.get("protocolVersion")).map(shown).unwrap_or_default();
        out.say(format!("no modern answer came to the client's probe: it goes on with initialize, version {version}"));
    }
}
