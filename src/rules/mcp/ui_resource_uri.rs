//! `ui-resource-uri`: MCP Apps metadata is wrong.

use super::support::{cut, from_server, shown};
use crate::mcp::{Method, Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::{Document, Value};

/// See the module.
pub static RULE: Rule = Rule {
    id: "ui-resource-uri",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_06_18),
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    let (Some(result), Some(open)) = (message.result(), cx.request()) else { return };
    match open.method {
        Some(Method::ToolsList) => {
            for tool in result.get("tools").into_iter().flat_map(Value::elements) {
                let Some(meta) = tool.get("_meta") else { continue };
                let uri = meta.path(&["ui", "resourceUri"]).or_else(|| meta.get("ui/resourceUri"));
                let Some(uri) = uri.filter(|u| !u.is_null()) else { continue };
                if uri.as_str().is_none_or(|u| !u.starts_with("ui://")) {
                    let name = tool.get("name").map(shown).unwrap_or_default();
                    out.say(format!("the tool {name} links to {} for its view", shown(uri)))
                        .at(uri)
                        .expected("a ui:// URI")
                        .actual(shown(uri));
                }
            }
        }
        Some(Method::ResourcesRead) => {
            let Some(uri) = open.target.as_deref().filter(|u| u.starts_with("ui://")) else { return };
            if !is_view(cx, uri) {
                return;
            }
            for content in result.get("contents").into_iter().flat_map(Value::elements).take(100) {
                let Some(ty) = content.get("mimeType") else { continue };
                let plain: String = ty.as_str().unwrap_or_default().chars().filter(|c| *c != ' ').collect();
                if !plain.eq_ignore_ascii_case("text/html;profile=mcp-app") {
                    out.say(format!("the view \"{}\" has the type {}", cut(uri), shown(ty)))
                        .at(ty)
                        .expected("text/html;profile=mcp-app")
                        .actual(shown(ty));
                }
            }
        }
        _ => {}
    }
}

/// Some tool names the resource as its view. Others may live under `ui://` for their own purposes.
fn is_view(cx: &Cx<'_>, uri: &str) -> bool {
    let Some(listing) = &cx.session.lists.tools.current else { return false };
    let named = |bytes: &[u8]| memchr::memmem::find(bytes, uri.as_bytes()).is_some();
    listing.items.iter().any(|tool| {
        named(&tool.definition) && {
            let document = Document::new(tool.definition.as_ref());
            let meta = document.doc().root().and_then(|t| t.get("_meta"));
            meta.and_then(|m| m.path(&["ui", "resourceUri"])).is_some_and(|u| u.str_eq(uri))
        }
    })
}
