//! A session: the scope of ids, lists and capabilities. One start of a stdio server, one HTTP session, or one stateless
//! HTTP client. Rules read it; only the analysis changes it, after a message was judged.

pub mod calm;
pub mod caps;
pub mod handshake;
pub mod inputs;
pub mod lists;
pub mod logs;
pub mod note;
pub mod numbers;
pub mod open;
pub mod probe;
pub mod stream;
pub mod subs;
pub mod tasks;
pub mod tokens;
pub mod trouble;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet};

pub use calm::CalmMeta;
pub use caps::Caps;
pub use handshake::Handshake;
pub use inputs::{Inputs, Waiting};
pub use lists::{List, Listed, Listing, Lists};
pub use logs::Logs;
pub use numbers::Numbers;
pub use open::{Answer, Cancelled, How, Open, Pairing};
pub use probe::Probe;
pub use stream::Stream;
pub use subs::{Subs, Subscription};
pub use tokens::Tokens;
pub use trouble::{Stuck, Trouble};

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
    /// Record of the event.
    pub record: u32,
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
    /// Nothing says that something came before the first message: an id, token or cursor that was not seen was not sent.
    /// Weaker than `began`, which a file without life-cycle events cannot show.
    pub whole: bool,
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
    /// What went wrong on the wire so far, by direction.
    pub trouble: [Trouble; 2],
    /// When each side closed its stream.
    pub eof: [Option<Micros>; 2],
    /// A signal was passed on to the server before it ended.
    pub signalled: Option<Micros>,
    /// How the process ended.
    pub exit: Option<Exit>,
    /// Records of stderr lines, for "what did it say around the failure". Only the newest 4,096 are kept.
    pub stderr: Vec<u32>,
    /// For each of them the record of the last message that the server had sent before it, or `NONE`.
    pub stderr_after: Vec<u32>,
    /// Results that ask for input (2026-07-28).
    pub waiting: Inputs,
    /// Subscriptions (`subscriptions/listen`) that are open: exchange and id, oldest first. Of more than 1,024 the
    /// newest.
    pub listens: Vec<(u32, Id<'static>)>,
    /// `_meta` that was judged before.
    pub calm_meta: CalmMeta,
    /// A gap in the recording: what spans it is not judged.
    pub gap: bool,
    /// Record of the last gap: requests before it and answers after it are not judged.
    pub gap_record: Option<u32>,
    /// Exchanges of the last batch of each direction, while none of them has been answered.
    pub batch: [Vec<u32>; 2],
    /// Integers that a double cannot hold, by the direction in which they went.
    pub numbers: [Numbers; 2],
    /// The recording stopped without an event that says how the wire ended.
    pub recording_ended: bool,
    /// The lists that the server has shown.
    pub lists: Lists,
    /// The tasks that were told about.
    pub tasks: tasks::Tasks,
    /// Subscriptions of both eras.
    pub subs: Subs,
    /// Log messages asked for.
    pub logs: Logs,
    /// What answers have shown about the server's era.
    pub probe: Probe,
    /// Record of the first request other than `ping` that came before `initialize`.
    pub worked_before_initialize: Option<u32>,
    /// A request other than `ping` came after the result of `initialize` and before `notifications/initialized`.
    pub worked_before_initialized: bool,
    late: FxHashMap<u32, u32>,
    open: FxHashMap<u32, Open>,
    in_flight: [BTreeSet<u32>; 2],
    /// Newest exchange by direction and id.
    by_id: FxHashMap<u64, u32>,
    /// Newest exchange by direction and text of the id without its type.
    by_text: FxHashMap<u64, u32>,
    /// Exchanges in flight by direction and id, where more than one is.
    crowds: FxHashMap<u64, BTreeSet<u32>>,
    /// Notifications that carry an id: their records, by direction and id.
    with_id: FxHashMap<u64, u32>,
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

/// The key of an id without its type: `1` and `"1"` have the same.
fn text_key(dir: Dir, id: &Id<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (dir == Dir::C2s).hash(&mut hasher);
    id.text.trim_matches('"').hash(&mut hasher);
    hasher.finish()
}

/// Subscriptions that are kept at most.
const MAX_LISTENS: usize = 1024;

impl Session {
    /// A session about which nothing is known.
    pub fn new(index: u32, conn: u32, transport: Transport, began: bool) -> Session {
        Session {
            index,
            conn,
            transport,
            session_id: None,
            began,
            whole: began,
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
            trouble: Default::default(),
            eof: [None; 2],
            signalled: None,
            exit: None,
            stderr: Vec::new(),
            stderr_after: Vec::new(),
            waiting: Inputs::default(),
            listens: Vec::new(),
            calm_meta: CalmMeta::default(),
            gap: false,
            gap_record: None,
            batch: Default::default(),
            numbers: Default::default(),
            recording_ended: false,
            lists: Lists::default(),
            tasks: tasks::Tasks::default(),
            subs: Subs::default(),
            logs: Logs::default(),
            probe: Probe::default(),
            worked_before_initialize: None,
            worked_before_initialized: false,
            late: FxHashMap::default(),
            open: FxHashMap::default(),
            in_flight: Default::default(),
            by_id: FxHashMap::default(),
            by_text: FxHashMap::default(),
            crowds: FxHashMap::default(),
            with_id: FxHashMap::default(),
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

    /// The exchange in flight whose id differs from this one only by its type (`1` and `"1"`).
    pub fn by_other_type(&self, dir: Dir, id: &Id<'_>) -> Option<&Open> {
        let exchange = self.by_text.get(&text_key(dir, id))?;
        self.open(*exchange).filter(|o| o.cancelled.is_none() && o.id.same_but_type(id))
    }

    /// The exchanges in flight that share this id, oldest first; none where at most one has it.
    pub fn crowd(&self, dir: Dir, id: &Id<'_>) -> Option<&BTreeSet<u32>> {
        if self.crowds.is_empty() {
            return None;
        }
        self.crowds.get(&key(dir, id))
    }

    /// A request was sent. Returns the older exchange with the same id, if there is one.
    pub fn begin(&mut self, open: Open) -> Option<u32> {
        let (way, key, exchange) = (way(open.dir), key(open.dir, &open.id), open.exchange);
        self.requests[way] += 1;
        let older = self.by_id.insert(key, exchange);
        self.by_text.insert(text_key(open.dir, &open.id), exchange);
        if let Some(older) = older {
            let waits = self.in_flight[way].contains(&older);
            if waits || self.crowds.contains_key(&key) {
                let crowd = self.crowds.entry(key).or_default();
                crowd.insert(exchange);
                if waits {
                    crowd.insert(older);
                }
            }
        }
        self.in_flight[way].insert(exchange);
        self.open.insert(exchange, open);
        older
    }

    fn leave(&mut self, exchange: u32, way: usize, key: u64) {
        self.in_flight[way].remove(&exchange);
        if self.crowds.is_empty() {
            return;
        }
        if let Some(crowd) = self.crowds.get_mut(&key) {
            crowd.remove(&exchange);
            if crowd.is_empty() {
                self.crowds.remove(&key);
            }
        }
    }

    /// A request was answered (or given up): nothing more is kept of it.
    pub fn finish(&mut self, exchange: u32) -> Option<Open> {
        let open = self.open.remove(&exchange)?;
        let key = if self.crowds.is_empty() { 0 } else { key(open.dir, &open.id) };
        self.leave(exchange, way(open.dir), key);
        Some(open)
    }

    /// A request was cancelled: it is no longer in flight, but a late answer can still be paired.
    pub fn cancel(&mut self, exchange: u32, by: Cancelled) {
        if let Some(open) = self.open.get_mut(&exchange) {
            open.cancelled.get_or_insert(by);
            let (way, key) = (way(open.dir), key(open.dir, &open.id));
            self.leave(exchange, way, key);
        }
    }

    /// A subscription is open.
    pub fn listen(&mut self, exchange: u32, id: Id<'static>) {
        if self.listens.len() >= MAX_LISTENS {
            self.listens.remove(0);
        }
        self.listens.push((exchange, id));
    }

    /// Whether a subscription is open; they are in the order of their exchanges.
    pub fn is_listening(&self, exchange: u32) -> bool {
        self.listens.binary_search_by_key(&exchange, |(e, _)| *e).is_ok()
    }

    /// A subscription has ended, if it was one.
    pub fn unlisten(&mut self, exchange: u32) {
        if let Ok(i) = self.listens.binary_search_by_key(&exchange, |(e, _)| *e) {
            self.listens.remove(i);
        }
    }

    /// A notification carried an id: an answer to it is not the fault of whoever answers.
    pub fn note_id_of_notification(&mut self, dir: Dir, id: &Id<'_>, record: u32) {
        self.with_id.insert(key(dir, id), record);
    }

    /// The notification of this direction that carried this id.
    pub fn notification_with_id(&self, dir: Dir, id: &Id<'_>) -> Option<u32> {
        if self.with_id.is_empty() {
            return None;
        }
        self.with_id.get(&key(dir, id)).copied()
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
