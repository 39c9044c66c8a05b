//! `http-session-missing`: a request does not carry the session id that the server handed out.

use crate::mcp::headers;
use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-session-missing",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::of(&[Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25]),
    wire: Wire::Http,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Request) else { return };
    let Some(id) = cx.session.session_id.as_deref() else { return };
    let known = ["POST", "GET", "DELETE"].iter().any(|m| stream.is_method(m));
    if !known || !stream.before.posted || stream.before.session_over || stream.before.redirect.is_some() {
        return;
    }
    match http.header(headers::SESSION_ID) {
        None => {
            out.say("the request has no Mcp-Session-Id, although the server handed one out")
                .expected("the session id")
                .actual("missing");
        }
        Some(sent) if sent.trim() != id && cx.session.began => {
            out.say("Mcp-Session-Id is not the one that the server handed out")
                .expected("the session id")
                .actual("another one");
        }
        Some(_) => {}
    }
}
