//! `http-name-header`: Mcp-Name is missing or is not what the request is about.

use super::mirror::{Mirror, compare};
use crate::mcp::Revisions;
use crate::mcp::headers;
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::{Dir, HttpKind};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-name-header",
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
    let Some(member) = message.method.and_then(|m| headers::name_member(m, cx.revision)) else { return };
    let Some(value) = message.params().and_then(|p| p.get(member)) else { return };
    let Some(text) = Value::as_str(value) else { return };
    match compare(http, headers::NAME, &text) {
        Mirror::Same | Mirror::Encoding(_) => {}
        Mirror::Missing => {
            out.say(format!("the request has no Mcp-Name header; params.{member} is {}", short(&text)))
                .at(value)
                .expected(short(&text))
                .actual("missing");
        }
        Mirror::Differs(header) => {
            out.say(format!("Mcp-Name is {}, params.{member} {}", short(&header), short(&text)))
                .at(value)
                .expected(short(&text))
                .actual(short(&header));
        }
    }
}
