//! Prompts: one with arguments, one without.

use serde_json::{Value, json};

use super::error::RpcError;
use super::pages;
use super::request::{Answer, Request};
use crate::mcp::Revision;

const NAMES: [&str; 2] = ["packing-list", "trip-report"];

pub(super) fn exists(name: &str) -> bool {
    NAMES.contains(&name)
}

/// prompts/list.
pub(super) fn list(request: &Request) -> Answer {
    let mut packing = json!({
        "name": NAMES[0],
        "description": "What to pack for a city",
        "arguments": [
            { "name": "city", "description": "Where the trip goes", "required": true },
            { "name": "language", "description": "Language of the list", "required": false },
        ],
    });
    let mut report = json!({ "name": NAMES[1], "description": "A report to fill in" });
    if request.revision >= Revision::V2025_06_18 {
        packing["title"] = json!("Packing list");
        report["title"] = json!("Trip report");
    }
    pages::page(request, "prompts", vec![packing, report], 10)
}

/// prompts/get.
pub(super) fn get(request: &Request) -> Answer {
    let name = request.text("name")?;
    let arguments = match request.params.get("arguments") {
        None => &Value::Null,
        Some(arguments @ Value::Object(members)) if members.values().all(Value::is_string) => arguments,
        Some(_) => return Err(RpcError::invalid_params("arguments of a prompt are strings")),
    };
    match name {
        "packing-list" => {
            let Some(city) = arguments["city"].as_str() else {
                return Err(RpcError::invalid_params("Missing required argument: city"));
            };
            let language = arguments["language"].as_str().unwrap_or("English");
            let text = format!("Write a packing list for {city}, in {language}. Look at the weather first.");
            Ok(json!({
                "description": format!("Packing list for {city}"),
                "messages": [{ "role": "user", "content": { "type": "text", "text": text } }],
            }))
        }
        "trip-report" => Ok(json!({
            "messages": [
                { "role": "user", "content": { "type": "resource", "resource": {
                    "uri": "demo://docs/report.md", "mimeType": "text/markdown",
                    "text": super::resources::REPORT,
                } } },
                { "role": "assistant", "content": { "type": "text", "text": "Which trip is it about?" } },
            ],
        })),
        name => Err(RpcError::invalid_params(format!("Unknown prompt: {name}"))),
    }
}
