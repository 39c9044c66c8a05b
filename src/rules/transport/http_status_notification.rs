//! `http-status-notification`: a notification or response is accepted with something else than an empty 202.

use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::RecordKind;
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-status-notification",
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
    if stream.two_endpoints || !stream.is_method("POST") || stream.messages.is_empty() {
        return;
    }
    let kinds = |r: &u32| cx.store.record(*r).map(|r| r.kind);
    let quiet = stream
        .messages
        .iter()
        .all(|r| matches!(kinds(r), Some(RecordKind::Notification | RecordKind::Response | RecordKind::Error)));
    if !quiet || !stream.exchanges.is_empty() {
        return;
    }
    let what = match stream.messages.first().and_then(kinds) {
        Some(RecordKind::Notification) => "notification",
        _ => "response",
    };
    let body = cx.text.is_some_and(|t| !t.bytes.is_empty());
    if status != 202 {
        out.say(format!("a {what} was answered with {status}")).expected("202").actual(status.to_string());
    } else if body {
        let text = cx.text.map(|t| crate::rules::show::short(&String::from_utf8_lossy(t.bytes))).unwrap_or_default();
        out.say(format!("the 202 to a {what} has a body")).expected("no body").actual(text);
    }
}
