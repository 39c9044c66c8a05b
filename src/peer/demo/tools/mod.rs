//! The tools: one file each, one table, and what all of them share: checks of arguments and the shapes of the revision.

pub(super) mod book;
mod change;
mod fail;
pub(super) mod media;
pub(super) mod misbehave;
mod plain;
mod render;
mod search;
mod slow;
pub(super) mod weather;

use serde_json::{Value, json};

use super::error::RpcError;
use super::faults::Fault;
use super::request::{Answer, Request};
use super::server::Server;
use super::{lifecycle, pages};
use crate::mcp::Revision;
use crate::mcp::levels::Level;
use crate::peer::client::args;

/// A tool: how it is listed in the newest revision, and what it does with arguments that fit its schema.
pub(super) struct Tool {
    pub(super) name: &'static str,
    describe: fn() -> Value,
    call: fn(&Cx<'_>, &Value) -> Answer,
}

/// What a tool may look at.
struct Cx<'a> {
    server: &'a Server,
    request: &'a Request,
}

/// All tools, in the order in which they are listed.
pub(super) static TOOLS: &[Tool] = &[
    plain::ADD,
    weather::TOOL,
    search::TOOL,
    slow::TOOL,
    fail::TOOL,
    book::TOOL,
    render::TOOL,
    media::TOOL,
    change::TOOL,
    change::RESTOCK,
    misbehave::TOOL,
    plain::NOW,
];

/// The tool that is only there after `change` switched it on.
const EXTRA: &str = "now";

fn listed(server: &Server, tool: &Tool) -> bool {
    tool.name != EXTRA || server.shelf.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extra_tool
}

/// Annotations for a tool that only looks.
fn read_only() -> Value {
    json!({ "readOnlyHint": true, "openWorldHint": false })
}

/// A result of one text.
fn text(text: impl Into<String>) -> Value {
    json!({ "content": [{ "type": "text", "text": text.into() }] })
}

/// A result that says that the tool failed.
fn failure(message: impl Into<String>) -> Value {
    let mut result = text(message);
    result["isError"] = json!(true);
    result
}

/// A structured result with its copy as text, for clients that do not read the structure.
fn structured(value: Value) -> Value {
    let mut result = text(value.to_string());
    result["structuredContent"] = value;
    result
}

/// tools/list.
pub(super) fn list(server: &Server, request: &Request) -> Answer {
    let tools = TOOLS.iter().filter(|tool| listed(server, tool));
    let tools = tools.map(|tool| as_of(request.revision, (tool.describe)())).collect();
    pages::page(request, "tools", tools, 7)
}

/// A description without the members that the revision does not know.
fn as_of(revision: Revision, mut tool: Value) -> Value {
    if let Some(tool) = tool.as_object_mut() {
        if revision < Revision::V2025_06_18 {
            tool.remove("title");
            tool.remove("outputSchema");
        }
        if revision < Revision::V2025_03_26 {
            tool.remove("annotations");
        }
    }
    tool
}

/// A result without what the revision does not know.
fn result_as_of(revision: Revision, mut result: Value) -> Value {
    if revision < Revision::V2025_06_18
        && let Some(object) = result.as_object_mut()
    {
        object.remove("structuredContent");
        if let Some(content) = object.get_mut("content").and_then(Value::as_array_mut) {
            content.retain(|block| match block["type"].as_str() {
                Some("resource_link") => false,
                Some("audio") => revision >= Revision::V2025_03_26,
                _ => true,
            });
        }
    }
    result
}

/// tools/call: unknown names are a protocol error, arguments that do not fit are the tool's own failure.
pub(super) fn call(server: &Server, request: &Request) -> Answer {
    let name = request.text("name")?;
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == name && listed(server, tool)) else {
        return Err(RpcError::invalid_params(format!("Unknown tool: {name}")));
    };
    let none = json!({});
    let arguments = match request.params.get("arguments") {
        None => &none,
        Some(arguments @ Value::Object(_)) => arguments,
        Some(_) => return Err(RpcError::invalid_params("arguments must be an object")),
    };
    if request.faults.has(Fault::Crash) {
        server.crash();
        return Err(RpcError::internal("gone"));
    }
    let description = (tool.describe)();
    if !request.faults.has(Fault::AcceptInvalidArguments) {
        let schema = description["inputSchema"].to_string();
        let violations = args::validate(&schema, &arguments.to_string());
        if let Some(first) = violations.first() {
            let place = if first.pointer.is_empty() { "arguments" } else { &first.pointer };
            let message = format!("{place}: {}", first.message);
            lifecycle::log(server, request, Level::Warning, &message);
            return Ok(failure(message));
        }
    }
    let mut result = (tool.call)(&Cx { server, request }, arguments)?;
    if request.faults.has(Fault::BadStructuredContent) && description.get("outputSchema").is_some() {
        result["structuredContent"] = json!({ "unexpected": true });
    }
    if request.faults.has(Fault::HostileText)
        && let Some(content) = result["content"].as_array_mut()
    {
        content.push(json!({ "type": "text", "text": HOSTILE }));
    }
    Ok(result_as_of(request.revision, result))
}

/// Sets the window title, clears the screen, reverses the reading direction, hides letters.
const HOSTILE: &str =
    "\u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[31mred\u{1b}[0m \u{202e}gnp.exe\u{202c} pay\u{200b}load\u{0}\r\u{8}";
