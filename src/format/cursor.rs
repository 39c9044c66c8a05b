//! "Cursor MCP.log": `YYYY-MM-DD HH:MM:SS.mmm [level] TEXT`, local time; in 2025 TEXT begins with the server's name.
//!
//! There are no messages in it: what Cursor did becomes events, and a note says what is not there.

use super::import::At;
use super::vscode::entry;
use super::{Confidence, Format, Import, detect::Head, text};
use crate::trace::Missing;

/// See the module.
pub(super) const FORMAT: Format = Format { name: "cursor", about: "Cursor MCP.log", detect, read };

const WORDS: &[&[u8]] = &[
    b"Handling CreateClient action",
    b"Handling ListOfferings action",
    b"Handling CallTool action",
    b"Starting new stdio process with command:",
    b"Storing stdio client ",
    b"listOfferings: Found ",
    b"Successfully called tool ",
    b"Successfully connected to ",
    b"Client closed for command",
    b"Error in MCP: ",
];

fn known(text: &[u8]) -> bool {
    WORDS.iter().any(|w| memchr::memmem::find(&text[..text.len().min(200)], w).is_some())
}

fn detect(head: &Head<'_>) -> Confidence {
    let found = head.lines().filter_map(entry).filter(|(_, text)| known(text)).take(2).count();
    if found == 2 { Confidence::Sure } else { Confidence::likely_if(found == 1) }
}

fn read(bytes: &[u8], import: &mut Import) {
    import.excerpt = true;
    import.missing = import.missing | Missing::BYTES | Missing::BODIES;
    let mut last: Option<(i64, &[u8])> = None;
    for line in text::lines(bytes) {
        match entry(line.text) {
            Some((stamp, text)) => {
                import.local |= !stamp.zoned;
                // Lines are often written twice.
                if last != Some((stamp.micros, text)) {
                    // The command line may hold secrets.
                    let command = memchr::memmem::find(text, b"process with command:");
                    let shown = command.map_or(text, |i| &text[..i + 20]);
                    import.said(At { line: line.number, t: Some(stamp.micros), conn: 1 }, shown);
                }
                last = Some((stamp.micros, text));
            }
            None => import.said(At { line: line.number, t: last.map(|l| l.0), conn: 1 }, line.text),
        }
    }
    import.notes.push(
        "Cursor does not write messages into this log, only what it did: to see arguments and results, record the server \
         with mcpscope attach -- before the server's command in mcp.json"
            .into(),
    );
}
