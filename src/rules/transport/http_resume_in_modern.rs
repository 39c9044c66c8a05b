//! `http-resume-in-modern`: Last-Event-ID or event ids under a revision that does not resume streams.

use crate::mcp::Revisions;
use crate::mcp::headers;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-resume-in-modern",
    layer: Layer::Transport,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::MODERN,
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let request = cx.http_of(HttpKind::Request);
    if let Some(id) = request.and_then(|(http, _)| http.header(headers::LAST_EVENT_ID)) {
        out.say("the request carries Last-Event-ID: streams of 2026-07-28 cannot be resumed")
            .actual(crate::rules::show::short(id));
    }
    if let Some((http, stream)) = cx.http_of(HttpKind::Sse) {
        // Once a stream.
        if let Some(id) = http.id.as_deref().filter(|_| stream.event_ids == 1 && !http.comment) {
            out.say("events of the stream have ids: streams of 2026-07-28 cannot be resumed")
                .actual(crate::rules::show::short(id));
        }
    }
}
