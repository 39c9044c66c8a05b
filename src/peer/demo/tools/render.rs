//! `render`: text that is something else: Markdown, code, a diff, a log.

use serde_json::{Value, json};

use super::{Cx, Tool, read_only, text};
use crate::peer::demo::request::Answer;
use crate::peer::demo::resources;

/// The tool.
pub(super) const TOOL: Tool = Tool { name: "render", describe, call };

fn describe() -> Value {
    json!({
        "name": "render", "title": "Render", "description": "Returns text of a certain kind",
        "inputSchema": {
            "type": "object",
            "properties": { "kind": { "type": "string", "enum": ["markdown", "rust", "python", "diff", "log"] } },
            "required": ["kind"],
        },
        "annotations": read_only(),
    })
}

fn call(_: &Cx<'_>, arguments: &Value) -> Answer {
    let body = match arguments["kind"].as_str() {
        Some("rust") => {
            "```rust\nfn main() {\n    let shelf = [\"compass\", \"rope\"];\n    println!(\"{} items\", shelf.len());\n}\n```\n"
        }
        Some("python") => "```python\ndef total(stock: dict[str, int]) -> int:\n    return sum(stock.values())\n```\n",
        Some("diff") => "--- a/shelf.txt\n+++ b/shelf.txt\n@@ -1,2 +1,2 @@\n compass 4\n-rope 7\n+rope 6\n",
        Some("log") => "12:00:01 INFO  shelf opened\n12:00:02 WARN  rope below 7\n12:00:03 INFO  shelf closed\n",
        _ => resources::REPORT,
    };
    Ok(text(body))
}
