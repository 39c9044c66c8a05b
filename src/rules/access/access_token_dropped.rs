//! `access-token-dropped`: a later request to an endpoint lacks the token of earlier ones.

use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "access-token-dropped",
    layer: Layer::Access,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::since(Revision::V2025_03_26),
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Request) else { return };
    let method = ["POST", "GET", "DELETE"].iter().find(|m| stream.is_method(m));
    let Some(method) = method.filter(|_| stream.before.posted && stream.before.token) else { return };
    if http.header("authorization").is_none() {
        out.say(format!("the {method} has no Authorization header; earlier requests to this endpoint had one"))
            .expected("Authorization")
            .actual("missing");
    }
}
