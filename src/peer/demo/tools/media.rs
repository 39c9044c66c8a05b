//! `media`: every kind of content a result can hold.

use serde_json::{Value, json};

use super::{Cx, Tool, read_only};
use crate::peer::demo::request::Answer;
use crate::peer::demo::resources;

/// An 8 by 8 PNG.
pub(in crate::peer::demo) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAeElEQVR42g3JoQEAMQgEwS8lEhkZiUQiTyKRkZS5JX3GzocvYpELLWrRi7uY9eFGGGnIKKONa4y92MQmN9rUpjd3M/vFIQ550KEOfbiHOS+ccNKRU0471xl/EUSQgYIKOrjBxIskkkyUVNLJTSZfiBApJEq0uGL0AynGWgGKB1lLAAAAAElFTkSuQmCC";
/// 10 ms of a tone, WAV.
const WAV: &str = "UklGRnQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YVAAAACAlKazuru0p5aBbVtNRURKVmh8kKOxuru2qpmFcV5PRkRIVGR4jaCvubu3rZyJdGFRR0RHUWF0iZytt7u5r6CNeGRUSERGT15xhZmqtru6sQ==";

/// The tool.
pub(super) const TOOL: Tool = Tool { name: "media", describe, call };

fn describe() -> Value {
    json!({
        "name": "media", "title": "Media", "description": "A picture, a sound, a link and an embedded document",
        "inputSchema": { "type": "object" },
        "annotations": read_only(),
    })
}

fn call(_: &Cx<'_>, _: &Value) -> Answer {
    Ok(json!({ "content": [
        { "type": "text", "text": "All kinds of content:", "annotations": { "audience": ["user"], "priority": 0.5 } },
        { "type": "image", "data": PNG, "mimeType": "image/png" },
        { "type": "audio", "data": WAV, "mimeType": "audio/wav" },
        { "type": "resource_link", "uri": "demo://docs/route.json", "name": "route.json", "mimeType": "application/json" },
        { "type": "resource", "resource": {
            "uri": "demo://docs/report.md", "mimeType": "text/markdown", "text": resources::REPORT,
        } },
    ] }))
}
