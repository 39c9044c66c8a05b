//! `access-refused`: the HTTP layer refused the request before MCP.

use crate::mcp::Revisions;
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "access-refused",
    layer: Layer::Access,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::ALL,
    wire: Wire::Http,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Response) else { return };
    let Some(status) = http.status.filter(|s| matches!(s, 401 | 403)) else { return };
    let method = stream.method().unwrap_or("the request");
    let challenge = match http.header("www-authenticate") {
        Some(challenge) => format!("; challenge: {}", short(challenge)),
        None => "; no challenge".to_owned(),
    };
    let token = if stream.request_header("authorization").is_some() { "with a token" } else { "without a token" };
    out.say(format!("{} {token} was refused with {status}{challenge}", short(method))).actual(status.to_string());
}
