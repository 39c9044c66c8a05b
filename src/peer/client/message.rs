//! The texts of our own messages, and the little that is read of the server's.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::json;

use super::answer::{Abilities, Answer};
use crate::mcp::{Revision, meta};
use crate::wire::json::{Document, Value};

/// Params without `_meta`: names and JSON texts.
pub(super) type Members<'a> = [(&'a str, &'a str)];

/// Who we are, as the revision wants it.
pub(super) fn client_info(revision: Revision) -> serde_json::Value {
    let mut info = json!({ "name": "mcpscope", "version": env!("CARGO_PKG_VERSION") });
    if revision >= Revision::V2025_06_18 {
        info["title"] = json!("mcpscope");
    }
    info
}

/// `_meta` of a request, if it needs one.
pub(super) fn meta(revision: Revision, abilities: Abilities, token: Option<u64>) -> Option<String> {
    let mut object = serde_json::Map::new();
    if revision.is_modern() {
        object.insert(meta::PROTOCOL_VERSION.into(), json!(revision.as_str()));
        object.insert(meta::CLIENT_INFO.into(), client_info(revision));
        object.insert(meta::CLIENT_CAPABILITIES.into(), abilities.declare(revision));
    }
    if let Some(token) = token {
        object.insert(meta::PROGRESS_TOKEN.into(), json!(token));
    }
    (!object.is_empty()).then(|| serde_json::Value::Object(object).to_string())
}

fn params(members: &Members<'_>, meta: Option<&str>) -> Option<String> {
    let mut text = String::from("{");
    for (name, value) in members.iter().copied().chain(meta.map(|meta| ("_meta", meta))) {
        if text.len() > 1 {
            text.push(',');
        }
        // Writing into a string cannot fail.
        let _ = write!(text, "{}:", json!(name));
        // A line end may stand between two tokens of JSON and nowhere else, so a blank says the same on one line.
        text.extend(value.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
    }
    text.push('}');
    (text.len() > 2).then_some(text)
}

pub(super) fn request(id: u64, method: &str, members: &Members<'_>, meta: Option<&str>) -> String {
    let method = json!(method);
    match params(members, meta) {
        Some(params) => format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#),
        None => format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method}}}"#),
    }
}

pub(super) fn notification(method: &str, members: &Members<'_>) -> String {
    let method = json!(method);
    match params(members, None) {
        Some(params) => format!(r#"{{"jsonrpc":"2.0","method":{method},"params":{params}}}"#),
        None => format!(r#"{{"jsonrpc":"2.0","method":{method}}}"#),
    }
}

/// Our answer to a question; `None` if it is to stay unanswered.
pub(super) fn response(id: &str, answer: &Answer) -> Option<String> {
    match answer {
        Answer::Result(result) => {
            let result = result.replace(['\n', '\r'], " ");
            Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#))
        }
        Answer::Error { code, message } => {
            let error = json!({ "code": code, "message": message });
            Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))
        }
        Answer::Silence => None,
    }
}

/// What a message of the server is.
pub(super) enum Body {
    Request(String),
    Notification(String),
    Response,
    Other,
}

pub(super) fn body(root: Value<'_>) -> Body {
    let method = root.get("method").and_then(Value::as_str).map(Cow::into_owned);
    match (method, root.get("id")) {
        (Some(method), Some(_)) => Body::Request(method),
        (Some(method), None) => Body::Notification(method),
        (None, _) if root.get("result").is_some() || root.get("error").is_some() => Body::Response,
        (None, _) => Body::Other,
    }
}

/// An answer as it came.
pub struct Response {
    document: Document,
}

/// The error member of an answer, read.
#[derive(Clone, PartialEq, Debug)]
pub struct RpcError {
    /// The code; 0 if it is no integer.
    pub code: i64,
    /// The message; empty if it is no string.
    pub message: String,
    /// The data, as it came.
    pub data: Option<String>,
}

impl Response {
    pub(super) fn new(document: Document) -> Response {
        Response { document }
    }

    /// The whole message, byte for byte.
    pub fn bytes(&self) -> &[u8] {
        self.document.doc().bytes()
    }

    /// The message as a tree over its bytes.
    pub fn root(&self) -> Option<Value<'_>> {
        self.document.doc().root()
    }

    /// `result`, if it is not an error.
    pub fn result(&self) -> Option<Value<'_>> {
        self.root()?.get("result")
    }

    /// `error`, if there is one.
    pub fn error(&self) -> Option<RpcError> {
        let error = self.root()?.get("error")?;
        Some(RpcError {
            code: error.get("code").and_then(Value::as_i64).unwrap_or(0),
            message: error.get("message").and_then(Value::as_str).map(Cow::into_owned).unwrap_or_default(),
            data: error.get("data").map(|data| data.raw_str().into_owned()),
        })
    }

    /// A result with `isError: true`: the tool failed.
    pub fn is_tool_error(&self) -> bool {
        self.result().and_then(|result| result.get("isError")).and_then(Value::as_bool) == Some(true)
    }

    /// A result that asks for input.
    pub fn is_input_required(&self) -> bool {
        self.result().and_then(|result| result.get("resultType")).is_some_and(|kind| kind.str_eq("input_required"))
    }

    /// A result that is the answer, and no failure.
    pub fn is_ok(&self) -> bool {
        self.result().is_some() && !self.is_tool_error() && !self.is_input_required()
    }

    /// The texts of the content blocks, in order.
    pub fn texts(&self) -> Vec<String> {
        let blocks = self.result().and_then(|result| result.get("content"));
        blocks
            .into_iter()
            .flat_map(Value::elements)
            .filter_map(|block| block.get("text").and_then(Value::as_str).map(Cow::into_owned))
            .collect()
    }
}
