//! mcp-rec: `{ts, dir, msg}` lines, `ts` in seconds since 1970.

use super::import::At;
use super::{Confidence, FaultKind, Format, Import, detect::Head, text, time};
use crate::trace::Missing;
use crate::wire::frame::Dir;
use crate::wire::json::Value;

/// See the module.
pub(super) const FORMAT: Format = Format { name: "mcp-rec", about: "recordings of mcp-rec", detect, read };

fn dir(v: Value<'_>) -> Option<Dir> {
    match v.get("dir")?.as_str()?.as_ref() {
        "client->server" => Some(Dir::C2s),
        "server->client" => Some(Dir::S2c),
        _ => None,
    }
}

fn detect(head: &Head<'_>) -> Confidence {
    let is = |v: Value<'_>| dir(v).is_some() && v.get("msg").is_some();
    Confidence::sure_if(head.first.is_some_and(is))
}

fn read(bytes: &[u8], import: &mut Import) {
    import.missing = import.missing | Missing::BYTES;
    text::json_lines(bytes, import, |import, line, root| {
        let t = root.get("ts").and_then(Value::as_f64).and_then(time::seconds);
        match (dir(root), root.get("msg")) {
            (Some(dir), Some(msg)) => {
                let at = At { line: line.number, t, conn: 1 };
                match msg.as_str() {
                    Some(text) => import.message(at, Some(dir), text.trim_end_matches(['\r', '\n']).as_bytes()),
                    None => import.value(at, Some(dir), msg.raw()),
                }
            }
            _ => import.fault(line.number, line.offset, line.text.len(), FaultKind::NoRecord("`dir` and `msg`")),
        }
    });
}
