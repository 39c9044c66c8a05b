//! `access-login-page`: a sign-in page comes instead of an answer.

use crate::mcp::Revisions;
use crate::rules::show::{has, short};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::stream::media_type;
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "access-login-page",
    layer: Layer::Access,
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
    let html = http.header("content-type").is_some_and(|t| media_type(t).eq_ignore_ascii_case("text/html"));
    if !html || !stream.is_method("POST") || matches!(http.status, Some(401 | 403)) {
        return;
    }
    let Some(text) = cx.text else { return };
    let page = String::from_utf8_lossy(&text.bytes[..text.bytes.len().min(65_536)]);
    let signs = ["sign in", "signin", "log in", "login", "password", "single sign-on"];
    if signs.iter().any(|s| has(&page, s)) {
        let title = page.split_once("<title>").and_then(|(_, rest)| rest.split('<').next()).unwrap_or("no title");
        let status = http.status.map_or_else(String::new, |s| s.to_string());
        out.say(format!("the POST was answered with a sign-in page: {}", short(title.trim())))
            .expected("401 with a challenge")
            .actual(format!("{status} text/html"));
    }
}
