//! `capability-declared-not-served`: announced feature is not served.

use super::support::from_server;
use crate::mcp::{Method, Revision, Revisions, errors};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "capability-declared-not-served",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[
        (Revision::V2024_11_05, Severity::Warning),
        (Revision::V2025_03_26, Severity::Warning),
        (Revision::V2025_06_18, Severity::Warning),
        (Revision::V2025_11_25, Severity::Warning),
    ],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    if message.env.error_code() != Some(errors::METHOD_NOT_FOUND) {
        return;
    }
    let Some(method) = cx.request().and_then(|o| o.method) else { return };
    let capability = match method {
        Method::ToolsList => "tools",
        Method::PromptsList => "prompts",
        Method::ResourcesList => "resources",
        _ => return,
    };
    if cx.session.server_caps.as_ref().is_some_and(|c| c.has(capability)) {
        out.say(format!("the server declares {capability}, and does not know {}", method.name()))
            .pointer("/error/code")
            .expected(format!("a result with {}, if need be an empty one", method.list_member().unwrap_or_default()))
            .actual("-32601");
    }
}
