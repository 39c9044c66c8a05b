//! `http-session-status`: an unknown session is refused with something else than 404.

use crate::mcp::headers;
use crate::mcp::{Revision, Revisions};
use crate::rules::show::{has, short};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-session-status",
    layer: Layer::Transport,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::of(&[Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25]),
    wire: Wire::Http,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Response) else { return };
    let Some(status) = http.status.filter(|s| matches!(s, 400 | 402 | 405..=599)) else { return };
    if stream.request_header(headers::SESSION_ID).is_none() || stream.two_endpoints {
        return;
    }
    let Some(text) = cx.text else { return };
    let error = text.doc.root().and_then(|r| r.get("error"));
    let said = match error.and_then(|e| e.get("message")).and_then(|m| m.as_str()) {
        Some(message) => message.into_owned(),
        None => String::from_utf8_lossy(&text.bytes[..text.bytes.len().min(2000)]).into_owned(),
    };
    // "A session id is required" is about an id that was lost on the way, not about an unknown one.
    let lost = ["required", "missing", "not initialized"].iter().any(|w| has(&said, w));
    if has(&said, "session") && !lost {
        out.say(format!("a session was refused with {status}: {}", short(&said)))
            .expected("404")
            .actual(status.to_string());
    }
}
