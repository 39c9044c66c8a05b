//! `http-redirect`: a POST is answered with a redirect that loses it.

use crate::mcp::Revisions;
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-redirect",
    layer: Layer::Transport,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Response) else { return };
    let Some(status) = http.status.filter(|s| matches!(s, 301..=303)) else { return };
    if stream.is_method("POST") {
        let to = http.header("location").unwrap_or("nowhere");
        out.say(format!("the POST was answered with {status} to {}", short(to)))
            .expected("the answer, or 307 or 308")
            .actual(status.to_string());
    }
}
