//! Logs of Claude Code, `mcp-logs-SERVER/*.jsonl`: an object a line with `debug` or `error`, `timestamp`, `sessionId`.
//!
//! They tell when a server was connected and which tools were called; messages are in them only in some versions, as the
//! text of a `debug` entry, without a direction. Retries append to the same file.

use rustc_hash::FxHashMap;

use super::import::At;
use super::{Confidence, Format, Import, detect::Head, text};
use crate::trace::Missing;
use crate::wire::frame::EventKind;
use crate::wire::json::{Parser, Value};

/// See the module.
pub(super) const FORMAT: Format =
    Format { name: "claude-code", about: "mcp-logs-SERVER/*.jsonl of Claude Code", detect, read };

fn detect(head: &Head<'_>) -> Confidence {
    let is = |v: Value<'_>| {
        let says = |key: &str| v.get(key).is_some_and(Value::is_string);
        (says("debug") || says("error")) && says("timestamp") && says("sessionId")
    };
    Confidence::sure_if(head.first.is_some_and(is))
}

fn read(bytes: &[u8], import: &mut Import) {
    import.excerpt = true;
    import.missing = import.missing | Missing::BYTES;
    let mut parser = Parser::new();
    let mut conns: FxHashMap<String, u32> = FxHashMap::default();
    let mut next = 0;
    text::json_lines(bytes, import, |import, line, root| {
        let t = import.time(root.get("timestamp"));
        let session = root.get("sessionId").and_then(Value::as_str).unwrap_or_default();
        let error = root.get("error").and_then(Value::as_str);
        let Some(said) = error.clone().or_else(|| root.get("debug").and_then(Value::as_str)) else {
            return import.fault(
                line.number,
                line.offset,
                line.text.len(),
                super::FaultKind::NoRecord("`debug` or `error`"),
            );
        };
        let starts = said.starts_with("Starting connection");
        if starts || !conns.contains_key(session.as_ref()) {
            next += 1;
            conns.insert(session.clone().into_owned(), next);
        }
        let at = At { line: line.number, t, conn: conns.get(session.as_ref()).copied().unwrap_or(1) };
        if let Some(text) = said.strip_prefix("Server stderr: ") {
            return text.lines().for_each(|l| import.stderr(at, l.as_bytes()));
        }
        let message = said.find("{\"").and_then(|i| text::json(&mut parser, &said.as_bytes()[i..]));
        match message.filter(|m| memchr::memmem::find(m, b"\"jsonrpc\"").is_some()) {
            Some(message) => import.message(at, None, message),
            None => {
                if starts {
                    import.event(at, EventKind::Open);
                }
                import.said(at, said.as_bytes());
            }
        }
    });
    if import.frames() == 0 {
        import.notes.push(
            "Claude Code does not write messages into this log: to see them, write mcpscope attach -- before the server's command"
                .into(),
        );
    }
}
