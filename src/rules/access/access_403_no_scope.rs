//! `access-403-no-scope`: a 403 does not say which scope is missing.

use crate::mcp::{Revision, Revisions};
use crate::rules::show::{has, short};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "access-403-no-scope",
    layer: Layer::Access,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_11_25),
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Response) else { return };
    if http.status != Some(403) || !stream.before.posted || stream.request_header("origin").is_some() {
        return;
    }
    // The refusal of a foreign host is the other meaning of 403.
    let body = cx.text.map(|t| String::from_utf8_lossy(&t.bytes[..t.bytes.len().min(2000)]).into_owned());
    if body.is_some_and(|b| has(&b, "origin") || has(&b, "host header") || has(&b, "invalid host")) {
        return;
    }
    let challenge = http.header("www-authenticate").unwrap_or_default();
    if has(challenge, "insufficient_scope") && has(challenge, "scope=") {
        return;
    }
    let actual = if challenge.is_empty() { "no WWW-Authenticate".to_owned() } else { short(challenge) };
    out.say("the 403 does not say which scope is missing")
        .expected("WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"…\"")
        .actual(actual);
}
