//! `init-not-first`: traffic before initialize.

use super::support::{cut, from_client, from_server, sees_all};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Outcome, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "init-not-first",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::LEGACY,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(request), On::Error(refused)],
};

fn request(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_client(cx) else { return };
    let session = cx.session;
    // Over HTTP one wire may hold several clients, and servers without sessions: there the answer has to say it.
    if message.is(Method::Initialize) {
        afterwards(cx, out);
        return;
    }
    if cx.is_http()
        || !session.began
        || session.gap
        || session.handshake.request.is_some()
        || session.worked_before_initialize.is_some()
        || matches!(message.method, Some(Method::Ping | Method::Discover))
    {
        return;
    }
    let name = message.method_name().unwrap_or_default();
    out.say(format!("{} came before initialize", cut(&name))).expected("initialize").actual(cut(&name));
}

/// A trace whose beginning is not marked: `initialize` comes now, and what came before it had no success.
fn afterwards(cx: &Cx<'_>, out: &mut Out<'_>) {
    let session = cx.session;
    if cx.is_http() || session.began || !sees_all(cx) || session.handshake.request.is_some() {
        return;
    }
    let Some(early) = session.worked_before_initialize.and_then(|r| cx.store.record(r).map(|e| (r, e))) else { return };
    let failed = !matches!(cx.outcome(early.1.exchange), Some(Outcome::Ok | Outcome::ToolError) | None);
    if failed {
        let name = cx.store.name(early.1.method).unwrap_or_default();
        out.say(format!("{} came before initialize", cut(name))).on(early.0).expected("initialize").actual(cut(name));
    }
}

/// Over HTTP: the server refuses the request because nothing was initialized.
fn refused(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (Some(message), Some(open)) = (from_server(cx), cx.request()) else { return };
    if !cx.is_http() || !sees_all(cx) || cx.session.handshake.request.is_some() {
        return;
    }
    // A session id was handed out before the trace began.
    if cx.stream.is_some_and(|s| s.request_header(crate::mcp::headers::SESSION_ID).is_some()) {
        return;
    }
    let text = message.env.error_message().unwrap_or_default().to_lowercase();
    if text.contains("not initialized") || text.contains("not been initialized") || text.contains("initialize first") {
        let name = cx.store.name(open.name).unwrap_or_default();
        out.say(format!("{} came before initialize", cut(name)))
            .on(open.record)
            .expected("initialize")
            .actual(cut(name));
    }
}
