//! `sse-event-invalid`: an event holds no JSON-RPC message.

use crate::mcp::{Revision, Revisions};
use crate::rules::show;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::envelope::{Envelope, MessageKind};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "sse-event-invalid",
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
    let Some((http, _)) = cx.http_of(HttpKind::Sse) else { return };
    let Some(text) = cx.text.filter(|_| !http.comment) else { return };
    let name = http.event.as_deref().unwrap_or("message");
    let blank = text.bytes.iter().all(u8::is_ascii_whitespace);
    if name == "endpoint" || blank && name == "message" {
        return;
    }
    let shown = || show::short(&String::from_utf8_lossy(&text.bytes[..text.bytes.len().min(400)]));
    if name != "message" {
        out.say(format!("an event named {}: clients look at events of type message only", show::quoted(name)))
            .expected("message")
            .actual(show::short(name));
        return;
    }
    let clean = text.doc.faults().syntax.is_none();
    let message = text.doc.root().filter(|_| clean).is_some_and(|root| {
        let first = if root.is_array() { root.index(0).unwrap_or(root) } else { root };
        let e = Envelope::read(first);
        e.kind != MessageKind::Unrecognised || e.jsonrpc.is_some()
    });
    if !message {
        out.say(format!("an event holds {}, which is no JSON-RPC message", shown()))
            .expected("one JSON-RPC message")
            .actual(shown());
    }
}
