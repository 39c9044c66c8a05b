//! Lists in pages, with cursors that mean nothing to the client.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::error::RpcError;
use super::faults::Fault;
use super::request::{Answer, Request};

/// Cuts the page that the request asks for out of `items` and wraps it as `{key: [...], nextCursor?}`.
pub(super) fn page(request: &Request, key: &str, items: Vec<Value>, size: usize) -> Answer {
    let start = match request.params.get("cursor") {
        None => 0,
        Some(Value::String(cursor)) => decode(key, cursor)
            .filter(|start| *start < items.len())
            .ok_or_else(|| RpcError::invalid_params("cursor was not given out by this server"))?,
        Some(_) => return Err(RpcError::invalid_params("cursor must be a string")),
    };
    let end = items.len().min(start + size);
    let more = end < items.len();
    let next = if request.faults.has(Fault::CursorLoop) && start > 0 { Some(start) } else { more.then_some(end) };
    let mut result = json!({ key: items[start..end] });
    if let Some(next) = next {
        result["nextCursor"] = json!(URL_SAFE_NO_PAD.encode(format!("{key}:{next}")));
    }
    Ok(request.cacheable(result, 60_000, "public"))
}

fn decode(key: &str, cursor: &str) -> Option<usize> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    String::from_utf8(bytes).ok()?.strip_prefix(key)?.strip_prefix(':')?.parse().ok()
}
