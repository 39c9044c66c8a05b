//! `http-session-in-modern`: Mcp-Session-Id under a revision without sessions.

use crate::mcp::Revisions;
use crate::mcp::headers;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-session-in-modern",
    layer: Layer::Transport,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::MODERN,
    wire: Wire::Http,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(http) = cx.http.filter(|h| matches!(h.kind, HttpKind::Request | HttpKind::Response)) else { return };
    if http.header(headers::SESSION_ID).is_none() || !cx.session.server_modern {
        return;
    }
    let who = if http.kind == HttpKind::Request { "the client sends" } else { "the server sends" };
    out.say(format!("{who} Mcp-Session-Id, which 2026-07-28 does not have"));
}
