//! `init-refused`: initialize refused for its version.

use super::support::{cut, from_server, shown};
use crate::mcp::{Method, Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Message, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "init-refused",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::LEGACY,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    if cx.request().is_none_or(|o| o.method != Some(Method::Initialize)) {
        return;
    }
    let asked = cx.session.handshake.requested.as_deref().unwrap_or_default();
    let named = versions_in(message);
    let text = message.env.error_message().unwrap_or_default().to_ascii_lowercase();
    if !text.contains("version") && !text.contains("protocol") {
        return;
    }
    let offer =
        named.iter().filter(|v| v.as_str() != asked).filter_map(|v| Revision::parse(v)).filter(|r| !r.is_modern());
    if let Some(offer) = offer.max() {
        let code = message.env.error.and_then(|e| e.get("code"));
        let draft = out.say(format!("the server refuses version \"{}\" although it speaks {offer}", cut(asked)));
        draft.expected(format!("a result with protocolVersion \"{offer}\""));
        if let Some(code) = code {
            draft.at(code).actual(format!("error {}", shown(code)));
        }
    }
}

/// Versions that an error names, in its data or its text.
fn versions_in(message: &Message<'_>) -> Vec<String> {
    let mut out = Vec::new();
    let data = message.env.error.and_then(|e| e.get("data"));
    for member in data.into_iter().flat_map(Value::members).map(|(_, v)| v).take(50) {
        let texts = member.is_array().then(|| member.elements()).into_iter().flatten().take(50);
        out.extend(texts.filter_map(Value::as_str).map(|t| t.into_owned()));
    }
    let text = message.env.error_message().unwrap_or_default();
    let mut rest = text.as_ref();
    while let Some(found) = rest.find("20") {
        rest = &rest[found..];
        match rest.get(..10).filter(|d| crate::mcp::revision::is_date(d)) {
            Some(date) => {
                out.push(date.to_owned());
                rest = &rest[10..];
            }
            None => rest = &rest[2..],
        }
    }
    out
}
