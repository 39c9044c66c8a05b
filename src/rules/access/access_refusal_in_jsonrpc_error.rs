//! `access-refusal-in-jsonrpc-error`: a refusal is sent as a JSON-RPC error with status 200.

use super::refusal;
use crate::mcp::Method;
use crate::mcp::Revisions;
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "access-refusal-in-jsonrpc-error",
    layer: Layer::Access,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::S2c) else { return };
    if cx.stream.and_then(|s| s.status()) != Some(200) || cx.stream.is_some_and(|s| s.two_endpoints) {
        return;
    }
    let Some(text) = message.env.error_message() else { return };
    // What a tool says about the service behind it is no refusal by this server.
    let tool = cx.open.is_some_and(|o| o.method == Some(Method::ToolsCall));
    let refused = if tool { refusal::begins(&text) } else { refusal::is_words(&text) };
    if refused {
        out.say(format!("a refusal came with HTTP status 200: {}", short(&text)))
            .pointer("/error/message")
            .expected("status 401 or 403 with a challenge")
            .actual("200");
    }
}
