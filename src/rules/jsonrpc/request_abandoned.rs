//! `request-abandoned`: a request was given up after a long wait without a sign of life.

use super::seconds;
use crate::mcp::Method;
use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::Open;
use crate::trace::{Layer, Severity};
use crate::wire::frame::{Dir, HttpEnd, HttpKind};
use crate::wire::id::Id;
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "request-abandoned",
    layer: Layer::JsonRpc,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Responder,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Notification(check), On::Http(check_http)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.is(Method::Cancelled)) else { return };
    let Some(id) = message.params().and_then(|p| p.get("requestId")).map(Id::read) else { return };
    let Some(open) = cx.session.by_id(message.dir, &id).and_then(|e| cx.session.open(e)) else { return };
    let reason = message.params().and_then(|p| p.get("reason")).and_then(Value::as_str).unwrap_or_default();
    let reason = reason.to_ascii_lowercase();
    let timeout = reason.contains("timeout") || reason.contains("timed out") || reason.contains("time out");
    say(cx, out, open, timeout);
}

/// Over HTTP, in 2026-07-28, closing the response stream cancels.
fn check_http(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (Some(http), Some(stream)) = (cx.http, cx.stream) else { return };
    if http.kind != HttpKind::End || !(http.how == Some(HttpEnd::Client) || cx.dir == Dir::C2s) {
        return;
    }
    for open in stream.exchanges.iter().take(64).filter_map(|e| cx.session.open(*e)) {
        if open.judged.revision.is_modern() {
            say(cx, out, open, false);
        }
    }
}

fn say(cx: &Cx<'_>, out: &mut Out<'_>, open: &Open, timeout: bool) {
    let waited = cx.t - open.t;
    let long = timeout || waited >= cx.options.min_wait_ms * 1000;
    if !long || open.heard.is_some() || open.cancelled.is_some() || open.method == Some(Method::Listen) {
        return;
    }
    let name = cx.store.name(open.name).unwrap_or("the request");
    let text = format!(
        "{} (id {}) was given up after {} without an answer, progress or log message",
        cut(name, 60),
        cut(&open.id.text, 60),
        seconds(waited)
    );
    out.say(text).on(open.record).expected("an answer, or progress");
}
