//! `access-401-no-challenge`: a 401 does not say where to authorize.

use crate::mcp::{Revision, Revisions};
use crate::rules::show::{has, short};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "access-401-no-challenge",
    layer: Layer::Access,
    severity: Severity::Warning,
    severity_by_revision: &[(Revision::V2025_06_18, Severity::Error)],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_06_18),
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Response) else { return };
    if http.status != Some(401) || !stream.before.posted {
        return;
    }
    let challenges: Vec<&str> = http
        .headers
        .iter()
        .filter(|(n, _)| n.eq_ignore_ascii_case("www-authenticate"))
        .map(|(_, v)| v.as_ref())
        .collect();
    let bearer = challenges.iter().any(|c| has(c, "bearer"));
    let metadata = challenges.iter().any(|c| has(c, "resource_metadata"));
    // From 2025-11-25 on the well-known address may stand in for `resource_metadata`.
    if bearer && (metadata || cx.revision >= Revision::V2025_11_25) {
        return;
    }
    let actual = challenges.first().map_or_else(|| "no WWW-Authenticate".to_owned(), |c| short(c));
    let lacks = if bearer { "does not name resource_metadata" } else { "has no Bearer challenge" };
    out.say(format!("the 401 {lacks}")).expected("WWW-Authenticate: Bearer resource_metadata=\"…\"").actual(actual);
}
