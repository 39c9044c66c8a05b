//! `http-get-status`: a GET on the endpoint is answered by neither an event stream nor 405.

use crate::mcp::headers;
use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-get-status",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[(Revision::V2026_07_28, Severity::Warning)],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_03_26),
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Response) else { return };
    let (get, delete) = (stream.is_method("GET"), stream.is_method("DELETE"));
    let Some(status) = http.status else { return };
    let before = &stream.before;
    if !(get || delete) || !before.posted || before.redirect.is_some() || stream.two_endpoints {
        return;
    }
    let success = (200..300).contains(&status);
    if cx.revision.is_modern() {
        if success {
            let method = if get { "GET" } else { "DELETE" };
            out.say(format!("{method} on the MCP endpoint was answered with {status}"))
                .expected("405")
                .actual(status.to_string());
        }
        return;
    }
    if delete {
        return;
    }
    if success && !stream.is_sse() {
        let kind = http.header("content-type").unwrap_or("no Content-Type");
        out.say(format!("GET on the MCP endpoint was answered with {status} and {kind}"))
            .expected("text/event-stream, or 405")
            .actual(format!("{status}, {kind}"));
    } else if status == 404 && stream.request_header(headers::SESSION_ID).is_none() {
        out.say("GET on the MCP endpoint was answered with 404").expected("text/event-stream, or 405").actual("404");
    }
}
