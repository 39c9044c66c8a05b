//! What a trace is made of: frames (something on the wire) and events (something that happened).
//!
//! A frame borrows its payload; whoever reads a file or a socket makes frames, and the analysis takes them one by one.

use std::borrow::Cow;

/// Time since the trace was created, in microseconds, monotonic.
pub type Micros = i64;

/// Which way bytes went.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Dir {
    /// Client to server.
    C2s,
    /// Server to client.
    S2c,
    /// The server's standard error: it reaches no peer.
    Err,
}

impl Dir {
    /// As the trace format writes it: `c2s`, `s2c`, `err`.
    pub fn as_str(self) -> &'static str {
        match self {
            Dir::C2s => "c2s",
            Dir::S2c => "s2c",
            Dir::Err => "err",
        }
    }

    /// The other direction of the wire; stderr has none and stays itself.
    #[must_use]
    pub fn opposite(self) -> Dir {
        match self {
            Dir::C2s => Dir::S2c,
            Dir::S2c => Dir::C2s,
            Dir::Err => Dir::Err,
        }
    }

    /// Who sent it.
    pub fn sender(self) -> Side {
        match self {
            Dir::C2s => Side::Client,
            Dir::S2c | Dir::Err => Side::Server,
        }
    }
}

/// One of the two parties: who sent something, or who has to change something.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Side {
    /// The MCP client (in a host).
    Client,
    /// The MCP server.
    Server,
}

impl Side {
    /// `client` or `server`.
    pub fn as_str(self) -> &'static str {
        match self {
            Side::Client => "client",
            Side::Server => "server",
        }
    }

    /// The other party.
    #[must_use]
    pub fn other(self) -> Side {
        match self {
            Side::Client => Side::Server,
            Side::Server => Side::Client,
        }
    }
}

/// How a frame's payload ended on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Eol {
    /// A line feed (stdio), or not applicable (HTTP).
    #[default]
    Lf,
    /// Carriage return and line feed.
    CrLf,
    /// The stream ended without a line end: the payload may be cut off.
    None,
}

/// How the payload is written in a file, so that a reader can find the bytes again without keeping them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// The bytes of the file at `offset..offset + len` are the payload.
    #[default]
    Verbatim,
    /// They are the inside of a JSON string (without its quotes).
    JsonString,
    /// They are base64.
    Base64,
    /// There is no such place: the frame lives only in memory.
    Memory,
}

/// Where the payload stands in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// Byte offset in the source.
    pub offset: u64,
    /// Length there in bytes (of the encoded form).
    pub len: u32,
    /// How it is written there.
    pub encoding: Encoding,
}

/// One thing that went over the wire: a line on stdio or stderr, an HTTP head, body, SSE event or stream end.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// Line in the file, from 1; 0 where the format has no lines.
    pub line: u32,
    /// When its last byte was read.
    pub t: Micros,
    /// Which way.
    pub dir: Dir,
    /// Connection, from 1. On stdio each start of the server is a connection of its own.
    pub conn: u32,
    /// The wire's own bytes without the line end; empty where there was no body.
    pub payload: &'a [u8],
    /// How the line ended.
    pub eol: Eol,
    /// HTTP context; `None` on stdio.
    pub http: Option<Http<'a>>,
    /// Where the payload can be read again.
    pub place: Place,
}

/// What an HTTP frame is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HttpKind {
    /// Request head with its whole body.
    Request,
    /// Response head, with its whole body unless an event stream follows.
    Response,
    /// One SSE event (or comment).
    Sse,
    /// The exchange ended.
    End,
}

/// How an HTTP exchange ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HttpEnd {
    /// The body ended in good order.
    Eof,
    /// The connection broke.
    Reset,
    /// The client closed it.
    Client,
    /// The tap or a peer gave up waiting.
    Timeout,
}

/// Header list as it came: order, case and repetition are evidence.
pub type Headers<'a> = Vec<(Cow<'a, str>, Cow<'a, str>)>;

/// The HTTP side of a frame.
#[derive(Clone, Debug)]
pub struct Http<'a> {
    /// Which part of an exchange.
    pub kind: HttpKind,
    /// Number of the HTTP exchange.
    pub stream: u32,
    /// Request method.
    pub method: Option<Cow<'a, str>>,
    /// Request target (path and query, or as written).
    pub path: Option<Cow<'a, str>>,
    /// Response status.
    pub status: Option<u16>,
    /// Headers as they came.
    pub headers: Headers<'a>,
    /// Trailers as they came.
    pub trailers: Headers<'a>,
    /// SSE `event:` field.
    pub event: Option<Cow<'a, str>>,
    /// SSE `id:` field.
    pub id: Option<Cow<'a, str>>,
    /// SSE `retry:` field, in milliseconds.
    pub retry: Option<u64>,
    /// An SSE comment line: the payload is its text, and no event.
    pub comment: bool,
    /// The event's own text where it is not what a plain writer would write.
    pub raw: Option<Cow<'a, str>>,
    /// How the exchange ended (`End` only).
    pub how: Option<HttpEnd>,
    /// Content-Encoding whose decoded form the payload is.
    pub encoding: Option<Cow<'a, str>>,
    /// The payload is still encoded: it could not be decoded.
    pub undecoded: bool,
    /// Bytes of the body that were not recorded.
    pub cut: Option<u64>,
}

impl<'a> Http<'a> {
    /// An HTTP context with nothing in it but its kind and stream.
    pub fn new(kind: HttpKind, stream: u32) -> Self {
        Http {
            kind,
            stream,
            method: None,
            path: None,
            status: None,
            headers: Vec::new(),
            trailers: Vec::new(),
            event: None,
            id: None,
            retry: None,
            comment: false,
            raw: None,
            how: None,
            encoding: None,
            undecoded: false,
            cut: None,
        }
    }

    /// First value of a header; names compare without case (RFC 9110 section 5.1).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_ref())
    }

    /// Copies everything that is borrowed.
    pub fn into_owned(self) -> Http<'static> {
        fn own(c: Option<Cow<'_, str>>) -> Option<Cow<'static, str>> {
            c.map(|c| Cow::Owned(c.into_owned()))
        }
        fn all(h: Headers<'_>) -> Headers<'static> {
            h.into_iter().map(|(n, v)| (Cow::Owned(n.into_owned()), Cow::Owned(v.into_owned()))).collect()
        }
        Http {
            kind: self.kind,
            stream: self.stream,
            method: own(self.method),
            path: own(self.path),
            status: self.status,
            headers: all(self.headers),
            trailers: all(self.trailers),
            event: own(self.event),
            id: own(self.id),
            retry: self.retry,
            comment: self.comment,
            raw: own(self.raw),
            how: self.how,
            encoding: own(self.encoding),
            undecoded: self.undecoded,
            cut: self.cut,
        }
    }
}

/// Something that happened and is no traffic.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Line in the file, from 1; 0 where the format has no lines.
    pub line: u32,
    /// When.
    pub t: Micros,
    /// Connection, from 1.
    pub conn: u32,
    /// What.
    pub kind: EventKind,
}

/// The kinds of events of the native trace format.
#[derive(Clone, PartialEq, Debug)]
pub enum EventKind {
    /// The server process was started.
    Spawn {
        /// Its process id, where known.
        pid: Option<u32>,
    },
    /// The server's command could not be started.
    SpawnFailed {
        /// What the operating system said.
        why: String,
    },
    /// A connection was opened.
    Open,
    /// A connection was closed.
    Close,
    /// The tap received a signal and passed it on.
    Signal {
        /// `SIGTERM` and so on.
        name: String,
    },
    /// A side closed its stream: `stdin` (the client), `stdout` or `stderr` (the server).
    Eof {
        /// Whose direction ended.
        of: Dir,
    },
    /// The server process ended.
    Exit {
        /// Exit status, if it ended by itself.
        status: Option<i32>,
        /// Signal name, if one killed it.
        signal: Option<String>,
    },
    /// The record ends here in good order.
    End {
        /// Number of frames that the recorder wrote.
        frames: Option<u64>,
    },
    /// Something could not be recorded.
    Gap {
        /// Which direction, if one.
        dir: Option<Dir>,
        /// Frames lost, where known.
        frames: Option<u64>,
        /// Bytes lost, where known.
        bytes: Option<u64>,
        /// Why.
        why: String,
    },
    /// A line has begun and not ended for over a second.
    Partial {
        /// Which direction.
        dir: Dir,
        /// Bytes so far.
        bytes: u64,
        /// Since when (seconds of the trace's clock, in microseconds).
        since: Micros,
    },
    /// The reader does not take what is written to it, for over a second.
    Blocked {
        /// Which direction.
        dir: Dir,
        /// Since when.
        since: Micros,
    },
    /// Bytes that could not be delivered: the reader is gone.
    Undelivered {
        /// Which direction.
        dir: Dir,
        /// How many bytes.
        bytes: u64,
    },
    /// Wall clock time, noted when it jumped (RFC 3339).
    Clock {
        /// The wall clock's new time.
        wall: String,
    },
    /// Anything else: kept and ignored. Holds the event's name.
    Other(String),
}

/// A frame or an event: what formats give and the analysis takes.
// Frames are nearly all of the items: a box for each would cost more than the empty bytes of the few events.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Item<'a> {
    /// Traffic.
    Frame(Frame<'a>),
    /// Life.
    Event(Event),
}
