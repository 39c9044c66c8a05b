//! Content blocks, wherever a message holds them.

use crate::mcp::{Method, Revision};
use crate::rules::Cx;
use crate::trace::message::Message;
use crate::wire::json::Value;

/// Where a block stands: sampling knows more types than tools and prompts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// A result of a tool, a message of a prompt.
    Content,
    /// A message of a sampling request, or its result.
    Sampling,
}

/// Calls `each` with every content block of a message, and what else stands in its place.
pub(super) fn each<'a>(cx: &Cx<'_>, message: &Message<'a>, mut each: impl FnMut(Value<'a>, Place)) {
    let mut one_or_many = |content: Value<'a>, place: Place| {
        if content.is_array() {
            content.elements().for_each(|b| each(b, place));
        } else if content.is_object() {
            each(content, place);
        }
    };
    let messages = |list: Option<Value<'a>>, place: Place, f: &mut dyn FnMut(Value<'a>, Place)| {
        for message in list.into_iter().flat_map(Value::elements) {
            if let Some(content) = message.get("content") {
                f(content, place);
            }
        }
    };
    if message.is(Method::CreateMessage) {
        messages(message.params().and_then(|p| p.get("messages")), Place::Sampling, &mut one_or_many);
    }
    if let Some(responses) = message.params().and_then(|p| p.get("inputResponses")) {
        for (_, response) in responses.members() {
            if let Some(content) = response.get("content").filter(|_| response.get("role").is_some()) {
                one_or_many(content, Place::Sampling);
            }
        }
    }
    let Some(result) = message.result() else { return };
    match cx.open.and_then(|o| o.method) {
        Some(Method::ToolsCall | Method::TasksResult) => {
            if let Some(content) = result.get("content").filter(|c| c.is_array()) {
                one_or_many(content, Place::Content);
            }
        }
        Some(Method::PromptsGet) => messages(result.get("messages"), Place::Content, &mut one_or_many),
        Some(Method::CreateMessage) => {
            if let Some(content) = result.get("content") {
                one_or_many(content, Place::Sampling);
            }
        }
        _ => {}
    }
    if let Some(requests) = result.get("inputRequests") {
        for (_, request) in requests.members() {
            let list = request.get("params").and_then(|p| p.get("messages"));
            messages(list, Place::Sampling, &mut one_or_many);
        }
    }
}

/// Calls `each` with every Base64 text of a message and its MIME type.
pub(super) fn each_binary<'a>(cx: &Cx<'_>, message: &Message<'a>, mut f: impl FnMut(Value<'a>, Option<Value<'a>>)) {
    let resource = |r: Value<'a>, f: &mut dyn FnMut(Value<'a>, Option<Value<'a>>)| {
        if let Some(blob) = r.get("blob").filter(|b| b.is_string()) {
            f(blob, r.get("mimeType"));
        }
    };
    if cx.open.is_some_and(|o| o.method == Some(Method::ResourcesRead)) {
        let contents = message.result().and_then(|r| r.get("contents"));
        contents.into_iter().flat_map(Value::elements).for_each(|r| resource(r, &mut f));
    }
    each(cx, message, |block, _| {
        if let Some(data) = block.get("data").filter(|d| d.is_string()) {
            f(data, block.get("mimeType"));
        }
        if let Some(r) = block.get("resource") {
            resource(r, &mut f);
        }
    });
}

/// The types of content blocks, with the revision since which they exist and the members that they need.
pub(super) const TYPES: &[(&str, Revision, Place, &[&str])] = &[
    ("text", Revision::V2024_11_05, Place::Content, &["text"]),
    ("image", Revision::V2024_11_05, Place::Content, &["data", "mimeType"]),
    ("audio", Revision::V2025_03_26, Place::Content, &["data", "mimeType"]),
    ("resource", Revision::V2024_11_05, Place::Content, &["resource"]),
    ("resource_link", Revision::V2025_06_18, Place::Content, &["uri", "name"]),
    ("tool_use", Revision::V2025_11_25, Place::Sampling, &["id", "name", "input"]),
    ("tool_result", Revision::V2025_11_25, Place::Sampling, &["toolUseId", "content"]),
];
