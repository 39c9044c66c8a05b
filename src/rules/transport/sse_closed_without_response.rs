//! `sse-closed-without-response`: the server ended a stream while its request is unanswered.

use crate::mcp::Method;
use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::{Dir, HttpEnd, HttpKind};

/// See the module.
pub static RULE: Rule = Rule {
    id: "sse-closed-without-response",
    layer: Layer::Transport,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_03_26),
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::End) else { return };
    let how = http.how.unwrap_or(HttpEnd::Eof);
    if cx.dir != Dir::S2c || matches!(how, HttpEnd::Client | HttpEnd::Timeout) || !stream.is_sse() {
        return;
    }
    let resumable = !cx.revision.is_modern() && stream.event_ids > 0;
    if resumable && (stream.has_retry || cx.revision < Revision::V2025_11_25) {
        return;
    }
    for exchange in &stream.exchanges {
        let Some(e) = cx.store.exchanges.get(*exchange as usize).filter(|e| e.outcome.is_open()) else { continue };
        let method = cx.store.method_of(e).unwrap_or("request");
        if method == Method::Listen.name() && how != HttpEnd::Eof {
            continue;
        }
        let what = if how == HttpEnd::Reset { "broke" } else { "ended" };
        out.say(format!("the event stream {what} before {} was answered", crate::rules::show::short(method)))
            .expected("the response, then the end of the stream");
    }
}
