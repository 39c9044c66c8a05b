//! What the analysis keeps of one connection: its sessions, HTTP exchanges, lines that wait, and what may be taken back.

use rustc_hash::FxHashMap;

use crate::trace::session::Stream;
use crate::wire::frame::{Encoding, Eol, Event, Frame, Http, Item, Place};

use super::framing::Joiner;

/// Items that are held at the beginning of a connection until a message shows which revision is spoken.
pub(super) const MAX_HELD: usize = 32;
pub(super) const MAX_HELD_BYTES: usize = 1 << 20;
/// Trace time, in microseconds, for which they are held at most.
pub(super) const MAX_HELD_TIME: i64 = 2_000_000;

/// A copied item.
#[derive(Clone, Debug)]
pub(super) enum Owned {
    Frame { line: u32, frame: Box<OwnedFrame> },
    Event(Event),
}

#[derive(Clone, Debug)]
pub(super) struct OwnedFrame {
    pub t: i64,
    pub dir: crate::wire::frame::Dir,
    pub conn: u32,
    pub payload: Box<[u8]>,
    pub eol: Eol,
    pub http: Option<Http<'static>>,
    pub place: Place,
    /// Frame number.
    pub number: u32,
}

impl OwnedFrame {
    pub fn new(frame: &Frame<'_>, number: u32) -> OwnedFrame {
        OwnedFrame {
            t: frame.t,
            dir: frame.dir,
            conn: frame.conn,
            payload: frame.payload.into(),
            eol: frame.eol,
            http: frame.http.clone().map(Http::into_owned),
            place: frame.place,
            number,
        }
    }

    pub fn borrow(&self, line: u32) -> Frame<'_> {
        Frame {
            line,
            t: self.t,
            dir: self.dir,
            conn: self.conn,
            payload: &self.payload,
            eol: self.eol,
            http: self.http.clone(),
            place: self.place,
        }
    }
}

impl Owned {
    pub fn new(item: &Item<'_>, number: u32) -> Owned {
        match item {
            Item::Frame(frame) => Owned::Frame { line: frame.line, frame: Box::new(OwnedFrame::new(frame, number)) },
            Item::Event(event) => Owned::Event(event.clone()),
        }
    }
}

/// One connection.
#[derive(Default, Debug)]
pub(super) struct Conn {
    /// `spawn` or `open` was seen: the trace shows its beginning.
    pub began: bool,
    /// `exit`, `close` or `end` was seen.
    pub clean_end: bool,
    /// Session that messages without a better sign belong to.
    pub session: Option<u32>,
    /// Over HTTP: the session of 2026-07-28 requests.
    pub modern: Option<u32>,
    /// Over HTTP: sessions by the id that the server handed out.
    pub by_id: FxHashMap<Box<str>, u32>,
    /// All sessions that began on it.
    pub sessions: Vec<u32>,
    /// HTTP exchanges.
    pub streams: FxHashMap<u32, Stream>,
    /// What they have to do with each other.
    pub web: super::web::Web,
    /// Lines that wait, by direction.
    pub joiners: [Joiner; 2],
    /// Held items.
    pub held: Vec<Owned>,
    pub held_bytes: usize,
    /// No sign came in time: the revision is assumed, nothing is held any more.
    pub assumed: bool,
    /// A sign was seen.
    pub signed: bool,
    /// The first sign, for what was held before it.
    pub next_sign: Option<crate::mcp::Revision>,
    /// Findings of 2026-07-28 on answers of a server that has not shown itself modern: taken back when `initialize`
    /// follows.
    pub provisional: Vec<u32>,
    /// The wire of this connection has ended.
    pub ended: bool,
}

/// Where a payload is, in memory only.
pub(super) fn in_memory() -> Place {
    Place { offset: 0, len: 0, encoding: Encoding::Memory }
}
