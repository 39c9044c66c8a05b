//! Debug logs of the Python SDK (`mcp.server.sse`, `sse_starlette`, `fastmcp`).
//!
//! `Received JSON: b'…'` and `chunk: b'…'` hold the bytes, as Python writes them. `Sending message via SSE: …` is no JSON.
//! stdio traffic is not logged.

use super::import::At;
use super::{Confidence, Format, Import, detect::Head, text, time};
use crate::wire::frame::Dir;
use crate::wire::sse::{SseItem, SseParser};

/// See the module.
pub(super) const FORMAT: Format =
    Format { name: "python-sdk", about: "debug log of the Python SDK or fastmcp", detect, read };

const RECEIVED: &[u8] = b"Received JSON: b";
const CHUNK: &[u8] = b"chunk: b";
const SENDING: &[u8] = b"Sending message via SSE: ";
const HANDLER: &[u8] = b"Handler called: ";

fn after<'t>(line: &'t [u8], mark: &[u8]) -> Option<&'t [u8]> {
    let at = memchr::memmem::find(&line[..line.len().min(400)], mark)?;
    Some(&line[at + mark.len()..])
}

fn detect(head: &Head<'_>) -> Confidence {
    let (mut sure, mut some) = (false, false);
    for line in head.lines() {
        let bytes =
            [RECEIVED, CHUNK].iter().filter_map(|m| after(line, m)).any(|r| matches!(r.first(), Some(b'\'' | b'"')));
        sure |= bytes || after(line, SENDING).is_some();
        some |= after(line, HANDLER).is_some() && after(line, b"mcp").is_some();
    }
    if sure { Confidence::Sure } else { Confidence::likely_if(some) }
}

fn read(bytes: &[u8], import: &mut Import) {
    import.excerpt = true;
    let mut events = SseParser::new();
    let (mut last, mut sent, mut chunks) = (None, 0u32, 0u32);
    for line in text::lines(bytes) {
        if let Some((stamp, _)) = time::stamp(line.text) {
            import.local |= !stamp.zoned;
            last = Some(stamp.micros);
        }
        let at = At { line: line.number, t: last, conn: 1 };
        if let Some(body) = after(line.text, RECEIVED).and_then(literal) {
            import.message(at, Some(Dir::C2s), body.trim_ascii_end());
        } else if let Some(chunk) = after(line.text, CHUNK).and_then(literal) {
            chunks += 1;
            events.push(&chunk, |item| {
                if let SseItem::Event(event) = item {
                    let ours = event.event.as_deref().is_none_or(|e| e == "message");
                    if ours && event.data_lines > 0 {
                        import.message(at, Some(Dir::S2c), &event.data);
                    }
                }
            });
        } else if after(line.text, SENDING).is_some() {
            sent += 1;
        } else {
            import.said(at, line.text);
        }
    }
    import.missing = import.missing | crate::trace::Missing::HTTP;
    if sent > 0 && chunks == 0 {
        import.notes.push(format!(
            "{sent} messages of the server are in this log as Python objects, not as JSON: log sse_starlette at DEBUG too"
        ));
    }
    if import.frames() == 0 {
        import.notes.push(
            "this log holds no messages: the Python SDK does not log stdio traffic; record it with mcpscope attach -- CMD".into(),
        );
    }
}

/// The bytes of a Python bytes literal, after its `b`.
fn literal(text: &[u8]) -> Option<Vec<u8>> {
    let quote = *text.first().filter(|c| matches!(c, b'\'' | b'"'))?;
    let mut out = Vec::new();
    let mut rest = &text[1..];
    loop {
        match rest {
            [] => return None,
            [c, ..] if *c == quote => return Some(out),
            [b'\\', b'x', high, low, ..] => {
                let digit = |c: &u8| char::from(*c).to_digit(16);
                out.push((digit(high)? * 16 + digit(low)?) as u8);
                rest = &rest[4..];
            }
            [b'\\', c, ..] => {
                out.push(match c {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    c => *c,
                });
                rest = &rest[2..];
            }
            [c, ..] => {
                out.push(*c);
                rest = &rest[1..];
            }
        }
    }
}
