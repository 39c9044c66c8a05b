//! `deprecated-http-sse`: a stream begins with an `endpoint` event, as in the two-endpoint transport of 2024-11-05.

use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "deprecated-http-sse",
    layer: Layer::Transport,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Http,
    report: Report::Once,
    tier: 2,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, _)) = cx.http_of(HttpKind::Sse) else { return };
    if http.event.as_deref() == Some("endpoint") {
        out.say("the stream opens with an endpoint event: this is the HTTP+SSE transport of 2024-11-05");
    }
}
