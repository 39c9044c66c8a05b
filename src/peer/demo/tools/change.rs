//! `change` and `restock`: what the server tells those who listen.

use std::sync::PoisonError;

use serde_json::{Value, json};

use super::{Cx, Tool, structured, text};
use crate::peer::demo::request::Answer;
use crate::peer::demo::resources::{ITEMS, item_uri};
use crate::peer::demo::subscriptions::Change;

/// `change`: adds to a list, or takes away again.
pub(super) const TOOL: Tool = Tool { name: "change", describe, call };
/// `restock`: changes one resource.
pub(super) const RESTOCK: Tool = Tool { name: "restock", describe: describe_restock, call: restock };

fn describe() -> Value {
    json!({
        "name": "change", "title": "Change a list", "description": "Adds a tool or a resource, or removes it again",
        "inputSchema": {
            "type": "object",
            "properties": { "list": { "type": "string", "enum": ["tools", "resources"] } },
            "required": ["list"],
        },
        "annotations": { "readOnlyHint": false, "destructiveHint": false, "openWorldHint": false },
    })
}

fn call(cx: &Cx<'_>, arguments: &Value) -> Answer {
    let mut shelf = cx.server.shelf.lock().unwrap_or_else(PoisonError::into_inner);
    let (now, change) = if arguments["list"] == "tools" {
        shelf.extra_tool = !shelf.extra_tool;
        (shelf.extra_tool, Change::Tools)
    } else {
        shelf.extra_resource = !shelf.extra_resource;
        (shelf.extra_resource, Change::Resources)
    };
    drop(shelf);
    cx.server.subscriptions.publish(cx.server, &change);
    Ok(text(if now { "added" } else { "removed" }))
}

fn describe_restock() -> Value {
    json!({
        "name": "restock", "title": "Restock", "description": "Puts a number of items on the shelf",
        "inputSchema": {
            "type": "object",
            "properties": {
                "item": { "type": "string", "enum": ITEMS },
                "stock": { "type": "integer", "minimum": 0, "maximum": 1000 },
            },
            "required": ["item", "stock"],
        },
        "outputSchema": {
            "type": "object",
            "properties": { "item": { "type": "string" }, "before": { "type": "integer" }, "stock": { "type": "integer" } },
            "required": ["item", "before", "stock"],
        },
        "annotations": { "readOnlyHint": false, "destructiveHint": true, "idempotentHint": true, "openWorldHint": false },
    })
}

fn restock(cx: &Cx<'_>, arguments: &Value) -> Answer {
    let item = ITEMS.into_iter().find(|item| arguments["item"] == **item).unwrap_or(ITEMS[0]);
    let stock = arguments["stock"].as_u64().unwrap_or(0) as u32;
    let before = {
        let mut shelf = cx.server.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.stock.insert(item, stock).unwrap_or(0)
    };
    if before != stock {
        cx.server.subscriptions.publish(cx.server, &Change::Resource(&item_uri(item)));
    }
    Ok(structured(json!({ "item": item, "before": before, "stock": stock })))
}
