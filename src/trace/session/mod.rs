//! A session: the scope of ids, lists and capabilities. One start of a stdio server, one HTTP session, or one stateless
//! HTTP client. Rules read it; only the analysis changes it, after a message was judged.

pub mod caps;
pub mod handshake;
pub mod inputs;
pub mod lists;
pub mod note;
pub mod open;
pub mod stream;
pub mod tokens;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet};

pub use caps::Caps;
pub use handshake::Handshake;
pub use inputs::Waiting;
pub use lists::{List, Listed, Listing, Lists};
pub use open::{Answer, Cancelled, How, Open, Pairing};
pub use stream::Stream;
pub use tokens::Tokens;

use crate::mcp::Revision;
use crate::wire::frame::{Dir, Micros};
use crate::wire::id::Id;

/// What the session runs over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transport {
    /// One process, lines on its pipes.
    Stdio,
    /// Streamable HTTP or HTTP+SSE.
    Http,
}

/// How the process ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Exit {
    /// Exit status, if it ended by itself.
    pub status: Option<i32>,
    /// The signal that killed it.
    pub signal: Option<String>,
    /// When.
    pub t: Micros,
}

/// Facts of one session.
#[derive(Clone, Debug)]
pub struct Session {
    /// Index into the store's sessions.
    pub index: u32,
    /// Connection, from 1.
    pub conn: u32,
    /// What it runs over.
    pub transport: Transport,
    /// `Mcp-Session-Id` handed out with a successful `initialize`.
    pub session_id: Option<Box<str>>,
    /// The trace shows its beginning: rules about beginnings may fire.
    pub began: bool,
    /// The nearest sign of a revision so far.
    pub sign: Option<Revision>,
    /// The client has sent a request with a modern `_meta`.
    pub client_modern: bool,
    /// The server has answered in a way that only a modern one does.
    pub server_modern: bool,
    /// The legacy handshake.
    pub handshake: Handshake,
    /// What the client declared in `initialize`. (Modern clients declare with each request.)
    pub client_caps: Option<Caps>,
    /// What the server declared in the result of `initialize` or `server/discover`.
    pub server_caps: Option<Caps>,
    /// Versions that the server said it speaks (`server/discover`, `data.supported`).
    pub server_versions: Option<Vec<Box<str>>>,
    /// Progress tokens.
    pub tokens: Tokens,
    /// Requests sent so far, by direction: c2s, s2c.
    pub requests: [u32; 2],
    /// Record of the last message of each direction.
    pub last_message: [u32; 2],
    /// Messages that wanted no answer (notifications, requests without id) and have not been answered, by direction.
    pub unanswerable: [Option<u32>; 2],
    /// Lines of each direction that nobody could read so far.
    pub unreadable: [u32; 2],
    /// When each side closed its stream.
    pub eof: [Option<Micros>; 2],
    /// A signal was passed on to the server before it ended.
    pub signalled: Option<Micros>,
    /// How the process ended.
    pub exit: Option<Exit>,
    /// Records of stderr lines, for "what did it say around the failure". Only the newest 4,096 are kept.
    pub stderr: Vec<u32>,
    /// Results that ask for input, newest last (2026-07-28).
    pub waiting: Vec<Waiting>,
    /// Subscriptions (`subscriptions/listen`) that are open: exchange and id.
    pub listens: Vec<(u32, Id<'static>)>,
    /// A gap in the recording: what spans it is not judged.
    pub gap: bool,
    /// The lists that the server has shown.
    pub lists: Lists,
    open: FxHashMap<u32, Open>,
    in_flight: [BTreeSet<u32>; 2],
    by_id: FxHashMap<u64, u32>,
    event_ids: FxHashSet<u64>,
}

/// Index for per-direction arrays: 0 for c2s, 1 for s2c.
pub fn way(dir: Dir) -> usize {
    usize::from(dir != Dir::C2s)
}

fn key(dir: Dir, id: &Id<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (dir == Dir::C2s).hash(&mut hasher);
    id.kind.hash(&mut hasher);
    id.text.hash(&mut hasher);
    hasher.finish()
}

impl Session {
    /// A session about which nothing is known.
    pub fn new(index: u32, conn: u32, transport: Transport, began: bool) -> Session {
        Session {
            index,
            conn,
            transport,
            session_id: None,
            began,
            sign: None,
            client_modern: false,
            server_modern: false,
            handshake: Handshake::default(),
            client_caps: None,
            server_caps: None,
            server_versions: None,
            tokens: Tokens::default(),
            requests: [0; 2],
            last_message: [super::NONE; 2],
            unanswerable: [None; 2],
            unreadable: [0; 2],
            eof: [None; 2],
            signalled: None,
            exit: None,
            stderr: Vec::new(),
            waiting: Vec::new(),
            listens: Vec::new(),
            gap: false,
            lists: Lists::default(),
            open: FxHashMap::default(),
            in_flight: Default::default(),
            by_id: FxHashMap::default(),
            event_ids: FxHashSet::default(),
        }
    }

    /// Runs over HTTP.
    pub fn is_http(&self) -> bool {
        self.transport == Transport::Http
    }

    /// A request in flight, or one that was cancelled and whose late answer may still come.
    pub fn open(&self, exchange: u32) -> Option<&Open> {
        self.open.get(&exchange)
    }

    /// The same, to be changed.
    pub fn open_mut(&mut self, exchange: u32) -> Option<&mut Open> {
        self.open.get_mut(&exchange)
    }

    /// Exchanges in flight that requests of this direction began, oldest first. Cancelled ones are not in flight.
    pub fn in_flight(&self, dir: Dir) -> impl DoubleEndedIterator<Item = &Open> {
        self.in_flight[way(dir)].iter().filter_map(|e| self.open.get(e))
    }

    /// How many are in flight.
    pub fn in_flight_count(&self, dir: Dir) -> usize {
        self.in_flight[way(dir)].len()
    }

    /// The newest exchange that a request of this direction with this id began.
    pub fn by_id(&self, dir: Dir, id: &Id<'_>) -> Option<u32> {
        self.by_id.get(&key(dir, id)).copied()
    }

    /// A request was sent. Returns the older exchange with the same id, if there is one.
    pub fn begin(&mut self, open: Open) -> Option<u32> {
        self.requests[way(open.dir)] += 1;
        self.in_flight[way(open.dir)].insert(open.exchange);
        let older = self.by_id.insert(key(open.dir, &open.id), open.exchange);
        self.open.insert(open.exchange, open);
        older
    }

    /// A request was answered (or given up): nothing more is kept of it.
    pub fn finish(&mut self, exchange: u32) -> Option<Open> {
        let open = self.open.remove(&exchange)?;
        self.in_flight[way(open.dir)].remove(&exchange);
        Some(open)
    }

    /// A request was cancelled: it is no longer in flight, but a late answer can still be paired.
    pub fn cancel(&mut self, exchange: u32, by: Cancelled) {
        if let Some(open) = self.open.get_mut(&exchange) {
            open.cancelled.get_or_insert(by);
            let dir = open.dir;
            self.in_flight[way(dir)].remove(&exchange);
        }
    }

    /// All exchanges still open at the end, oldest first.
    pub fn all_open(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.open.keys().copied().collect();
        all.sort_unstable();
        all
    }

    /// Notes an SSE event id; true if it was seen before in this session (a replay after resumption).
    pub fn note_event_id(&mut self, id: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        !self.event_ids.insert(hasher.finish())
    }
}
