//! `subscription-id-missing`: change notification without subscriptionId.

use super::support::{cut, from_server, list};
use crate::mcp::{Method, Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "subscription-id-missing",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Notification(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    let Some(method) = message.method else { return };
    let of_subscription = matches!(
        method,
        Method::Acknowledged
            | Method::ToolsChanged
            | Method::PromptsChanged
            | Method::ResourcesChanged
            | Method::ResourceUpdated
            | Method::TasksChanged
    );
    if !of_subscription || cx.session.listens.is_empty() {
        return;
    }
    if message.env.params_meta().and_then(|m| m.get(meta::SUBSCRIPTION_ID)).is_some() {
        return;
    }
    let draft = out.say(format!("{} does not say which subscription it belongs to", method.name()));
    let open: Vec<_> = cx.session.listens.iter().take(4).map(|(_, id)| cut(&id.text)).collect();
    draft.expected(format!("io.modelcontextprotocol/subscriptionId with {}", list(&open, " or ")));
    match (message.env.params_meta(), message.params()) {
        (Some(meta), _) if meta.is_object() => draft.missing(meta, meta::SUBSCRIPTION_ID),
        (_, Some(params)) if params.is_object() => draft.missing(params, "_meta"),
        _ => draft.missing(message.env.root, "params"),
    };
}
