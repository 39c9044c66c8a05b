//! `http-content-type-response`: a request is answered with neither JSON nor an event stream.

use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-content-type-response",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_03_26),
    wire: Wire::Http,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Response) else { return };
    let Some(status) = http.status.filter(|s| (200..300).contains(s)) else { return };
    if stream.two_endpoints || !stream.is_method("POST") || stream.exchanges.is_empty() || stream.is_sse() {
        return;
    }
    let empty = cx.text.is_none_or(|t| t.bytes.is_empty()) && http.cut.is_none();
    if stream.is_json() && !empty {
        return;
    }
    let kind = http.header("content-type").unwrap_or("no Content-Type");
    let body = if empty { " and no body" } else { "" };
    out.say(format!("a request was answered with {status}, {kind}{body}"))
        .expected("application/json with the response, or text/event-stream")
        .actual(format!("{status}, {kind}{body}"));
}
