//! `icon-uri-unsafe`: icon with an unsafe URI.

use super::support::{cut, scheme, shown};
use crate::mcp::{Method, Revision, Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "icon-uri-unsafe",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::since(Revision::V2025_11_25),
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Request(check), On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg() else { return };
    if let Some(params) = message.params() {
        let info =
            message.env.params_meta().and_then(|m| m.get(meta::CLIENT_INFO)).or_else(|| params.get("clientInfo"));
        icons(info, out);
    }
    let Some(result) = message.result() else { return };
    icons(result.get("serverInfo"), out);
    icons(message.env.result_meta().and_then(|m| m.get(meta::SERVER_INFO)), out);
    let member = cx.request().and_then(|o| o.method).and_then(Method::list_member);
    for entry in member.and_then(|m| result.get(m)).into_iter().flat_map(Value::elements) {
        icons(Some(entry), out);
    }
}

fn icons(holder: Option<Value<'_>>, out: &mut Out<'_>) {
    for icon in holder.and_then(|h| h.get("icons")).into_iter().flat_map(Value::elements).take(100) {
        let Some(src) = icon.get("src") else { continue };
        let Some(text) = src.as_str() else { continue };
        let safe = scheme(&text).is_some_and(|s| ["https", "data", "http"].iter().any(|ok| s.eq_ignore_ascii_case(ok)));
        if !safe {
            out.say(format!("the icon's src is {}", shown(src)))
                .at(src)
                .expected("an https: or data: URI")
                .actual(scheme(&text).map_or_else(|| "no scheme".to_owned(), |s| format!("{}:", cut(s))));
        }
    }
}
