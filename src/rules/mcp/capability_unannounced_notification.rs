//! `capability-unannounced-notification`: server sends what it did not announce.

use super::support::from_server;
use crate::mcp::{Method, Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "capability-unannounced-notification",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[(Revision::V2024_11_05, Severity::Warning), (Revision::V2025_03_26, Severity::Warning)],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Once,
    tier: 1,
    hooks: &[On::Notification(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    let Some(method) = message.method else { return };
    if !matches!(method, Method::ToolsChanged | Method::PromptsChanged | Method::ResourcesChanged | Method::Log) {
        return;
    }
    let Some(needs) = method.needs(message.revision()) else { return };
    if cx.session.server_caps.as_ref().is_some_and(|c| !c.has_path(needs)) {
        let path = needs.join(".");
        out.say(format!("the server sends {} without having declared {path}", method.name()))
            .expected(format!("{path} in the server's capabilities"))
            .actual("not declared");
    }
}
