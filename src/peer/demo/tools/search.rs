//! `search`: a tool that only reads, whose text is a JSON document.

use serde_json::{Value, json};

use super::{Cx, Tool, read_only, text};
use crate::peer::demo::request::Answer;

/// The tool.
pub(super) const TOOL: Tool = Tool { name: "search", describe, call };

const DOCUMENTS: [(&str, &str); 4] = [
    ("demo://docs/report.md", "Trip report: a table of days and weather"),
    ("demo://docs/route.json", "Route from Oslo by Voss to Bergen"),
    ("demo://shelf/lantern", "Lantern on the shelf"),
    ("demo://shelf/rope", "Rope, 20 m, on the shelf"),
];

fn describe() -> Value {
    json!({
        "name": "search", "title": "Search", "description": "Searches the documents and returns JSON text",
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": { "type": "string", "minLength": 1, "examples": ["bergen"] },
                "limit": { "type": "integer", "minimum": 1, "maximum": 20, "default": 3 },
                "tags": { "type": "array", "items": { "type": "string" }, "maxItems": 5 },
            },
            "required": ["query"],
        },
        "annotations": read_only(),
    })
}

fn call(_: &Cx<'_>, arguments: &Value) -> Answer {
    let query = arguments["query"].as_str().unwrap_or_default().to_lowercase();
    let limit = arguments["limit"].as_u64().unwrap_or(3) as usize;
    let hits: Vec<Value> = DOCUMENTS
        .iter()
        .filter(|(uri, title)| title.to_lowercase().contains(&query) || uri.contains(&query))
        .take(limit)
        .map(|(uri, title)| json!({ "uri": uri, "title": title, "score": 1.0 }))
        .collect();
    Ok(text(json!({ "query": query, "total": hits.len(), "hits": hits }).to_string()))
}
