//! What a reader of a foreign format fills: payloads in one piece of memory, and frames and events that point into it.

use crate::trace::Missing;
use crate::wire::frame::{Dir, Encoding, Eol, Event, EventKind, Frame, Http, Item, Micros, Place};
use crate::wire::json::Value;

use super::{Fault, FaultKind, Header, infer};

/// Faults beyond this many are counted, not kept.
const MAX_FAULTS: usize = 10_000;
/// Text of an event that is a line of a log.
const MAX_EVENT_TEXT: usize = 200;
/// Bytes that bodies may decompress to, all together: a small file must not fill the memory.
const MAX_UNPACKED: u64 = 1 << 30;

/// Where something stands: its line in the file, its time (microseconds since 1970), its connection.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// Line, from 1; 0 where there is none.
    pub line: u32,
    /// Time, where the source has one.
    pub t: Option<i64>,
    /// Connection, from 1.
    pub conn: u32,
}

impl At {
    /// A line of the first connection, without a time.
    pub fn line(line: u32) -> At {
        At { line, t: None, conn: 1 }
    }
}

#[derive(Debug)]
pub(super) struct Draft {
    pub(super) line: u32,
    pub(super) t: Option<i64>,
    pub(super) conn: u32,
    pub(super) what: What,
}

#[derive(Debug)]
pub(super) enum What {
    Frame { dir: Option<Dir>, start: usize, len: u32, eol: Eol, http: Option<Box<Http<'static>>> },
    Event(EventKind),
}

/// A foreign file, read whole.
#[derive(Debug, Default)]
pub struct Import {
    /// What the file says of itself.
    pub header: Header,
    /// What it cannot carry.
    pub missing: Missing,
    /// What the user should know about it, each one sentence.
    pub notes: Vec<String>,
    /// A piece out of the middle: what comes before it is not known. [`Import::finish`] says no if it begins with the
    /// handshake.
    pub excerpt: bool,
    /// The times are local, of an unknown zone.
    pub local: bool,
    /// The times are times of day, of an unknown date.
    pub undated: bool,
    arena: Vec<u8>,
    pub(super) drafts: Vec<Draft>,
    faults: Vec<Fault>,
    fault_count: u64,
    sort: bool,
    unpacked: u64,
}

impl Import {
    /// A message or another line of stdio. Without a direction it is inferred in the end.
    pub fn message(&mut self, at: At, dir: Option<Dir>, payload: &[u8]) {
        self.line(at, dir, payload, Eol::Lf);
    }

    /// The same with the line end that it had.
    pub fn line(&mut self, at: At, dir: Option<Dir>, payload: &[u8], eol: Eol) {
        self.push_frame(at, dir, payload, eol, None);
    }

    /// A value of a document, as a message on one line: blanks between tokens go where it stands on several lines.
    pub fn value(&mut self, at: At, dir: Option<Dir>, raw: &[u8]) {
        match one_line(raw) {
            Some(text) => self.message(at, dir, &text),
            None => self.message(at, dir, raw),
        }
    }

    /// A line of the server's stderr.
    pub fn stderr(&mut self, at: At, text: &[u8]) {
        self.line(at, Some(Dir::Err), text, Eol::Lf);
    }

    /// A part of an HTTP exchange.
    pub fn http(&mut self, at: At, dir: Dir, http: Http<'static>, payload: &[u8]) {
        self.push_frame(at, Some(dir), payload, Eol::Lf, Some(Box::new(http)));
    }

    /// Something that happened.
    pub fn event(&mut self, at: At, kind: EventKind) {
        self.drafts.push(Draft { line: at.line, t: at.t, conn: at.conn, what: What::Event(kind) });
    }

    /// A line of a log that is no traffic: kept as an event with (the beginning of) its text.
    pub fn said(&mut self, at: At, text: &[u8]) {
        let text = text.trim_ascii();
        if !text.is_empty() {
            let cut = &text[..text.len().min(MAX_EVENT_TEXT)];
            self.event(at, EventKind::Other(String::from_utf8_lossy(cut).into_owned()));
        }
    }

    /// A time in RFC 3339; remembers whether it named its zone.
    pub fn time(&mut self, value: Option<Value<'_>>) -> Option<i64> {
        let stamp = super::time::whole(value?.as_str()?.as_bytes())?;
        self.local |= !stamp.zoned;
        Some(stamp.micros)
    }

    /// A piece of the file that cannot be read.
    pub fn fault(&mut self, line: u32, offset: usize, len: usize, kind: FaultKind) {
        self.fault_count += 1;
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(Fault { line, offset: offset as u64, len: len as u64, kind });
        }
    }

    /// The file's order is not that of the wire: put by time in the end.
    pub fn sort_by_time(&mut self) {
        self.sort = true;
    }

    /// Decompresses a body; `None` if it cannot be, or if all bodies together are too large.
    pub fn unpack(&mut self, encoding: &str, body: &[u8]) -> Option<Vec<u8>> {
        use std::io::Read as _;
        let left = MAX_UNPACKED.saturating_sub(self.unpacked);
        let mut out = Vec::new();
        let read = match encoding.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => flate2::read::MultiGzDecoder::new(body).take(left).read_to_end(&mut out),
            "deflate" => flate2::read::ZlibDecoder::new(body).take(left).read_to_end(&mut out),
            "br" => brotli_decompressor::Decompressor::new(body, 4096).take(left).read_to_end(&mut out),
            "zstd" => ruzstd::decoding::StreamingDecoder::new(body).ok()?.take(left).read_to_end(&mut out),
            _ => return None,
        };
        self.unpacked += out.len() as u64;
        read.ok().filter(|_| (out.len() as u64) < left).map(|_| out)
    }

    /// Frames of any kind so far.
    pub fn frames(&self) -> usize {
        self.drafts.iter().filter(|d| matches!(d.what, What::Frame { dir, .. } if dir != Some(Dir::Err))).count()
    }

    /// Lines that could not be read (the first 10,000).
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// How many of these there were.
    pub fn fault_count(&self) -> u64 {
        self.fault_count
    }

    fn push_frame(&mut self, at: At, dir: Option<Dir>, payload: &[u8], eol: Eol, http: Option<Box<Http<'static>>>) {
        let payload = &payload[..payload.len().min(u32::MAX as usize)];
        let start = self.arena.len();
        self.arena.extend_from_slice(payload);
        let what = What::Frame { dir, start, len: payload.len() as u32, eol, http };
        self.drafts.push(Draft { line: at.line, t: at.t, conn: at.conn, what });
    }

    pub(super) fn payload(&self, draft: &Draft) -> &[u8] {
        match &draft.what {
            What::Frame { start, len, .. } => &self.arena[*start..*start + *len as usize],
            What::Event(_) => &[],
        }
    }

    /// Turns all directions round if those that the methods prove say the opposite more often.
    pub fn check_polarity(&mut self) {
        let (mut right, mut wrong) = (0u32, 0u32);
        for draft in &self.drafts {
            let What::Frame { dir: Some(dir), .. } = draft.what else { continue };
            match infer::certain(self.payload(draft)) {
                Some(proved) if proved == dir => right += 1,
                Some(_) => wrong += 1,
                None => {}
            }
        }
        if wrong > right {
            for draft in &mut self.drafts {
                if let What::Frame { dir: Some(dir), .. } = &mut draft.what {
                    *dir = dir.opposite();
                }
            }
            self.notes.push(
                "the file's marks mean the opposite of what they usually do: directions were turned round".into(),
            );
        }
    }

    /// Infers directions, puts times on the trace's own clock, and notes what follows from the whole.
    pub fn finish(&mut self) {
        self.infer();
        self.clock();
        let (mut client, mut server, mut first) = (0u32, 0u32, true);
        let mut whole = true;
        let mut begun = rustc_hash::FxHashSet::default();
        for draft in &self.drafts {
            let What::Frame { dir, .. } = &draft.what else { continue };
            match dir {
                Some(Dir::C2s) => client += 1,
                Some(Dir::S2c) => server += 1,
                _ => continue,
            }
            if begun.insert(draft.conn) {
                whole &= infer::begins(self.payload(draft));
            }
            first = false;
        }
        if whole && !first {
            self.excerpt = false;
        }
        if first {
            // Nothing is there to be judged.
            self.missing = Missing::NONE;
        }
        if (client > 0) != (server > 0) {
            self.missing = self.missing | Missing::ANSWERS;
            let who = if client > 0 { "client" } else { "server" };
            self.notes.push(format!("only what the {who} sent is in this file"));
        }
    }

    fn infer(&mut self) {
        let drafts = std::mem::take(&mut self.drafts);
        let (drafts, report) = infer::directions(drafts, &self.arena);
        self.drafts = drafts;
        if report.inferred > 0 {
            self.missing = self.missing | Missing::DIRECTION;
            let guessed = match report.guessed {
                0 => String::new(),
                n => format!(", {n} of them guessed"),
            };
            self.notes.push(format!("the directions of {} messages are inferred{guessed}", report.inferred));
        }
    }

    fn clock(&mut self) {
        let Some(base) = self.drafts.iter().filter_map(|d| d.t).min() else {
            if !self.drafts.is_empty() {
                self.missing = self.missing | Missing::TIME;
            }
            return;
        };
        let mut last = base;
        let mut without = 0u32;
        for draft in &mut self.drafts {
            let message = matches!(draft.what, What::Frame { dir, .. } if dir != Some(Dir::Err));
            without += u32::from(message && draft.t.is_none());
            last = *draft.t.get_or_insert(last);
        }
        if without > 0 {
            self.missing = self.missing | Missing::TIME;
            self.notes.push(format!("{without} messages have no time of their own: they stand in the file's order"));
        }
        if self.sort {
            self.drafts.sort_by_key(|d| d.t);
        }
        for draft in &mut self.drafts {
            draft.t = draft.t.map(|t| t.saturating_sub(base));
        }
        if !self.undated {
            self.header.created = super::time::write(base, !self.local);
        }
    }

    /// Hands on every frame and event in order. Places are offsets into [`Import::into_arena`].
    pub fn items(&self, each: &mut dyn FnMut(Item<'_>)) {
        for draft in &self.drafts {
            let (line, conn, t): (u32, u32, Micros) = (draft.line, draft.conn, draft.t.unwrap_or(0));
            match &draft.what {
                What::Frame { dir, start, len, eol, http } => each(Item::Frame(Frame {
                    line,
                    t,
                    dir: dir.unwrap_or(Dir::S2c),
                    conn,
                    payload: self.payload(draft),
                    eol: *eol,
                    http: http.as_deref().cloned(),
                    place: Place { offset: *start as u64, len: *len, encoding: Encoding::Verbatim },
                })),
                What::Event(kind) => each(Item::Event(Event { line, t, conn, kind: kind.clone() })),
            }
        }
    }

    /// The memory that the places of the frames point into.
    pub fn into_arena(self) -> Vec<u8> {
        self.arena
    }
}

/// The value without the blanks between its tokens, if it stands on several lines.
pub(crate) fn one_line(raw: &[u8]) -> Option<Vec<u8>> {
    memchr::memchr2(b'\n', b'\r', raw)?;
    let mut out = Vec::with_capacity(raw.len());
    let (mut inside, mut escaped) = (false, false);
    for &c in raw {
        if inside {
            out.push(c);
            inside = escaped || c != b'"';
            escaped = !escaped && c == b'\\';
        } else if !matches!(c, b' ' | b'\t' | b'\n' | b'\r') {
            out.push(c);
            inside = c == b'"';
        }
    }
    Some(out)
}
