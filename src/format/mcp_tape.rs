//! mcp-tape and mcp-replay, "trace format v1": a `meta` line, `{t, dir, raw}` lines, an `end` line.
//!
//! `in` is client to server: seen from the server. Messages were parsed and written again.

use super::import::At;
use super::{Confidence, FaultKind, Format, Import, detect::Head, text};
use crate::trace::Missing;
use crate::wire::frame::{Dir, EventKind};
use crate::wire::json::Value;

/// See the module.
pub(super) const FORMAT: Format =
    Format { name: "mcp-tape", about: "recordings of mcp-tape and mcp-replay", detect, read };

fn detect(head: &Head<'_>) -> Confidence {
    let is = |v: Value<'_>| {
        (v.get("v").is_some_and(Value::is_number) && v.get("type").is_some_and(|t| t.str_eq("meta")))
            || (v.get("raw").is_some_and(Value::is_object) && dir(v).is_some())
    };
    Confidence::sure_if(head.first.is_some_and(is))
}

fn dir(v: Value<'_>) -> Option<Dir> {
    let dir = v.get("dir")?;
    if dir.str_eq("in") { Some(Dir::C2s) } else { dir.str_eq("out").then_some(Dir::S2c) }
}

fn read(bytes: &[u8], import: &mut Import) {
    import.missing = import.missing | Missing::BYTES;
    import.header.transport = Some("stdio".into());
    text::json_lines(bytes, import, |import, line, root| {
        let t = import.time(root.get("t"));
        let at = At { line: line.number, t, conn: 1 };
        let kind = root.get("type");
        if kind.is_some_and(|k| k.str_eq("meta")) {
            import.header.name = root.get("label").and_then(Value::as_str).map(Into::into);
            let words = root.get("command").into_iter().flat_map(Value::elements);
            import.header.command = words.filter_map(|w| w.as_str().map(Into::into)).collect();
        } else if kind.is_some_and(|k| k.str_eq("end")) {
            let status = root.get("exitCode").and_then(Value::as_i64).and_then(|s| i32::try_from(s).ok());
            import.event(at, EventKind::Exit { status, signal: None });
        } else {
            match (dir(root), root.get("raw")) {
                (Some(dir), Some(raw)) => import.value(at, Some(dir), raw.raw()),
                _ => import.fault(line.number, line.offset, line.text.len(), FaultKind::NoRecord("`dir` and `raw`")),
            }
        }
    });
}
