//! `sse-buffering-header`: an event stream without X-Accel-Buffering: no.

use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "sse-buffering-header",
    layer: Layer::Transport,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Http,
    report: Report::Once,
    tier: 3,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Response) else { return };
    if !stream.is_sse() {
        return;
    }
    match http.header("x-accel-buffering") {
        Some(v) if v.trim().eq_ignore_ascii_case("no") => {}
        other => {
            out.say("the event stream comes without X-Accel-Buffering: no")
                .expected("no")
                .actual(other.unwrap_or("missing"));
        }
    }
}
