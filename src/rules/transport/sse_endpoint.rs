//! `sse-endpoint`: the `endpoint` event is missing, not used or not served.

use crate::mcp::{Revision, Revisions};
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::Stream;
use crate::trace::{Layer, Severity};
use crate::wire::frame::{Http, HttpKind};

/// See the module.
pub static RULE: Rule = Rule {
    id: "sse-endpoint",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::of(&[Revision::V2024_11_05]),
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (Some(http), Some(stream)) = (cx.http, cx.stream) else { return };
    match http.kind {
        HttpKind::Request => posted(http, stream, out),
        HttpKind::Response => served(http, stream, out),
        HttpKind::Sse => first(http, stream, out),
        HttpKind::End => {}
    }
}

/// The client posts where the event says.
fn posted(http: &Http<'_>, stream: &Stream, out: &mut Out<'_>) {
    let Some(endpoint) = stream.before.endpoint.as_deref() else { return };
    let path = http.path.as_deref().unwrap_or_default();
    out.say(format!("the message was posted to {}, the endpoint event says {}", short(path), short(endpoint)))
        .expected(short(endpoint))
        .actual(short(path));
}

/// The server takes POSTs where its event says.
fn served(http: &Http<'_>, stream: &Stream, out: &mut Out<'_>) {
    let Some(status) = http.status.filter(|s| matches!(s, 404 | 405)) else { return };
    if stream.two_endpoints && stream.is_method("POST") {
        let path = stream.path().unwrap_or_default();
        out.say(format!("the address of the endpoint event, {}, answers {status}", short(path)))
            .expected("202")
            .actual(status.to_string());
    }
}

/// The first event names the endpoint.
fn first(http: &Http<'_>, stream: &Stream, out: &mut Out<'_>) {
    let get = stream.is_method("GET") && !stream.before.posted;
    if get && stream.events == 1 && !http.comment && !stream.two_endpoints {
        let name = http.event.as_deref().unwrap_or("message");
        out.say("the stream does not begin with an endpoint event").expected("endpoint").actual(short(name));
    }
}
