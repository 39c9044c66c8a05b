//! Two small tools: a sum, and the one that comes and goes.

use serde_json::{Value, json};

use super::{Cx, EXTRA, Tool, read_only, structured, text};
use crate::peer::demo::request::Answer;

/// `add`.
pub(super) const ADD: Tool = Tool { name: "add", describe: describe_add, call: add };
/// `now`, listed after `change` switched it on.
pub(super) const NOW: Tool = Tool { name: EXTRA, describe: describe_now, call: now };

fn describe_add() -> Value {
    json!({
        "name": "add", "title": "Add", "description": "Adds two numbers",
        "inputSchema": {
            "type": "object",
            "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
            "required": ["a", "b"],
        },
        "outputSchema": {
            "type": "object", "properties": { "sum": { "type": "number" } }, "required": ["sum"],
        },
        "annotations": read_only(),
    })
}

fn add(_: &Cx<'_>, arguments: &Value) -> Answer {
    // Whole numbers stay whole.
    let sum = match (arguments["a"].as_i64(), arguments["b"].as_i64()) {
        (Some(a), Some(b)) if a.checked_add(b).is_some() => json!(a + b),
        _ => json!(arguments["a"].as_f64().unwrap_or(0.0) + arguments["b"].as_f64().unwrap_or(0.0)),
    };
    Ok(structured(json!({ "sum": sum })))
}

fn describe_now() -> Value {
    json!({
        "name": EXTRA, "title": "Now", "description": "Says that it is there",
        "inputSchema": { "type": "object", "additionalProperties": false },
        "annotations": read_only(),
    })
}

fn now(_: &Cx<'_>, _: &Value) -> Answer {
    Ok(text("Here."))
}
