//! `init-on-modern-connection`: initialize after modern answers.

use super::support::from_client;
use crate::mcp::{Method, Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "init-on-modern-connection",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    if from_client(cx).is_none_or(|m| !m.is(Method::Initialize)) || !cx.session.probe.modern_result {
        return;
    }
    // A server that lists only handshake revisions wants just this.
    let versions = cx.session.server_versions.as_deref().unwrap_or_default();
    let only_legacy =
        !versions.is_empty() && versions.iter().all(|v| Revision::parse(v).is_some_and(|r| !r.is_modern()));
    if only_legacy || cx.session.handshake.request.is_some() {
        return;
    }
    let draft = out.say("the client sends initialize to a server that has answered its modern requests");
    draft.expected("requests with _meta, as before");
    if cx.is_http() {
        draft.severity(Severity::Info);
    }
}
