//! Frames in, pairing and rules over them, a store out. The same for live taps, `open` and `check`: they differ only in
//! who makes the frames.
//!
//! A message goes through: framing (which lines are one text) → document → revision → pairing → rules → effects on the
//! session and the store. Rules see the session as it was before the message.

mod apply;
mod conn;
mod engine;
mod era;
mod framing;
mod http;
pub mod incidents;
mod message;
mod pairing;
pub mod refused;
mod stdio;
mod web;

use rustc_hash::FxHashMap;

use crate::mcp::Revision;
use crate::rules::{self, Cx, Options, Schemas};
use crate::trace::session::{Pairing, Session, Stream, Stuck, Transport, way};
use crate::trace::{IdRef, Judged, Missing, NONE, Record, RecordKind, SessionInfo, Store, Sym};
use crate::wire::frame::{Dir, Event, EventKind, Frame, Item, Micros};
use crate::wire::json::Parser;

use conn::{Conn, MAX_HELD, MAX_HELD_BYTES, MAX_HELD_TIME, Owned};
use engine::{Engine, Moment};

/// What the source of the items can tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A native trace: it has life-cycle events, and their absence means something.
    Native,
    /// A file without a header: its end is the end of the wire.
    Foreign,
    /// A piece out of the middle: no rule about beginnings fires.
    Excerpt,
}

/// The analysis: one writer of a store.
pub struct Analyzer {
    options: Options,
    origin: Origin,
    schemas: Schemas,
    engine: Engine,
    sessions: Vec<Session>,
    conns: FxHashMap<u32, Conn>,
    parsers: Vec<Parser>,
    kept: Vec<u32>,
    /// The record that the next message takes the place of: that of a line that was held.
    reserved: Option<u32>,
    finished: bool,
}

/// Head data of the frame that a record is made of.
#[derive(Clone, Copy, Debug)]
struct Head {
    number: u32,
    line: u32,
    t: Micros,
    dir: Dir,
    conn: u32,
    place: crate::wire::frame::Place,
    stream: u32,
    /// Where in the payload the text stands that is read, and its length; 0 = all of it.
    part: (u32, u32),
}

impl Head {
    fn of(frame: &Frame<'_>, number: u32) -> Head {
        Head {
            number,
            line: frame.line,
            t: frame.t,
            dir: frame.dir,
            conn: frame.conn,
            place: frame.place,
            stream: frame.http.as_ref().map_or(NONE, |h| h.stream),
            part: (0, 0),
        }
    }

    fn record(&self, kind: RecordKind, session: u32, judged: Judged) -> Record {
        Record {
            offset: self.place.offset,
            t: self.t,
            id: IdRef::Absent,
            len: self.place.len,
            frame: self.number,
            line: self.line,
            conn: self.conn,
            session,
            method: Sym::NONE,
            target: Sym::NONE,
            exchange: NONE,
            stream: self.stream,
            part_start: self.part.0,
            part_len: self.part.1,
            encoding: self.place.encoding,
            kind,
            dir: self.dir,
            judged,
            worst: 0,
        }
    }
}

impl Analyzer {
    /// An analysis that has seen nothing.
    pub fn new(options: Options, origin: Origin) -> Analyzer {
        Analyzer {
            origin,
            schemas: Schemas::new(),
            engine: Engine::new(options.missing),
            options,
            sessions: Vec::new(),
            conns: FxHashMap::default(),
            parsers: Vec::new(),
            kept: Vec::new(),
            reserved: None,
            finished: false,
        }
    }

    /// The sessions with all their facts, for views that show catalogues and capabilities.
    pub fn sessions(&self) -> &[Session] {
        &self.sessions
    }

    /// Takes the next frame or event.
    pub fn push(&mut self, store: &mut Store, item: Item<'_>) {
        let number = match &item {
            Item::Frame(_) => {
                store.frames += 1;
                store.frames
            }
            Item::Event(_) => 0,
        };
        let (id, t) = match &item {
            Item::Frame(f) => (f.conn, f.t),
            Item::Event(e) => (e.conn, e.t),
        };
        let conn = self.conns.entry(id).or_default();
        if !conn.held.is_empty() {
            let full = conn.held.len() >= MAX_HELD || conn.held_bytes >= MAX_HELD_BYTES || self.is_overdue(id, t);
            let ends = matches!(&item, Item::Event(e) if ends_wire(&e.kind));
            if full || ends {
                self.settle_conn(store, id);
            } else if let Some(sign) = self.sign_of(&item) {
                // What is held came before any sign: it is judged by this one, the next after it.
                if let Some(conn) = self.conns.get_mut(&id) {
                    conn.next_sign = Some(sign);
                }
                self.release(store, id);
            } else {
                self.hold(id, &item, number);
                return;
            }
        } else if !conn.signed && !conn.assumed && matches!(item, Item::Frame(_)) && self.must_hold(&item) {
            self.hold(id, &item, number);
            return;
        }
        self.take(store, item, number);
    }

    fn is_overdue(&self, conn: u32, now: Micros) -> bool {
        let first = self.conns.get(&conn).and_then(|c| c.held.first());
        first.is_some_and(|first| {
            let t = match first {
                Owned::Frame { frame, .. } => frame.t,
                Owned::Event(e) => e.t,
            };
            now - t > MAX_HELD_TIME
        })
    }

    fn hold(&mut self, conn: u32, item: &Item<'_>, number: u32) {
        if let Some(conn) = self.conns.get_mut(&conn) {
            if let Item::Frame(f) = item {
                conn.held_bytes += f.payload.len();
            }
            conn.held.push(Owned::new(item, number));
        }
    }

    /// Nothing more comes for now (a live wire is quiet): what is held is judged by what is known.
    pub fn settle(&mut self, store: &mut Store) {
        let mut ids: Vec<u32> = self.conns.iter().filter(|(_, c)| !c.held.is_empty()).map(|(id, _)| *id).collect();
        ids.sort_unstable();
        for id in ids {
            self.settle_conn(store, id);
        }
    }

    fn settle_conn(&mut self, store: &mut Store, id: u32) {
        if let Some(conn) = self.conns.get_mut(&id) {
            conn.assumed = true;
        }
        self.release(store, id);
    }

    /// Processes what a connection holds.
    fn release(&mut self, store: &mut Store, id: u32) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        let held = std::mem::take(&mut conn.held);
        conn.held_bytes = 0;
        for owned in held {
            match owned {
                Owned::Frame { line, frame } => self.take(store, Item::Frame(frame.borrow(line)), frame.number),
                Owned::Event(event) => self.take(store, Item::Event(event), 0),
            }
        }
    }

    fn take(&mut self, store: &mut Store, item: Item<'_>, number: u32) {
        match item {
            Item::Event(event) => self.event(store, event),
            Item::Frame(frame) => {
                let head = Head::of(&frame, number);
                match (frame.dir, &frame.http) {
                    (Dir::Err, _) => self.stderr(store, &head),
                    (_, Some(_)) => self.http_frame(store, &head, &frame),
                    (_, None) => self.stdio_line(store, &head, frame.payload, frame.eol),
                }
            }
        }
    }

    fn stderr(&mut self, store: &mut Store, head: &Head) {
        let session = self.stdio_session(store, head.conn);
        let judged = self.fallback(session);
        let record = store.push_record(head.record(RecordKind::Stderr, session, judged));
        store.push_loose(record);
        let s = &mut self.sessions[session as usize];
        if s.stderr.len() >= 4096 {
            s.stderr.drain(..1024);
            s.stderr_after.drain(..1024);
        }
        s.stderr.push(record);
        s.stderr_after.push(s.last_message[way(Dir::S2c)]);
    }

    /// The revision of something without a sign of its own.
    fn fallback(&self, session: u32) -> Judged {
        if let Some(revision) = self.options.revision {
            return Judged { revision, assumed: false };
        }
        let session = &self.sessions[session as usize];
        let next = || self.conns.get(&session.conn).and_then(|c| c.next_sign);
        match session.sign.or_else(next) {
            Some(Revision::V2026_07_28) => Judged { revision: Revision::V2026_07_28, assumed: false },
            Some(sign) => Judged { revision: session.handshake.revision().unwrap_or(sign), assumed: false },
            None if session.is_http() => Judged { revision: Revision::V2025_03_26, assumed: true },
            None => Judged { revision: Revision::V2025_11_25, assumed: true },
        }
    }

    fn new_session(&mut self, store: &mut Store, conn: u32, transport: Transport) -> u32 {
        let index = self.sessions.len() as u32;
        let began = self.conns.get(&conn).is_some_and(|c| c.began);
        let mut session = Session::new(index, conn, transport, began);
        session.whole |= self.origin == Origin::Foreign;
        self.sessions.push(session);
        store.sessions.push(SessionInfo { conn, ..SessionInfo::default() });
        if let Some(conn) = self.conns.get_mut(&conn) {
            conn.sessions.push(index);
        }
        index
    }

    fn event(&mut self, store: &mut Store, event: Event) {
        let id = event.conn;
        let everywhere = matches!(event.kind, EventKind::End { .. } | EventKind::Clock { .. });
        match &event.kind {
            EventKind::Spawn { .. } | EventKind::Open => {
                let again = self.conns.get(&id).is_some_and(|c| c.session.is_some());
                if again {
                    self.end_conn(store, id);
                    self.conns.insert(id, Conn::default());
                }
                self.conns.entry(id).or_default().began = true;
            }
            EventKind::Eof { of } if *of != Dir::Err => {
                self.flush_lines(store, id, *of);
                let session = self.stdio_session(store, id);
                self.sessions[session as usize].eof[way(*of)].get_or_insert(event.t);
            }
            EventKind::Signal { .. } => {
                let session = self.stdio_session(store, id);
                self.sessions[session as usize].signalled.get_or_insert(event.t);
            }
            EventKind::Exit { status, signal } => {
                self.flush_lines(store, id, Dir::S2c);
                let session = self.stdio_session(store, id);
                self.sessions[session as usize].exit = Some(crate::trace::session::Exit {
                    status: *status,
                    signal: signal.clone(),
                    t: event.t,
                    record: NONE,
                });
                self.conns.entry(id).or_default().clean_end = true;
            }
            EventKind::Gap { .. } => {
                for session in self.sessions.iter_mut().filter(|s| s.conn == id || id == 0) {
                    session.gap = true;
                }
            }
            _ => {}
        }
        let transport_session = match self.conns.get(&id).and_then(|c| c.session) {
            Some(session) => Some(session),
            None if everywhere => None,
            None => Some(self.stdio_session(store, id)),
        };
        if let Some(session) = transport_session {
            let judged = self.fallback(session);
            let head = Head {
                number: 0,
                line: event.line,
                t: event.t,
                dir: Dir::C2s,
                conn: id,
                place: conn::in_memory(),
                stream: NONE,
                part: (0, 0),
            };
            let record = store.push_record(head.record(RecordKind::Event, session, judged));
            store.push_loose(record);
            store.events.insert(record, Box::new(event.clone()));
            self.note_trouble(session, record, &event);
            self.ask_loose(store, Moment::Event, session, record, Dir::C2s, event.t, Some(&event));
        }
        match &event.kind {
            EventKind::Close => {
                self.conns.entry(id).or_default().clean_end = true;
                self.end_conn(store, id);
            }
            EventKind::End { .. } => {
                for conn in self.conns.values_mut() {
                    conn.clean_end = true;
                }
                self.end_all(store);
            }
            _ => {}
        }
    }

    /// Notes an event that may explain why something is not answered.
    fn note_trouble(&mut self, session: u32, record: u32, event: &Event) {
        let s = &mut self.sessions[session as usize];
        match &event.kind {
            EventKind::Eof { of } if *of != Dir::Err => {
                let trouble = &mut s.trouble[way(*of)];
                if trouble.eof == NONE {
                    trouble.eof = record;
                }
            }
            EventKind::Exit { .. } => {
                if let Some(exit) = &mut s.exit {
                    exit.record = record;
                }
            }
            EventKind::Gap { .. } => s.gap_record = Some(record),
            EventKind::Partial { dir, bytes, since } if *dir != Dir::Err => {
                s.trouble[way(*dir)].partial = Some(Stuck { record, since: *since, bytes: *bytes });
            }
            EventKind::Blocked { dir, since } if *dir != Dir::Err => {
                s.trouble[way(*dir)].blocked = Some(Stuck { record, since: *since, bytes: 0 });
            }
            _ => {}
        }
    }

    /// Asks rules about something that is no message.
    fn ask_loose(
        &mut self,
        store: &mut Store,
        moment: Moment,
        session: u32,
        record: u32,
        dir: Dir,
        t: Micros,
        event: Option<&Event>,
    ) {
        let judged = self.fallback(session);
        let cx = Cx {
            store,
            session: &self.sessions[session as usize],
            options: &self.options,
            schemas: &self.schemas,
            record,
            dir,
            t,
            revision: judged.revision,
            text: None,
            message: None,
            pairing: &Pairing::None,
            http: None,
            stream: None,
            event,
            open: None,
            clean_end: self.is_clean(session),
            meta_known: false,
            request: Default::default(),
        };
        self.engine.ask(moment, &cx);
        self.kept.clear();
        self.engine.commit(store, record, judged.revision, &mut self.kept);
    }

    fn is_clean(&self, session: u32) -> bool {
        let conn = self.conns.get(&self.sessions[session as usize].conn);
        self.origin != Origin::Native || conn.is_some_and(|c| c.clean_end)
    }

    /// The end of the items. What is open then was never answered.
    pub fn finish(&mut self, store: &mut Store) {
        if self.finished {
            return;
        }
        self.finished = true;
        self.settle(store);
        self.end_all(store);
        if self.options.missing != Missing::NONE {
            for rule in rules::all() {
                if let Some(why) = rules::needs::unmet(rule, self.options.missing) {
                    store.count_not_judged(rule.id, why);
                }
            }
        }
    }

    fn end_all(&mut self, store: &mut Store) {
        let mut ids: Vec<u32> = self.conns.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            self.end_conn(store, id);
        }
    }

    fn end_conn(&mut self, store: &mut Store, id: u32) {
        if self.conns.get(&id).is_some_and(|c| !c.held.is_empty()) {
            self.settle_conn(store, id);
        }
        for dir in [Dir::C2s, Dir::S2c] {
            self.flush_lines(store, id, dir);
        }
        let Some(conn) = self.conns.get_mut(&id) else { return };
        if std::mem::replace(&mut conn.ended, true) {
            return;
        }
        for session in conn.sessions.clone() {
            self.end_session(store, session);
        }
    }

    /// A parser with warm buffers.
    fn parser(&mut self) -> Parser {
        self.parsers.pop().unwrap_or_default()
    }

    fn give_back(&mut self, parser: Parser) {
        if self.parsers.len() < 4 {
            self.parsers.push(parser);
        }
    }

    fn stream_of(&self, conn: u32, stream: u32) -> Option<&Stream> {
        find_stream(&self.conns, conn, stream)
    }
}

fn find_stream(conns: &FxHashMap<u32, Conn>, conn: u32, stream: u32) -> Option<&Stream> {
    conns.get(&conn)?.streams.get(&stream)
}

fn ends_wire(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Exit { .. } | EventKind::Close | EventKind::End { .. } | EventKind::Spawn { .. })
}
