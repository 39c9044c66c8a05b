//! `http-content-type-request`: the body of a POST is JSON, its Content-Type says something else.

use crate::mcp::Revisions;
use crate::rules::TextClass;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::stream::media_type;
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-content-type-request",
    layer: Layer::Transport,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::ALL,
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Request) else { return };
    let message = cx.text.is_some_and(|t| matches!(t.class, TextClass::Message | TextClass::TwoMessages));
    if !message || !stream.is_method("POST") {
        return;
    }
    let kind = http.header("content-type");
    if kind.is_some_and(|k| media_type(k).eq_ignore_ascii_case("application/json")) {
        return;
    }
    let actual = kind.map_or_else(|| "no Content-Type".to_owned(), crate::rules::show::short);
    out.say(format!("the body is JSON, but the POST was sent with {actual}"))
        .expected("application/json")
        .actual(actual);
}
