//! `http-header-encoding`: a mirrored header is not written as it has to be.

use super::mirror::{Mirror, compare, why};
use crate::mcp::Revisions;
use crate::mcp::headers;
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::{Dir, HttpKind};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-header-encoding",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::MODERN,
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::C2s) else { return };
    let Some(http) = cx.http.filter(|h| h.kind == HttpKind::Request) else { return };
    let member = message.method.and_then(|m| headers::name_member(m, cx.revision));
    let value = member.and_then(|m| message.params()?.get(m)).and_then(Value::as_str);
    if let Some(Mirror::Encoding(why)) = value.map(|v| compare(http, headers::NAME, &v)) {
        let actual = http.header(headers::NAME).unwrap_or_default();
        out.say(format!("Mcp-Name: {why}")).expected("=?base64?…?=").actual(short(actual));
    }
    for (name, value) in &http.headers {
        let prefix = name.get(..headers::PARAM_PREFIX.len());
        if !prefix.is_some_and(|p| p.eq_ignore_ascii_case(headers::PARAM_PREFIX)) {
            continue;
        }
        if let Err(fault) = headers::decode(value) {
            out.say(format!("{}: {}", short(name), why(fault))).expected("=?base64?…?=").actual(short(value));
        }
    }
}
