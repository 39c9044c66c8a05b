//! `capability-server-undeclared`: server did not announce this feature.

use super::support::from_client;
use crate::mcp::{Method, Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Message, Severity};
use crate::wire::frame::Dir;
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "capability-server-undeclared",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_client(cx) else { return };
    let (Some(caps), Some(method)) = (&cx.session.server_caps, message.method) else { return };
    let revision = message.revision();
    let missing = if method.is_in(revision) && method.way(revision).allows_dir(Dir::C2s) {
        let Some(needs) = method.needs(revision) else { return };
        // Tasks of the client's own requests live at the server; those of the server's requests at the client.
        match caps.has_path(needs) {
            false => needs.join("."),
            true if asks_for_task(message) && !caps.has("tasks.requests.tools.call") => {
                "tasks.requests.tools.call".to_owned()
            }
            true => return,
        }
    } else if let Some(extension) = method.extension(revision) {
        if caps.has_extension(extension) {
            return;
        }
        format!("extensions[\"{extension}\"]")
    } else {
        return;
    };
    let draft =
        out.say(format!("{} needs {missing}, which the server does not list in its capabilities", method.name()));
    draft.expected(format!("{missing} in the server's capabilities")).actual("not declared");
    if method.is_paginated() || revision <= Revision::V2025_03_26 {
        draft.severity(Severity::Info);
    }
}

fn asks_for_task(message: &Message<'_>) -> bool {
    message.is(Method::ToolsCall)
        && message.revision() == Revision::V2025_11_25
        && message.params().is_some_and(|p| p.get("task").is_some_and(Value::is_object))
}
