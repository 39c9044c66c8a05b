//! mcp-recorder: one JSON document with `interactions`, pairs of request and response with a latency.
//!
//! There are no absolute times: the pairs are put one after the other. Notifications of a stream are not in it, nor are
//! HTTP heads.

use super::import::At;
use super::{Confidence, Format, Import, detect::Head, text, time};
use crate::trace::Missing;
use crate::wire::frame::{Dir, EventKind};
use crate::wire::json::Value;

/// See the module.
pub(super) const FORMAT: Format = Format { name: "mcp-recorder", about: "cassettes of mcp-recorder", detect, read };

fn detect(head: &Head<'_>) -> Confidence {
    let is = |v: Value<'_>| {
        v.get("version").is_some_and(Value::is_string)
            && v.get("interactions").is_some_and(|i| i.index(0).is_none_or(|i| i.get("type").is_some()))
    };
    Confidence::sure_if(head.first.is_some_and(is))
}

fn read(bytes: &[u8], import: &mut Import) {
    import.missing = import.missing | Missing::BYTES;
    text::document(bytes, import, |import, root, line_of| {
        let mut t = import.time(root.path(&["metadata", "recorded_at"]));
        import.undated = t.is_none();
        import.header.transport = root.path(&["metadata", "transport_type"]).and_then(Value::as_str).map(Into::into);
        import.header.url = root.path(&["metadata", "server_url"]).and_then(Value::as_str).map(Into::into);
        import.header.name = root.path(&["metadata", "server_info", "name"]).and_then(Value::as_str).map(Into::into);
        if import.header.transport.as_deref().is_some_and(|t| t != "stdio") {
            import.missing = import.missing | Missing::HTTP;
        }
        for pair in root.get("interactions").into_iter().flat_map(Value::elements) {
            let at = At { line: line_of.line(pair.span().start), t, conn: 1 };
            let later = t.map(|t| t + time::millis(pair.get("latency_ms").and_then(Value::as_f64)));
            let object = |key: &str| pair.get(key).filter(|v| v.is_object() || v.is_array());
            if let Some(request) = object("request") {
                import.value(at, Some(Dir::C2s), request.raw());
            } else if let Some(method) = pair.get("http_method").and_then(Value::as_str) {
                import.event(at, EventKind::Other(format!("HTTP {method}")));
            }
            if let Some(response) = object("response") {
                import.value(At { t: later, ..at }, Some(Dir::S2c), response.raw());
            }
            t = later;
        }
    });
    import.notes.push("times between the exchanges are not in this file: only how long each took".into());
}
