//! `http-status-error`: an error goes with the wrong HTTP status.

use crate::mcp::Revisions;
use crate::mcp::{errors, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::{Dir, HttpKind};

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-status-error",
    layer: Layer::Transport,
    severity: Severity::Error,
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
    let (Some(code), Some(stream), Some(http)) = (message.env.error_code(), cx.stream, cx.http) else { return };
    let Some(status) = stream.status() else { return };
    // What a handler finds out after its stream has begun can only be said on the stream.
    let streamed = http.kind == HttpKind::Sse;
    let want = match code {
        errors::HEADER_MISMATCH | errors::UNSUPPORTED_VERSION => 400,
        errors::MISSING_CLIENT_CAPABILITY if !streamed => 400,
        errors::METHOD_NOT_FOUND => 404,
        errors::INVALID_PARAMS if !streamed && lacks_meta(cx) => 400,
        _ => return,
    };
    if status != want {
        let name = errors::name(code, cx.revision).unwrap_or("error");
        out.say(format!("{code} ({name}) was sent with HTTP status {status}"))
            .pointer("/error/code")
            .expected(want.to_string())
            .actual(status.to_string());
    }
}

/// The refused request does not say its version or capabilities.
fn lacks_meta(cx: &Cx<'_>) -> bool {
    let Some(request) = cx.request_envelope() else { return false };
    let Some(m) = request.params_meta() else { return true };
    m.get(meta::PROTOCOL_VERSION).is_none() || m.get(meta::CLIENT_CAPABILITIES).is_none()
}
