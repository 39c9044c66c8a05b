//! mcp-trace-validator and mcp-conformance-core: lines with `seq`, `direction`, `transport`, `kind`.
//!
//! `seq` is the only order. HTTP heads are lines of their own with some of the headers: they become events.

use super::import::At;
use super::{Confidence, FaultKind, Format, Import, detect::Head, text};
use crate::trace::Missing;
use crate::wire::frame::{Dir, EventKind};
use crate::wire::json::Value;

/// See the module.
pub(super) const FORMAT: Format =
    Format { name: "mcp-trace-validator", about: "traces of mcp-trace-validator", detect, read };

fn dir(v: Value<'_>) -> Option<Dir> {
    match v.get("direction")?.as_str()?.as_ref() {
        "client-to-server" => Some(Dir::C2s),
        "server-to-client" => Some(Dir::S2c),
        _ => None,
    }
}

fn detect(head: &Head<'_>) -> Confidence {
    let is = |v: Value<'_>| v.get("seq").is_some() && dir(v).is_some() && v.get("kind").is_some();
    Confidence::sure_if(head.first.is_some_and(is))
}

fn read(bytes: &[u8], import: &mut Import) {
    import.missing = import.missing | Missing::BYTES;
    text::json_lines(bytes, import, |import, line, root| {
        let t = import.time(root.get("ts"));
        let at = At { line: line.number, t, conn: 1 };
        let kind = root.get("kind").and_then(Value::as_str).unwrap_or_default();
        if root.get("transport").is_some_and(|t| !t.str_eq("stdio")) {
            import.missing = import.missing | Missing::HTTP;
            import.header.transport = Some("http".into());
        }
        match (&*kind, dir(root)) {
            ("message", Some(dir)) => {
                if let Some(payload) = root.get("payload") {
                    import.value(at, Some(dir), payload.raw());
                }
            }
            ("http", _) => {
                let what = root.get("method").or_else(|| root.get("status"));
                let what = what.map(|w| w.as_str().unwrap_or_else(|| w.raw_str()));
                import.event(at, EventKind::Other(format!("HTTP {}", what.unwrap_or_default())));
            }
            ("lifecycle", _) => match root.get("event").and_then(Value::as_str).as_deref() {
                Some("transport-open") => import.event(at, EventKind::Open),
                Some("transport-close" | "transport-abort") => import.event(at, EventKind::Close),
                _ => {}
            },
            _ => import.fault(
                line.number,
                line.offset,
                line.text.len(),
                FaultKind::NoRecord("`direction` and a known `kind`"),
            ),
        }
    });
}
