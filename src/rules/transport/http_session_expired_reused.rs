//! `http-session-expired-reused`: a session id is used after the session has ended.

use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-session-expired-reused",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::of(&[Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25]),
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((_, stream)) = cx.http_of(HttpKind::Request) else { return };
    let Some(ended) = stream.before.expired.and_then(|r| cx.store.record(r)) else { return };
    // Requests that were on their way when the session ended are no reuse.
    if stream.is_method("DELETE") {
        return;
    }
    let status = cx.store.http.get(&stream.before.expired.unwrap_or_default()).and_then(|h| h.status);
    let how = if status == Some(404) { "answered with 404" } else { "ended with DELETE" };
    let frame = ended.frame;
    out.say(format!("the request uses a session that was {how} in frame {frame}"))
        .expected("initialize without Mcp-Session-Id");
}
