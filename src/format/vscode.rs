//! The output channel "MCP: NAME" of VS Code: `YYYY-MM-DD HH:MM:SS.mmm [level] TEXT`, local time.
//!
//! `[editor -> server] JSON` and `[server -> editor] JSON` (in March 2025 `[Client Says]`, `[Server Says]`) are messages, as
//! the editor's own objects: no bytes. They are written at the level Trace only.

use super::import::At;
use super::{Confidence, FaultKind, Format, Import, detect::Head, text, time};
use crate::trace::Missing;
use crate::wire::frame::{Dir, EventKind};
use crate::wire::json::Parser;

/// See the module.
pub(super) const FORMAT: Format = Format { name: "vscode", about: "output of VS Code, MCP: NAME", detect, read };

const MARKS: &[(&[u8], Dir)] = &[
    (b"[editor -> server] ", Dir::C2s),
    (b"[server -> editor] ", Dir::S2c),
    (b"[Client Says] ", Dir::C2s),
    (b"[Server Says] ", Dir::S2c),
    (b"[server stderr] ", Dir::Err),
];

/// `YYYY-MM-DD HH:MM:SS.mmm [level] TEXT`: the time and the text. Cursor writes the same.
pub(super) fn entry(line: &[u8]) -> Option<(time::Stamp, &[u8])> {
    let (stamp, end) = time::stamp(line)?;
    let rest = line[end..].strip_prefix(b" [")?;
    let close = memchr::memchr(b']', &rest[..rest.len().min(20)])?;
    if line.get(10) != Some(&b' ') || !rest[..close].iter().all(u8::is_ascii_alphabetic) {
        return None;
    }
    Some((stamp, rest[close + 1..].strip_prefix(b" ").unwrap_or(&rest[close + 1..])))
}

fn mark(text: &[u8]) -> Option<(Dir, &[u8])> {
    MARKS.iter().find_map(|(mark, dir)| Some((*dir, text.strip_prefix(*mark)?)))
}

fn detect(head: &Head<'_>) -> Confidence {
    let known = |text: &[u8]| {
        mark(text).is_some() || text.starts_with(b"Connection state: ") || text.starts_with(b"Starting server ")
    };
    Confidence::sure_if(head.lines().filter_map(entry).any(|(_, text)| known(text)))
}

fn read(bytes: &[u8], import: &mut Import) {
    import.excerpt = true;
    import.missing = import.missing | Missing::BYTES;
    let mut parser = Parser::new();
    let (mut conn, mut used) = (1, false);
    let mut last = None;
    for line in text::lines(bytes) {
        let Some((stamp, text)) = entry(line.text) else {
            // The rest of an entry of several lines, a stack mostly.
            if !line.text.trim_ascii().is_empty() {
                import.said(At { line: line.number, t: last, conn }, line.text);
            }
            continue;
        };
        last = Some(stamp.micros);
        import.local |= !stamp.zoned;
        if text.starts_with(b"Starting server ") && used {
            (conn, used) = (conn + 1, false);
        }
        let at = At { line: line.number, t: last, conn };
        match mark(text) {
            Some((Dir::Err, text)) => import.stderr(at, text),
            Some((dir, rest)) => match text::json(&mut parser, rest) {
                Some(json) => {
                    used = true;
                    import.message(at, Some(dir), json);
                }
                None => {
                    import.fault(line.number, line.offset, line.text.len(), FaultKind::NoRecord("a message in JSON"))
                }
            },
            None => {
                if let Some(name) = text.strip_prefix(b"Starting server ") {
                    import.header.name.get_or_insert_with(|| String::from_utf8_lossy(name).into_owned());
                    import.event(at, EventKind::Open);
                } else if text == b"Connection state: Stopped" {
                    import.event(at, EventKind::Close);
                }
                import.said(at, text);
            }
        }
    }
    if import.frames() == 0 {
        import.notes.push(
            "this output holds no messages: set the log level of the channel to Trace (the gear of the Output view, or \
             \"Developer: Set Log Level\") and restart the server; or write \
             mcpscope attach -- before the server's command in mcp.json"
                .into(),
        );
    }
}
