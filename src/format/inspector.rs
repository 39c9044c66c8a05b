//! Exports of the MCP Inspector: an array of protocol entries, or of network entries.
//!
//! In a protocol entry `direction` is a kind (request, response, notification); the direction is `origin`, which old files
//! do not have. An answer stands with its request and came `duration` milliseconds later. The Inspector keeps the last 1000.

use std::borrow::Cow;

use super::import::At;
use super::web::{Exchange, Web};
use super::{Confidence, Format, Import, detect::Head, text, time};
use crate::trace::Missing;
use crate::wire::frame::{Dir, Headers};
use crate::wire::json::Value;

/// See the module.
pub(super) const FORMAT: Format =
    Format { name: "inspector", about: "protocol or network export of the MCP Inspector", detect, read };

fn is_protocol(v: Value<'_>) -> bool {
    v.get("message").is_some_and(Value::is_object) && v.get("timestamp").is_some() && v.get("direction").is_some()
}

fn is_network(v: Value<'_>) -> bool {
    v.get("requestHeaders").is_some() && v.get("url").is_some() && v.get("timestamp").is_some()
}

fn detect(head: &Head<'_>) -> Confidence {
    let entry = head.first.filter(|f| f.is_array()).and_then(|f| f.index(0));
    Confidence::sure_if(entry.is_some_and(|e| is_protocol(e) || is_network(e)))
}

fn read(bytes: &[u8], import: &mut Import) {
    import.missing = import.missing | Missing::BYTES;
    let mut web = None;
    text::document(bytes, import, |import, root, line_of| {
        for entry in root.elements() {
            let line = line_of.line(entry.span().start);
            let t = import.time(entry.get("timestamp"));
            if is_network(entry) {
                web.get_or_insert_with(Web::default).push(exchange(entry, line, t));
            } else if is_protocol(entry) {
                protocol(entry, At { line, t, conn: 1 }, import);
            }
        }
    });
    match web {
        Some(web) => web.finish(import),
        None => {
            import.excerpt = true;
            import.sort_by_time();
        }
    }
}

fn protocol(entry: Value<'_>, at: At, import: &mut Import) {
    let dir = match entry.get("origin").and_then(Value::as_str).as_deref() {
        Some("client") => Some(Dir::C2s),
        Some("server") => Some(Dir::S2c),
        _ => None,
    };
    if let Some(message) = entry.get("message") {
        import.value(at, dir, message.raw());
    }
    let later = at.t.map(|t| t + time::millis(entry.get("duration").and_then(Value::as_f64)));
    let at = At { t: later, ..at };
    if let Some(response) = entry.get("response").filter(|r| r.is_object()) {
        import.value(at, dir.map(Dir::opposite), response.raw());
    }
    if let Some(error) = entry.get("clientError").and_then(Value::as_str) {
        import.said(at, format!("the client refused the answer: {error}").as_bytes());
    }
}

fn exchange(entry: Value<'_>, line: u32, start: Option<i64>) -> Exchange {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(Cow::into_owned);
    let end = start.map(|t| t + time::millis(entry.get("duration").and_then(Value::as_f64)));
    // Tokens are exchanged there.
    let auth = entry.get("category").is_some_and(|c| c.str_eq("auth"));
    let body = |key: &str| text(key).map(String::into_bytes).filter(|_| !auth);
    let status = entry.get("responseStatus").and_then(Value::as_i64);
    Exchange {
        line,
        start,
        head: end,
        end,
        method: text("method").unwrap_or_default(),
        url: text("url").unwrap_or_default(),
        request_headers: headers(entry.get("requestHeaders")),
        request: body("requestBody").unwrap_or_default(),
        status: status.and_then(|s| u16::try_from(s).ok()),
        headers: headers(entry.get("responseHeaders")),
        size: body("responseBody").is_none().then_some(0).filter(|_| auth),
        body: body("responseBody"),
        packed: false,
    }
}

fn headers(object: Option<Value<'_>>) -> Headers<'static> {
    object
        .into_iter()
        .flat_map(Value::members)
        .filter_map(|(k, v)| Some((Cow::Owned(k.as_str().into_owned()), Cow::Owned(v.as_str()?.into_owned()))))
        .collect()
}
