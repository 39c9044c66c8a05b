//! `http-redirect-followed-by-get`: a redirected POST is followed by a GET, and its message is lost.

use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-redirect-followed-by-get",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::since(Revision::V2025_03_26),
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Request) else { return };
    let Some(redirect) = stream.before.redirect.and_then(|r| cx.store.record(r)) else { return };
    if stream.request_len == 0 {
        let path = http.path.as_deref().unwrap_or_default();
        out.say(format!(
            "the redirect in frame {} was followed with GET {}: the posted message is lost",
            redirect.frame,
            crate::rules::show::short(path)
        ))
        .expected("POST with the message")
        .actual("GET");
    }
}
