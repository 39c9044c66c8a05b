//! `http-get-in-modern`: a GET or DELETE on the endpoint under a revision that takes POST only.

use crate::mcp::headers;
use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-get-in-modern",
    layer: Layer::Transport,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::MODERN,
    wire: Wire::Http,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Request) else { return };
    let method = match http.method.as_deref() {
        Some(m) if m.eq_ignore_ascii_case("GET") => "GET",
        Some(m) if m.eq_ignore_ascii_case("DELETE") => "DELETE",
        _ => return,
    };
    let says = http.header(headers::PROTOCOL_VERSION).is_some_and(|v| v.trim() == Revision::V2026_07_28.as_str());
    let listens = http.header("accept").is_some_and(|a| a.to_ascii_lowercase().contains("text/event-stream"));
    let of_session = method == "DELETE" && http.header(headers::SESSION_ID).is_some();
    // Metadata look-ups carry the version too.
    if (says || stream.before.posted) && (listens || of_session) {
        out.say(format!("{method} on the MCP endpoint: 2026-07-28 takes POST only")).expected("POST").actual(method);
    }
}
