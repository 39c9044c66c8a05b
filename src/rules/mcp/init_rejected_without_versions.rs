//! `init-rejected-without-versions`: initialize refused without naming versions.

use super::support::from_server;
use crate::mcp::{Method, Revisions, errors};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Message, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "init-rejected-without-versions",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    if cx.request().is_none_or(|o| o.method != Some(Method::Initialize)) {
        return;
    }
    // Every server of the older revisions knows initialize; one that does not is newer.
    let code = message.env.error_code();
    let modern =
        cx.session.server_modern || code == Some(errors::METHOD_NOT_FOUND) || code.is_some_and(errors::is_modern_sign);
    if !modern || names_a_version(message) {
        return;
    }
    let draft = out.say("the server refuses initialize, and does not say which versions it speaks");
    draft.expected("the versions in message or data.supported");
    if let Some(error) = message.env.error {
        draft.at(error);
    }
}

fn names_a_version(message: &Message<'_>) -> bool {
    let Some(error) = message.env.error else { return true };
    let raw = error.raw();
    let dates = memchr::memmem::find_iter(raw, b"20").take(1000);
    dates.into_iter().any(|at| {
        raw.get(at..at + 10).and_then(|d| std::str::from_utf8(d).ok()).is_some_and(crate::mcp::revision::is_date)
    })
}
