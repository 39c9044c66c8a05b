//! `sse-wrong-stream`: a message travels on another stream than its request.

use crate::mcp::{Method, headers};
use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::How;
use crate::trace::{Layer, Severity};
use crate::wire::frame::{Dir, HttpKind};
use crate::wire::id::Id;

/// See the module.
pub static RULE: Rule = Rule {
    id: "sse-wrong-stream",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_03_26),
    wire: Wire::Http,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Message(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::S2c && !m.replay) else { return };
    let Some(stream) = cx.stream.filter(|s| !s.two_endpoints && s.request.is_some()) else { return };
    if message.http.is_none_or(|h| h.kind != HttpKind::Sse) {
        return;
    }
    let resumes = stream.request_header(headers::LAST_EVENT_ID).is_some();
    let modern = cx.revision.is_modern();
    if resumes && !modern {
        return;
    }
    let here = if stream.is_method("GET") { "the GET stream".to_owned() } else { format!("stream {}", stream.number) };
    if message.kind.is_response() {
        let Some(open) = cx.open.filter(|_| cx.answer().is_some_and(|a| a.how == How::Id)) else { return };
        if open.stream != stream.number {
            out.say(format!("the response came on {here}, the request was made on stream {}", open.stream))
                .expected(format!("stream {}", open.stream))
                .actual(here);
        }
        return;
    }
    match message.method {
        Some(Method::Progress) => {
            let token = message.params().and_then(|p| p.get("progressToken")).map(Id::read);
            let Some(token) = token.and_then(|t| cx.session.tokens.get(Dir::C2s, &t.text)) else { return };
            let asked = cx.store.exchanges.get(token.exchange as usize).and_then(|e| cx.store.record(e.request));
            let Some(asked) = asked.filter(|r| !token.task && r.stream != stream.number) else { return };
            let draft = out.say(format!("progress came on {here}, the request was made on stream {}", asked.stream));
            draft.expected(format!("stream {}", asked.stream)).actual(here);
            if !modern {
                draft.severity(Severity::Warning);
            }
        }
        Some(Method::Log) if modern && listens(cx, stream.exchanges.first().copied()) => {
            out.say("a log message came on the stream of a subscription")
                .expected("the stream of the request that asked for it")
                .actual(here);
        }
        Some(Method::ToolsChanged | Method::PromptsChanged | Method::ResourcesChanged | Method::ResourceUpdated)
            if modern =>
        {
            if !stream.exchanges.is_empty() && !listens(cx, stream.exchanges.first().copied()) {
                out.say("a change notification came on the stream of a request")
                    .expected("the stream of subscriptions/listen")
                    .actual(here);
            }
        }
        _ => {}
    }
}

/// Whether an exchange is a `subscriptions/listen`.
fn listens(cx: &Cx<'_>, exchange: Option<u32>) -> bool {
    let exchange = exchange.and_then(|e| cx.store.exchanges.get(e as usize));
    exchange.and_then(|e| cx.store.method_of(e)) == Some(Method::Listen.name())
}
