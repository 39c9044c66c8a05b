//! `fail`: always fails, as tools fail: with a result, not with a JSON-RPC error.

use serde_json::{Value, json};

use super::{Cx, Tool, failure, read_only};
use crate::peer::demo::request::Answer;

/// The tool.
pub(super) const TOOL: Tool = Tool { name: "fail", describe, call };

fn describe() -> Value {
    json!({
        "name": "fail", "title": "Fail", "description": "Always fails",
        "inputSchema": {
            "type": "object",
            "properties": { "reason": { "type": "string", "default": "the printer is out of paper" } },
        },
        "annotations": read_only(),
    })
}

fn call(_: &Cx<'_>, arguments: &Value) -> Answer {
    Ok(failure(arguments["reason"].as_str().unwrap_or("the printer is out of paper")))
}
