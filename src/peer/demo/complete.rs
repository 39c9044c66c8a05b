//! completion/complete: proposals for prompt arguments and for variables of resource templates.

use serde_json::{Value, json};

use super::error::RpcError;
use super::request::{Answer, Request};
use super::{prompts, resources, tools};
use crate::mcp::Revision;

/// The capability exists from 2025-03-26 on; before, the method was there without one.
pub(super) fn announced(revision: Revision) -> bool {
    revision >= Revision::V2025_03_26
}

/// At most 100 values that begin with what was typed.
pub(super) fn complete(request: &Request) -> Answer {
    let reference = request.params.get("ref").unwrap_or(&Value::Null);
    let argument = request.params.get("argument").unwrap_or(&Value::Null);
    let (Some(name), Some(typed)) = (argument["name"].as_str(), argument["value"].as_str()) else {
        return Err(RpcError::invalid_params("argument needs name and value"));
    };
    let all: Vec<String> = match reference["type"].as_str() {
        Some("ref/prompt") => {
            let prompt = reference["name"].as_str().unwrap_or_default();
            if !prompts::exists(prompt) {
                return Err(RpcError::invalid_params(format!("Unknown prompt: {prompt}")));
            }
            match name {
                "city" => tools::weather::CITIES.iter().map(|city| (*city).to_owned()).collect(),
                "language" => ["English", "French", "German", "Greek"].map(str::to_owned).to_vec(),
                _ => Vec::new(),
            }
        }
        Some("ref/resource") => {
            let uri = reference["uri"].as_str().unwrap_or_default();
            if uri != resources::TEMPLATE {
                return Err(RpcError::invalid_params(format!("Unknown resource template: {uri}")));
            }
            if name == "item" { resources::ITEMS.map(str::to_owned).to_vec() } else { Vec::new() }
        }
        _ => return Err(RpcError::invalid_params("ref must be ref/prompt or ref/resource")),
    };
    let typed = typed.to_lowercase();
    let values: Vec<String> = all.into_iter().filter(|value| value.to_lowercase().starts_with(&typed)).collect();
    Ok(json!({ "completion": { "values": values, "total": values.len(), "hasMore": false } }))
}
