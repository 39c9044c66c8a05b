//! `http-session-demanded`: a request of 2026-07-28 was refused for want of a session.

use crate::mcp::Revisions;
use crate::mcp::{Method, errors, headers, meta};
use crate::rules::show::{has, short};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-session-demanded",
    layer: Layer::Transport,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Http,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::S2c) else { return };
    let (Some(open), Some(stream)) = (cx.open, cx.stream) else { return };
    let code = message.env.error_code().unwrap_or_default();
    if open.method == Some(Method::Discover)
        || errors::is_modern_sign(code)
        || stream.request_header(headers::SESSION_ID).is_some()
    {
        return;
    }
    let complete = cx
        .request_envelope()
        .and_then(|e| e.params_meta())
        .is_some_and(|m| m.get(meta::PROTOCOL_VERSION).is_some() && m.get(meta::CLIENT_CAPABILITIES).is_some());
    let text = message.env.error_message().unwrap_or_default();
    let refused = stream.status().is_some_and(|s| s >= 400);
    let session = has(&text, "mcp-session-id")
        || refused && (has(&text, "session") || has(&text, "initialize first") || has(&text, "not initialized"));
    if complete && session {
        out.say(format!("a complete request was refused for want of a session: {}", short(&text)))
            .pointer("/error/message")
            .expected("the request is served by itself");
    }
}
