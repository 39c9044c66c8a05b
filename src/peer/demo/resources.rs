//! Resources: texts, a picture, a shelf whose stock changes, and a template for its items.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::error::RpcError;
use super::faults::Fault;
use super::request::{Answer, Request};
use super::server::Server;
use super::{pages, tools};
use crate::mcp::Revision;

/// What the shelf can hold.
pub(super) const ITEMS: [&str; 3] = ["compass", "lantern", "rope"];
/// The template of the shelf's items.
pub(super) const TEMPLATE: &str = "demo://shelf/{item}";
/// The Markdown document.
pub(super) const REPORT: &str =
    "# Trip report\n\n| day | place | weather |\n|---|---|---|\n| 1 | Bergen | rain |\n\n- [ ] tickets\n- [x] boots\n";

/// What changes while the server runs.
pub(super) struct Shelf {
    pub(super) stock: BTreeMap<&'static str, u32>,
    /// Whether the extra tool and the extra resource are listed.
    pub(super) extra_tool: bool,
    pub(super) extra_resource: bool,
}

impl Default for Shelf {
    fn default() -> Self {
        Shelf { stock: ITEMS.into_iter().zip([4, 2, 7]).collect(), extra_tool: false, extra_resource: false }
    }
}

/// The URI of an item.
pub(super) fn item_uri(item: &str) -> String {
    format!("demo://shelf/{item}")
}

fn shelf(server: &Server) -> std::sync::MutexGuard<'_, Shelf> {
    server.shelf.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// resources/list.
pub(super) fn list(server: &Server, request: &Request) -> Answer {
    let titled = request.revision >= Revision::V2025_06_18;
    let entry = |uri: &str, name: &str, title: &str, mime: &str| {
        let mut entry = json!({ "uri": uri, "name": name, "mimeType": mime });
        if titled {
            entry["title"] = json!(title);
        }
        entry
    };
    let mut all = vec![
        entry("demo://docs/report.md", "report.md", "Trip report", "text/markdown"),
        entry("demo://docs/route.json", "route.json", "Route", "application/json"),
        entry("demo://pictures/dot.png", "dot.png", "A dot", "image/png"),
    ];
    all.extend(ITEMS.map(|item| entry(&item_uri(item), item, item, "application/json")));
    if shelf(server).extra_resource {
        all.push(entry("demo://docs/notes.txt", "notes.txt", "Notes", "text/plain"));
    }
    pages::page(request, "resources", all, 4)
}

/// resources/templates/list.
pub(super) fn templates(request: &Request) -> Answer {
    let mut template = json!({
        "uriTemplate": TEMPLATE, "name": "shelf-item", "description": "One item of the shelf and how many are left",
        "mimeType": "application/json",
    });
    if request.revision >= Revision::V2025_06_18 {
        template["title"] = json!("Item of the shelf");
    }
    pages::page(request, "resourceTemplates", vec![template], 10)
}

/// resources/read.
pub(super) fn read(server: &Server, request: &Request) -> Answer {
    let uri = request.text("uri")?;
    let (mime, text) = match uri {
        "demo://docs/report.md" => ("text/markdown", REPORT.to_owned()),
        "demo://docs/route.json" => ("application/json", r#"{"from":"Oslo","via":["Voss"],"to":"Bergen"}"#.to_owned()),
        "demo://docs/notes.txt" if shelf(server).extra_resource => ("text/plain", "Bring a spare lantern.".to_owned()),
        "demo://pictures/dot.png" => {
            let contents = json!([{ "uri": uri, "mimeType": "image/png", "blob": tools::media::PNG }]);
            return Ok(request.cacheable(json!({ "contents": contents }), 60_000, "public"));
        }
        _ => {
            let stock = uri.strip_prefix("demo://shelf/").and_then(|item| shelf(server).stock.get(item).copied());
            match stock {
                Some(stock) => ("application/json", json!({ "uri": uri, "stock": stock }).to_string()),
                None => {
                    let wrong = request.faults.has(Fault::WrongNotFoundCode);
                    return Err(RpcError::resource_not_found(uri, request.revision, wrong));
                }
            }
        }
    };
    let contents: Value = json!([{ "uri": uri, "mimeType": mime, "text": text }]);
    Ok(request.cacheable(json!({ "contents": contents }), 0, "private"))
}

/// Whether there is such a resource, for subscriptions.
pub(super) fn exists(server: &Server, uri: &str) -> bool {
    match uri.strip_prefix("demo://shelf/") {
        Some(item) => ITEMS.contains(&item),
        None if uri == "demo://docs/notes.txt" => shelf(server).extra_resource,
        None => ["demo://docs/report.md", "demo://docs/route.json", "demo://pictures/dot.png"].contains(&uri),
    }
}
