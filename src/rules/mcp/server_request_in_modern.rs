//! `server-request-in-modern`: server sent a request.

use super::support::{cut, from_server};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "server-request-in-modern",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    // A server that also keeps a handshake session on this wire may mean that one.
    if cx.session.handshake.is_done() && !cx.is_http() {
        return;
    }
    let name = message.method_name().unwrap_or_default();
    let draft = out.say(format!("the server sent the request {}", cut(&name)));
    draft.pointer("/method").actual(cut(&name));
    if message.method.is_some_and(Method::is_input_request) {
        draft.expected("an input_required result with inputRequests");
    } else {
        draft.expected("no request from a server");
    }
}
