//! What a query is asked about: the store, where the bytes are, and what only the caller knows.

use std::cell::{RefCell, RefMut};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::trace::{NONE, Outcome, Record, Row, Source, Store, Sym, Windows};
use crate::wire::frame::{HttpKind, Micros};
use crate::wire::json::Parser;

/// The surroundings of a question. Made for one look at the store; [`Scratch`] outlives it.
pub struct EvalCx<'a> {
    /// The store.
    pub store: &'a Store,
    /// Where payloads are; without it terms that need bytes match nothing.
    pub source: Option<&'a Source>,
    /// The program that started the tap.
    pub host: Option<&'a str>,
    /// When the trace's clock was 0, in microseconds since 1970.
    pub created: Option<i64>,
    /// The zone in which `12:03:04` is meant.
    pub zone: jiff::tz::TimeZone,
    /// The tap still runs.
    pub live: bool,
    /// Whether the user has marked a row.
    pub marked: Option<&'a dyn Fn(Row) -> bool>,
    scratch: RefCell<Scratch>,
}

impl<'a> EvalCx<'a> {
    /// With nothing known beside the store and its source.
    pub fn new(store: &'a Store, source: Option<&'a Source>) -> EvalCx<'a> {
        EvalCx {
            store,
            source,
            host: None,
            created: None,
            zone: jiff::tz::TimeZone::UTC,
            live: false,
            marked: None,
            scratch: RefCell::default(),
        }
    }

    /// Takes over what an earlier look has read.
    #[must_use]
    pub fn with_scratch(mut self, scratch: Scratch) -> EvalCx<'a> {
        self.scratch = RefCell::new(scratch);
        self
    }

    /// What the trace tells of itself: who started the tap, and when (RFC 3339).
    #[must_use]
    pub fn with_origin(mut self, host: Option<&'a str>, created: Option<&str>) -> EvalCx<'a> {
        self.host = host;
        self.created = created.and_then(|c| c.parse::<jiff::Timestamp>().ok()).map(|t| t.as_microsecond());
        self
    }

    /// Gives the buffers back for the next look.
    pub fn into_scratch(self) -> Scratch {
        self.scratch.into_inner()
    }

    pub(super) fn scratch(&self) -> RefMut<'_, Scratch> {
        self.scratch.borrow_mut()
    }

    /// Local time at which the trace began, as microseconds since 1970 as if in UTC.
    pub(super) fn local(&self, utc: i64) -> i64 {
        let Ok(instant) = jiff::Timestamp::from_microsecond(utc) else { return utc };
        utc + i64::from(self.zone.to_offset(instant).seconds()) * 1_000_000
    }
}

/// Buffers and small indices that are worth keeping from one look at a store to the next. For one trace only.
#[derive(Default)]
pub struct Scratch {
    pub(super) windows: Windows,
    pub(super) parser: Parser,
    extra: Extra,
    heads: Heads,
    read_only: ReadOnly,
}

/// Records of exchanges beside their request and first response.
#[derive(Default)]
struct Extra {
    upto: usize,
    of: FxHashMap<u32, Vec<u32>>,
}

/// HTTP heads by connection and stream.
#[derive(Default)]
struct Heads {
    upto: usize,
    of: FxHashMap<(u32, u32), Vec<u32>>,
}

/// Tools that a server has marked read-only, by session.
#[derive(Default)]
struct ReadOnly {
    upto: usize,
    waiting: Vec<u32>,
    marked: FxHashSet<(u32, Box<str>)>,
}

impl Scratch {
    /// Further records of an exchange: repeated answers, HTTP heads and ends.
    pub(super) fn extra(&mut self, store: &Store, exchange: u32) -> &[u32] {
        for (i, r) in store.records.iter().enumerate().skip(self.extra.upto) {
            let i = i as u32;
            if store.exchanges.get(r.exchange as usize).is_some_and(|e| e.request != i && e.response != i) {
                self.extra.of.entry(r.exchange).or_default().push(i);
            }
        }
        self.extra.upto = store.records.len();
        self.extra.of.get(&exchange).map_or(&[], Vec::as_slice)
    }

    /// Records of the heads of an HTTP exchange.
    pub(super) fn heads(&mut self, store: &Store, record: &Record) -> &[u32] {
        for (i, r) in store.records.iter().enumerate().skip(self.heads.upto) {
            let head = |i| store.http.get(&i).is_some_and(|h| matches!(h.kind, HttpKind::Request | HttpKind::Response));
            if r.stream != NONE && head(i as u32) {
                self.heads.of.entry((r.conn, r.stream)).or_default().push(i as u32);
            }
        }
        self.heads.upto = store.records.len();
        if record.stream == NONE {
            return &[];
        }
        self.heads.of.get(&(record.conn, record.stream)).map_or(&[], Vec::as_slice)
    }

    /// Whether a server has listed the tool as read-only.
    pub(super) fn is_read_only(&mut self, store: &Store, source: Option<&Source>, session: u32, tool: &str) -> bool {
        let list = store.names.find("tools/list").unwrap_or(Sym::NONE);
        for (i, e) in store.exchanges.iter().enumerate().skip(self.read_only.upto) {
            if list.is_some() && store.record(e.request).is_some_and(|r| r.method == list) {
                self.read_only.waiting.push(i as u32);
            }
        }
        self.read_only.upto = store.exchanges.len();
        let waiting = std::mem::take(&mut self.read_only.waiting);
        for i in waiting {
            let e = &store.exchanges[i as usize];
            match (e.outcome, store.record(e.response), source) {
                (Outcome::Pending, _, _) => self.read_only.waiting.push(i),
                (Outcome::Ok, Some(record), Some(source)) => self.note_tools(source, record),
                _ => {}
            }
        }
        self.read_only.marked.contains(&(session, tool.into()))
    }

    fn note_tools(&mut self, source: &Source, record: &Record) {
        let Ok(bytes) = self.windows.message(source, record) else { return };
        let doc = self.parser.parse(bytes);
        let tools = doc.root().and_then(|r| r.path(&["result", "tools"]));
        for tool in tools.into_iter().flat_map(|t| t.elements()) {
            let hint = tool.path(&["annotations", "readOnlyHint"]).and_then(|v| v.as_bool());
            if let (Some(true), Some(name)) = (hint, tool.get("name").and_then(|n| n.as_str())) {
                self.read_only.marked.insert((record.session, name.as_ref().into()));
            }
        }
    }
}

/// Bytes of the message of a record, as they stand in the file.
fn size_of_record(record: &Record) -> u64 {
    u64::from(if record.part_len > 0 { record.part_len } else { record.len })
}

/// Bytes of a row: request and answer together. What the `size` field compares.
pub fn size_of(store: &Store, row: Row) -> u64 {
    let size = |r: u32| store.record(r).map_or(0, size_of_record);
    match row {
        Row::Exchange(e) => store.exchanges.get(e as usize).map_or(0, |e| size(e.request) + size(e.response)),
        Row::Loose(r) => size(r),
    }
}

/// When a row began.
pub(super) fn time_of(store: &Store, row: Row) -> Option<Micros> {
    let first = match row {
        Row::Exchange(e) => store.exchanges.get(e as usize)?.first(),
        Row::Loose(r) => r,
    };
    store.record(first).map(|r| r.t)
}
