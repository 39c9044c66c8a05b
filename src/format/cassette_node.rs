//! mcp-cassette for Node: a `header` line, then `frame`, `raw` and `chunks` lines with times in milliseconds since the start.
//!
//! `chunks` are written when a stream ends: put by time. Unknown types are skipped, as the format demands.

use super::import::At;
use super::{Confidence, Format, Import, detect::Head, text, time};
use crate::trace::Missing;
use crate::wire::frame::Dir;
use crate::wire::json::Value;

/// See the module.
pub(super) const FORMAT: Format =
    Format { name: "mcp-cassette", about: "cassettes of mcp-cassette (Node)", detect, read };

fn detect(head: &Head<'_>) -> Confidence {
    let is = |v: Value<'_>| v.get("type").is_some_and(|t| t.str_eq("header")) && v.get("cassetteVersion").is_some();
    Confidence::sure_if(head.first.is_some_and(is))
}

fn read(bytes: &[u8], import: &mut Import) {
    import.missing = import.missing | Missing::BYTES;
    import.sort_by_time();
    import.undated = true;
    let mut base = 0;
    text::json_lines(bytes, import, |import, line, root| {
        let kind = root.get("type").and_then(Value::as_str).unwrap_or_default();
        let when = |v: Value<'_>| Some(base + time::millis(v.get("t").and_then(Value::as_f64)));
        let dir = match root.get("dir").and_then(Value::as_str).as_deref() {
            Some("c2s") => Some(Dir::C2s),
            Some("s2c") => Some(Dir::S2c),
            _ => None,
        };
        let at = |t| At { line: line.number, t, conn: 1 };
        match (&*kind, dir) {
            ("header", _) => {
                if let Some(t) = import.time(root.get("startedAt")) {
                    (base, import.undated) = (t, false);
                }
                import.header.tool = root.get("recorder").and_then(Value::as_str).map(Into::into);
                import.header.transport = root.get("transport").and_then(Value::as_str).map(Into::into);
                import.header.url = root.get("url").and_then(Value::as_str).map(Into::into);
                let words = root.get("command").into_iter().flat_map(Value::elements);
                import.header.command = words.filter_map(|w| w.as_str().map(Into::into)).collect();
                if import.header.transport.as_deref().is_some_and(|t| t != "stdio") {
                    import.missing = import.missing | Missing::HTTP;
                }
                if root.path(&["redaction", "applied"]).and_then(Value::as_bool) == Some(true) {
                    import.header.sanitized = Some("by the recorder".into());
                }
            }
            ("frame", Some(dir)) => {
                if let Some(frame) = root.get("frame") {
                    import.value(at(when(root)), Some(dir), frame.raw());
                }
            }
            ("raw", Some(dir)) => {
                if let Some(text) = root.get("data").and_then(Value::as_str) {
                    import.message(at(when(root)), Some(dir), text.trim_end_matches(['\r', '\n']).as_bytes());
                }
            }
            ("chunks", Some(dir)) => {
                for chunk in root.get("chunks").into_iter().flat_map(Value::elements) {
                    if let Some(frame) = chunk.get("frame") {
                        import.value(at(when(chunk)), Some(dir), frame.raw());
                    }
                }
            }
            _ => {}
        }
    });
}
