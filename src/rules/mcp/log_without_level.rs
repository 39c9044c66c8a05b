//! `log-without-level`: log message nobody asked for.

use super::support::{from_server, sees_all, shown};
use crate::mcp::{Method, Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "log-without-level",
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
    let Some(message) = from_server(cx).filter(|m| m.is(Method::Log)) else { return };
    let logs = &cx.session.logs;
    if logs.forgetful || !sees_all(cx) {
        return;
    }
    if let Some(id) = message.env.params_meta().and_then(|m| m.get(meta::SUBSCRIPTION_ID)) {
        out.say(format!("a log message came on the subscription {}", shown(id))).at(id);
        return;
    }
    // On HTTP it belongs to the request whose stream it came on.
    let asked = match cx.stream.filter(|s| !s.exchanges.is_empty()) {
        Some(stream) => stream.exchanges.iter().any(|e| logs.of(*e).is_some()),
        None => logs.count() > 0,
    };
    if !asked {
        let whose = if cx.is_http() { "the request of this stream has no" } else { "no request in flight has a" };
        out.say(format!("a log message came, and {whose} logLevel"))
            .expected("io.modelcontextprotocol/logLevel in the _meta of the request");
    }
}
