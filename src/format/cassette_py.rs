//! mcp-cassette for Python: one JSON document with `messages`, each with `sender`, `t_offset_ms` and `payload`.
//!
//! The payload of a `raw` message is the line's text.

use super::import::At;
use super::{Confidence, Format, Import, detect::Head, text, time};
use crate::trace::Missing;
use crate::wire::frame::Dir;
use crate::wire::json::Value;

/// See the module.
pub(super) const FORMAT: Format =
    Format { name: "mcp-cassette-py", about: "cassettes of mcp-cassette (Python)", detect, read };

fn detect(head: &Head<'_>) -> Confidence {
    let is = |v: Value<'_>| {
        let sender = v.get("messages").is_some_and(|m| m.index(0).is_none_or(|m| m.get("sender").is_some()));
        v.get("format_version").is_some_and(Value::is_number) && sender && v.get("messages").is_some()
    };
    Confidence::sure_if(head.first.is_some_and(is))
}

fn read(bytes: &[u8], import: &mut Import) {
    import.missing = import.missing | Missing::BYTES;
    text::document(bytes, import, |import, root, line_of| {
        let base = import.time(root.get("recorded_at"));
        import.undated = base.is_none();
        import.header.transport = root.get("transport").and_then(Value::as_str).map(Into::into);
        import.header.url = root.get("server_url").and_then(Value::as_str).map(Into::into);
        import.header.name = root.path(&["server_info", "name"]).and_then(Value::as_str).map(Into::into);
        if import.header.transport.as_deref().is_some_and(|t| t != "stdio") {
            import.missing = import.missing | Missing::HTTP;
        }
        for message in root.get("messages").into_iter().flat_map(Value::elements) {
            let offset = time::millis(message.get("t_offset_ms").and_then(Value::as_f64));
            let at = At { line: line_of.line(message.span().start), t: Some(base.unwrap_or(0) + offset), conn: 1 };
            let client = message.get("sender").is_some_and(|s| s.str_eq("client"));
            let dir = Some(if client { Dir::C2s } else { Dir::S2c });
            match message.get("payload") {
                Some(text) if text.is_string() => {
                    let text = text.as_str().unwrap_or_default();
                    import.message(at, dir, text.trim_end_matches(['\r', '\n']).as_bytes());
                }
                Some(payload) => import.value(at, dir, payload.raw()),
                None => {}
            }
        }
    });
}
