//! `book`: needs something from the user. In 2026-07-28 by an `input_required` result and a retry, in 2025-06-18 and
//! 2025-11-25 by `elicitation/create`. The state of the booking travels with the client, signed, because the modern
//! server keeps none.

use std::hash::{BuildHasher, Hasher, RandomState};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{Cx, Tool, failure, structured};
use crate::mcp::Revision;
use crate::peer::client::args;
use crate::peer::demo::error::RpcError;
use crate::peer::demo::request::Answer;

/// The tool.
pub(super) const TOOL: Tool = Tool { name: "book", describe, call };

/// The key under which the question is asked.
const QUESTION: &str = "traveller";

fn describe() -> Value {
    json!({
        "name": "book", "title": "Book", "description": "Books a train; asks for the traveller first",
        "inputSchema": {
            "type": "object",
            "properties": {
                "from": { "type": "string", "examples": ["Oslo"] },
                "to": { "type": "string", "examples": ["Bergen"] },
                "date": { "type": "string", "format": "date" },
            },
            "required": ["from", "to"],
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "booked": { "type": "boolean" },
                "route": { "type": "string" },
                "traveller": { "type": "string" },
                "class": { "type": "string" },
            },
            "required": ["booked", "route"],
        },
        "annotations": { "readOnlyHint": false, "destructiveHint": false, "openWorldHint": true },
    })
}

fn question(route: &str) -> Value {
    json!({
        "message": format!("Who travels {route}?"),
        "requestedSchema": {
            "type": "object",
            "properties": {
                "name": { "type": "string", "title": "Name", "minLength": 1 },
                "email": { "type": "string", "title": "E-mail", "format": "email" },
                "class": { "type": "string", "title": "Class", "enum": ["first", "second"] },
                "age": { "type": "integer", "minimum": 0, "maximum": 130 },
                "window": { "type": "boolean", "title": "Window seat", "default": true },
            },
            "required": ["name", "class"],
        },
    })
}

fn call(cx: &Cx<'_>, arguments: &Value) -> Answer {
    let text = |key: &str| arguments[key].as_str().unwrap_or_default();
    let route = format!("{} - {}", text("from"), text("to"));
    let question = question(&route);
    let request = cx.request;
    // An empty declaration means forms; one that lists only other modes does not.
    let forms = request
        .capabilities
        .get("elicitation")
        .and_then(Value::as_object)
        .is_some_and(|modes| modes.is_empty() || modes.contains_key("form"));
    if request.revision.is_modern() {
        if !forms {
            return Err(RpcError::missing_capability(json!({ "elicitation": { "form": {} } })));
        }
        let Some(responses) = request.params.get("inputResponses") else {
            return Ok(json!({
                "resultType": "input_required",
                "inputRequests": { QUESTION: { "method": "elicitation/create", "params": with_mode(question) } },
                "requestState": sign(&cx.server.key, arguments),
            }));
        };
        if request.params.get("requestState").and_then(Value::as_str) != Some(&*sign(&cx.server.key, arguments)) {
            return Err(RpcError::invalid_params("requestState is not the one that was given out for this request"));
        }
        let Some(response) = responses.get(QUESTION) else {
            return Err(RpcError::invalid_params(format!("inputResponses lacks {QUESTION}")));
        };
        return book(&route, &question, response);
    }
    if request.revision < Revision::V2025_06_18 || !forms {
        return Ok(failure("this client cannot be asked for the traveller"));
    }
    match cx.server.ask(request, "elicitation/create", question.clone()) {
        Some(Ok(response)) => book(&route, &question, &response),
        Some(Err(error)) => Ok(failure(format!("the question was not answered: {}", error.message))),
        None => Ok(failure("the question was not answered")),
    }
}

fn with_mode(mut question: Value) -> Value {
    question["mode"] = json!("form");
    question
}

fn book(route: &str, question: &Value, response: &Value) -> Answer {
    match response["action"].as_str() {
        Some("accept") => {
            let content = &response["content"];
            let schema = question["requestedSchema"].to_string();
            if let Some(first) = args::validate(&schema, &content.to_string()).first() {
                return Ok(failure(format!("{}: {}", first.pointer, first.message)));
            }
            Ok(structured(json!({
                "booked": true, "route": route, "traveller": content["name"], "class": content["class"],
            })))
        }
        Some("decline" | "cancel") => Ok(structured(json!({ "booked": false, "route": route }))),
        _ => Err(RpcError::invalid_params("action must be accept, decline or cancel")),
    }
}

/// A state that fits this call only, and that nobody else can make.
fn sign(key: &[u8; 32], arguments: &Value) -> String {
    let text = arguments.to_string();
    // HMAC takes keys of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return String::new() };
    mac.update(b"book\0");
    mac.update(text.as_bytes());
    URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
}

/// A key that differs from process to process. Good enough for a demonstration: the standard library's hash seeds are
/// random, but not meant for cryptography.
pub(in crate::peer::demo) fn new_key() -> [u8; 32] {
    let mut key = [0; 32];
    for part in key.chunks_exact_mut(8) {
        part.copy_from_slice(&RandomState::new().build_hasher().finish().to_ne_bytes());
    }
    key
}
