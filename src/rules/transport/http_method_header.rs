//! `http-method-header`: Mcp-Method is missing or is not the method of the request.

use crate::mcp::Revisions;
use crate::mcp::headers;
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::{Dir, HttpKind};

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-method-header",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::MODERN,
    wire: Wire::Http,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::C2s) else { return };
    let Some(http) = cx.http.filter(|h| h.kind == HttpKind::Request) else { return };
    let Some(method) = message.method_name() else { return };
    match http.header(headers::METHOD).map(|v| v.trim_matches([' ', '\t'])) {
        Some(header) if header == method => {}
        Some(header) => {
            out.say(format!("Mcp-Method is {}, the request's method {}", short(header), short(&method)))
                .pointer("/method")
                .expected(short(&method))
                .actual(short(header));
        }
        None => {
            out.say("the request has no Mcp-Method header").expected(short(&method)).actual("missing");
        }
    }
}
