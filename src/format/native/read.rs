//! The reader: pieces of a file in, frames and events out.

use super::record::{Bad, Line};
use super::{escape, event, header, http};
use crate::format::{Fault, FaultKind, Header};
use crate::wire::frame::{Encoding, Eol, Event, EventKind, Frame, HttpKind, Item, Micros, Place};

/// Faults beyond this many are counted, not kept: a file that is no trace at all must not fill the memory.
const MAX_FAULTS: usize = 10_000;

/// A line buffer larger than this is given back after the line.
const KEEP: usize = 1 << 20;

/// Reads a trace incrementally: feed it the bytes of a file in pieces of any size, in order.
///
/// A file that grows is fed what was added. [`Reader::finish`] says that nothing will come; until then a line without its
/// end is waited for.
#[derive(Default)]
pub struct Reader {
    lines: Lines,
    state: State,
}

/// Where we are in the file, and the beginning of a line whose end has not come.
#[derive(Default)]
struct Lines {
    carry: Vec<u8>,
    /// Offset of the first byte of the line that comes next (or that `carry` begins).
    offset: u64,
    number: u32,
}

#[derive(Default)]
struct State {
    header: Option<Header>,
    faults: Vec<Fault>,
    fault_count: u64,
    /// The decoded payload of the current line.
    scratch: Vec<u8>,
    last_t: Micros,
    /// Connection of lines that name none: the server's newest start.
    conn: u32,
    highest_conn: u32,
    started: bool,
}

impl Reader {
    /// A reader at the beginning of a file.
    pub fn new() -> Self {
        Reader::default()
    }

    /// Whether the beginning of a file looks like this format: its first line is a header, a frame or an event.
    pub fn sniff(head: &[u8]) -> bool {
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        let first = head.split(|c| *c == b'\n').find(|line| line.iter().any(|c| *c > b' '));
        let Some(line) = first else { return false };
        match Line::read(line) {
            Ok(line) => line.header || ((line.dir.is_some() || line.ctl || line.event.is_some()) && line.t.is_some()),
            // `head` ends within the first line: a long message.
            Err(Bad::Torn) => !head.contains(&b'\n') && line.starts_with(b"{\"t\":"),
            Err(Bad::Other(_)) => false,
        }
    }

    /// Takes the next bytes of the file and hands on every item whose line is whole.
    pub fn feed<F: FnMut(Item<'_>)>(&mut self, mut bytes: &[u8], each: &mut F) {
        if !self.lines.carry.is_empty() {
            let Some(at) = memchr::memchr(b'\n', bytes) else {
                self.lines.carry.extend_from_slice(bytes);
                return;
            };
            self.lines.carry.extend_from_slice(&bytes[..at]);
            bytes = &bytes[at + 1..];
            let mut line = std::mem::take(&mut self.lines.carry);
            self.line(&line, each);
            line.clear();
            line.shrink_to(KEEP);
            self.lines.carry = line;
        }
        while let Some(at) = memchr::memchr(b'\n', bytes) {
            self.line(&bytes[..at], each);
            bytes = &bytes[at + 1..];
        }
        self.lines.carry.extend_from_slice(bytes);
    }

    /// The file ends here. A last line without a line feed counts if it is whole, and is a fault if it is torn.
    pub fn finish<F: FnMut(Item<'_>)>(&mut self, each: &mut F) {
        let line = std::mem::take(&mut self.lines.carry);
        if line.iter().all(|c| *c <= b' ') {
            return;
        }
        if super::grammar::is_one_value(&line) {
            self.line(&line, each);
        } else {
            self.lines.number = self.lines.number.saturating_add(1);
            self.state.fault(&self.lines, line.len(), FaultKind::TornLast);
        }
    }

    /// The header, once its line has been read.
    pub fn header(&self) -> Option<&Header> {
        self.state.header.as_ref()
    }

    /// Lines that are no records, in order. The first 10,000 are kept.
    pub fn faults(&self) -> &[Fault] {
        &self.state.faults
    }

    /// How many faults there were in all.
    pub fn fault_count(&self) -> u64 {
        self.state.fault_count
    }

    /// Bytes at the end that are waiting for their line feed.
    pub fn pending(&self) -> usize {
        self.lines.carry.len()
    }

    /// Lines read so far.
    pub fn line_count(&self) -> u32 {
        self.lines.number
    }

    /// Offset of the first byte that belongs to no finished line.
    pub fn offset(&self) -> u64 {
        self.lines.offset
    }

    fn line<F: FnMut(Item<'_>)>(&mut self, line: &[u8], each: &mut F) {
        self.lines.number = self.lines.number.saturating_add(1);
        self.state.line(&self.lines, line, each);
        self.lines.offset += line.len() as u64 + 1;
    }
}

impl State {
    fn line<F: FnMut(Item<'_>)>(&mut self, at: &Lines, line: &[u8], each: &mut F) {
        let mut skipped = 0;
        let mut text = line;
        if at.offset == 0 && text.starts_with(b"\xef\xbb\xbf") {
            skipped = 3;
            text = &text[3..];
        }
        let read = match Line::read(text) {
            Ok(read) => read,
            Err(_) if text.iter().all(|c| *c <= b' ') => return,
            Err(Bad::Torn) => return self.fault(at, line.len(), FaultKind::TornMiddle),
            Err(Bad::Other(want)) => return self.fault(at, line.len(), FaultKind::NoRecord(want)),
        };
        let t = read.t.unwrap_or(self.last_t);
        self.last_t = t;
        if let Some(name) = read.event {
            let name = String::from_utf8_lossy(name);
            let kind = event::read(&name, text);
            let conn = self.event_conn(read.conn, &kind);
            each(Item::Event(Event { line: at.number, t, conn, kind }));
        } else if read.dir.is_some() {
            self.frame(at, at.offset + skipped, text, read, t, each);
        } else if read.header {
            // A second header stands where files were put together: the first one speaks for the file.
            if self.header.is_none() {
                self.header = header::read(text);
            }
        } else {
            self.fault(at, line.len(), FaultKind::NoRecord("neither `dir` nor `event`"));
        }
    }

    fn frame<F: FnMut(Item<'_>)>(
        &mut self,
        at: &Lines,
        offset: u64,
        text: &[u8],
        read: Line<'_>,
        t: Micros,
        each: &mut F,
    ) {
        let Some(dir) = read.dir else { return };
        let mut payload = read.payload;
        let mut http = None;
        if let Some(object) = read.http {
            let Some(found) = http::read(object, dir) else {
                return self.fault(at, text.len(), FaultKind::NoRecord("`http` without a known `kind`"));
            };
            if let (Some(comment), true) = (found.comment, payload.as_ref().is_none_or(|(_, range)| range.is_empty())) {
                // Both slices are of the same line: the difference of their addresses is an offset in it.
                let start = comment.as_ptr() as usize - text.as_ptr() as usize;
                payload = Some((Encoding::JsonString, start..start + comment.len()));
            }
            http = Some(found.http);
        }
        let mut eol = read.eol.unwrap_or_default();
        if let Some((Encoding::JsonString, range)) = &mut payload {
            // Recorders that keep the carriage return in the text.
            if read.eol.is_none()
                && http.is_none()
                && text[range.clone()].ends_with(b"\\r")
                && !escaped(&text[range.clone()])
            {
                range.end -= 2;
                eol = Eol::CrLf;
            }
        }
        let (encoding, range) = payload.unwrap_or_default();
        let stored = &text[range.clone()];
        let bytes: &[u8] = match encoding {
            Encoding::Verbatim | Encoding::Memory => stored,
            Encoding::JsonString if memchr::memchr(b'\\', stored).is_none() => stored,
            Encoding::JsonString => {
                self.scratch.clear();
                escape::unescape(stored, &mut self.scratch);
                &self.scratch
            }
            Encoding::Base64 => {
                self.scratch.clear();
                if !escape::unbase64(stored, &mut self.scratch) {
                    return self.fault(at, text.len(), FaultKind::NoRecord("a payload in base64"));
                }
                &self.scratch
            }
        };
        let conn = read.conn.unwrap_or(self.conn.max(1));
        self.highest_conn = self.highest_conn.max(conn);
        let place = Place {
            offset: offset + range.start as u64,
            len: u32::try_from(stored.len()).unwrap_or(u32::MAX),
            encoding,
        };
        debug_assert!(http.as_ref().is_none_or(|h| h.kind != HttpKind::End || h.how.is_some()));
        each(Item::Frame(Frame { line: at.number, t, dir, conn, payload: bytes, eol, http, place }));
        self.scratch.shrink_to(KEEP);
    }

    /// Each start of a stdio server is a connection of its own, also where the file does not number them.
    fn event_conn(&mut self, named: Option<u32>, kind: &EventKind) -> u32 {
        let starts = matches!(kind, EventKind::Spawn { .. } | EventKind::SpawnFailed { .. });
        let conn = match named {
            Some(conn) => conn,
            None => {
                if starts && self.started {
                    self.conn = self.highest_conn + 1;
                }
                self.started |= starts;
                self.conn.max(1)
            }
        };
        self.highest_conn = self.highest_conn.max(conn);
        conn
    }

    fn fault(&mut self, at: &Lines, len: usize, kind: FaultKind) {
        self.fault_count += 1;
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(Fault { line: at.number, offset: at.offset, len: len as u64, kind });
        }
    }
}

/// Whether the last two bytes (`\r`) are an escaped backslash and an `r`.
fn escaped(inside: &[u8]) -> bool {
    let slashes = inside[..inside.len() - 1].iter().rev().take_while(|c| **c == b'\\').count();
    slashes % 2 == 0
}
