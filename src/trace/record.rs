//! Records: one for each message, stderr line, HTTP head or event that is worth a row. Small, because a trace holds a
//! million of them; the bytes stay where they are and are read again by their place.

use crate::mcp::Revision;
use crate::wire::frame::{Dir, Encoding, Micros, Place};

use super::names::Sym;

/// No exchange, no record, no stream.
pub const NONE: u32 = u32::MAX;

/// What a record is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RecordKind {
    /// A JSON-RPC request.
    Request,
    /// A JSON-RPC notification (also a request that came without its id).
    Notification,
    /// A JSON-RPC response with a result (or with neither result nor error).
    Response,
    /// A JSON-RPC error response.
    Error,
    /// A JSON value that fits no JSON-RPC shape.
    Unrecognised,
    /// Bytes on the wire that are no message: noise, broken JSON.
    Unreadable,
    /// A line that belongs to a message of an earlier line (pretty-printed JSON) or to framing; shown, not counted.
    Fragment,
    /// A line of the server's standard error.
    Stderr,
    /// An HTTP head, comment or end without a message in it.
    Http,
    /// An event: process life, gaps.
    Event,
}

impl RecordKind {
    /// Whether it is a JSON-RPC message.
    pub fn is_message(self) -> bool {
        use RecordKind::{Error, Notification, Request, Response, Unrecognised};
        matches!(self, Request | Notification | Response | Error | Unrecognised)
    }
}

/// The id of a record in 16 bytes: canonical integers inline, everything else interned as JSON text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IdRef {
    /// No id member.
    Absent,
    /// A canonical integer.
    Int(i64),
    /// Any other id, as JSON text.
    Text(Sym),
}

/// Which revision a record is judged by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Judged {
    /// The revision.
    pub revision: Revision,
    /// It was assumed: the wire shows no sign.
    pub assumed: bool,
}

/// One message or loose frame.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Byte offset of the payload in the source.
    pub offset: u64,
    /// When.
    pub t: Micros,
    /// The message's id.
    pub id: IdRef,
    /// Length of the payload in the source (encoded form), bytes.
    pub len: u32,
    /// Frame number, from 1; 0 for an event.
    pub frame: u32,
    /// Line in the file, from 1; 0 where there is none.
    pub line: u32,
    /// Connection, from 1.
    pub conn: u32,
    /// Session: index into [`super::Store::sessions`].
    pub session: u32,
    /// Method, if it has one.
    pub method: Sym,
    /// Tool or prompt name, or resource uri.
    pub target: Sym,
    /// Exchange (index), or `NONE`.
    pub exchange: u32,
    /// HTTP exchange number, or `NONE`.
    pub stream: u32,
    /// Start of the message inside the decoded payload, where it is not all of it (a batch, two messages on a line).
    pub part_start: u32,
    /// Its length there; 0 = the whole payload.
    pub part_len: u32,
    /// How the payload is written in the source.
    pub encoding: Encoding,
    /// What it is.
    pub kind: RecordKind,
    /// Which way it went.
    pub dir: Dir,
    /// What it is judged by.
    pub judged: Judged,
    /// Worst severity found on it: 0 none, 1 info, 2 warning, 3 error.
    pub worst: u8,
}

const _: () = assert!(std::mem::size_of::<Record>() <= 96);

impl Record {
    /// Where the payload is.
    pub fn place(&self) -> Place {
        Place { offset: self.offset, len: self.len, encoding: self.encoding }
    }
}
