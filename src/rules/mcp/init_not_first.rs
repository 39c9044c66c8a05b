//! `init-not-first`: traffic before initialize.

use super::support::{cut, from_client, sees_all};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

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
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_client(cx) else { return };
    let session = cx.session;
    if !sees_all(cx)
        || session.handshake.request.is_some()
        || session.worked_before_initialize
        || matches!(message.method, Some(Method::Initialize | Method::Ping))
    {
        return;
    }
    // A session id that was handed out before the trace began, or HTTP without sessions, says nothing here.
    let resumed = cx.stream.is_some_and(|s| s.request_header(crate::mcp::headers::SESSION_ID).is_some());
    // A probe for the other era is no work.
    let probe = matches!(message.method, Some(Method::Discover));
    if !resumed && !probe {
        let name = message.method_name().unwrap_or_default();
        out.say(format!("{} came before initialize", cut(&name))).expected("initialize").actual(cut(&name));
    }
}
