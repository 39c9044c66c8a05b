//! Logs of Claude Desktop: `mcp-server-NAME.log` (`TIME [NAME] [LEVEL] TEXT { metadata: … }`) and `mcp.log`
//! (`TIME [LEVEL] [NAME] TEXT`).
//!
//! Messages were written again by the host: no bytes. After the JSON comes text that is none (`{ metadata: undefined }`),
//! which may span lines. A server's stderr stands between the lines without a mark. Several runs follow each other.

use rustc_hash::FxHashMap;

use super::import::At;
use super::{Confidence, FaultKind, Format, Import, detect::Head, text, time};
use crate::trace::Missing;
use crate::wire::frame::{Dir, EventKind};
use crate::wire::json::Parser;

/// See the module.
pub(super) const FORMAT: Format =
    Format { name: "claude-desktop", about: "mcp.log and mcp-server-NAME.log of Claude Desktop", detect, read };

const LEVELS: &[&[u8]] = &[b"info", b"error", b"warn", b"warning", b"debug", b"trace"];
const CLIENT: &[u8] = b"Message from client: ";
const SERVER: &[u8] = b"Message from server: ";

struct Entry<'a> {
    t: i64,
    name: &'a [u8],
    text: &'a [u8],
}

fn entry(line: &[u8]) -> Option<Entry<'_>> {
    let (stamp, end) = time::stamp(line)?;
    if !stamp.zoned || line.get(10) != Some(&b'T') {
        return None;
    }
    let (first, rest) = bracket(line[end..].strip_prefix(b" ")?)?;
    if !LEVELS.contains(&first) {
        let (level, text) = bracket(rest)?;
        return LEVELS.contains(&level).then_some(Entry { t: stamp.micros, name: first, text });
    }
    let (name, text) = bracket(rest).unwrap_or((b"", rest));
    Some(Entry { t: stamp.micros, name, text })
}

/// `[WORD] REST`
fn bracket(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.strip_prefix(b"[")?;
    let end = memchr::memchr(b']', &text[..text.len().min(200)])?;
    Some((&text[..end], text[end + 1..].strip_prefix(b" ").unwrap_or(&text[end + 1..])))
}

fn detect(head: &Head<'_>) -> Confidence {
    let mut entries = head.lines().filter_map(entry);
    match (entries.next(), entries.next()) {
        (Some(_), Some(_)) => Confidence::Sure,
        (Some(e), None) if e.text.starts_with(CLIENT) || e.text.starts_with(SERVER) => Confidence::Sure,
        (Some(_), None) => Confidence::Perhaps,
        _ => Confidence::No,
    }
}

/// A connection of the log: whether it has begun, and whether it is over.
struct Run {
    conn: u32,
    used: bool,
    closed: bool,
}

fn read(bytes: &[u8], import: &mut Import) {
    import.excerpt = true;
    import.missing = import.missing | Missing::BYTES;
    let mut parser = Parser::new();
    let mut runs: FxHashMap<Vec<u8>, Run> = FxHashMap::default();
    let mut conns = 0;
    let mut host = Run { conn: 1, used: false, closed: false };
    let mut last: Option<At> = None;
    // Within the text after a message that is no JSON, until a line that begins with its closing brace.
    let mut inspecting = false;
    for line in text::lines(bytes) {
        let Some(entry) = entry(line.text) else {
            if inspecting {
                inspecting = !line.text.starts_with(b"}");
            } else if !line.text.trim_ascii().is_empty() {
                let mut at = last.unwrap_or(At::line(line.number));
                at.line = line.number;
                import.stderr(at, line.text);
            }
            continue;
        };
        let client = entry.text.strip_prefix(CLIENT);
        let message = client.or_else(|| entry.text.strip_prefix(SERVER));
        let json = message.and_then(|m| text::json(&mut parser, m));
        let starts = entry.text.starts_with(b"Initializing server")
            || client.is_some() && json.is_some_and(super::infer::begins);
        // Lines of `mcp.log` without a name are the host's own.
        let run = if entry.name.is_empty() {
            &mut host
        } else {
            runs.entry(entry.name.to_vec()).or_insert_with(|| {
                conns += 1;
                Run { conn: conns, used: false, closed: false }
            })
        };
        if starts && run.used {
            conns += 1;
            *run = Run { conn: conns, used: false, closed: false };
        }
        let at = At { line: line.number, t: Some(entry.t), conn: run.conn };
        last = Some(at);
        inspecting = message.is_none() && line.text.ends_with(b"{");
        match (json, message) {
            (Some(json), _) => {
                run.used = true;
                import.message(at, Some(if client.is_some() { Dir::C2s } else { Dir::S2c }), json);
            }
            (None, Some(_)) => {
                import.fault(line.number, line.offset, line.text.len(), FaultKind::NoRecord("a message in JSON"));
            }
            (None, None) => {
                let text = entry.text;
                if text.starts_with(b"Server transport closed") && !run.closed {
                    run.closed = true;
                    import.event(at, EventKind::Close);
                }
                let end = memchr::memmem::find(text, b" { metadata").unwrap_or(text.len());
                import.said(at, &text[..end]);
            }
        }
    }
    let mut names: Vec<&[u8]> = runs.keys().map(Vec::as_slice).collect();
    names.sort_unstable();
    if let [name] = names[..] {
        import.header.name = Some(String::from_utf8_lossy(name).into_owned());
    }
    if import.frames() == 0 {
        import.notes.push(
            "this log holds no messages: it is written while a server is connected; mcpscope attach -- before the server's command records the wire itself".into(),
        );
    }
}
