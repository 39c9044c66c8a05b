//! HTTP frames: heads, bodies, SSE events and ends; which session each belongs to.

use crate::mcp::{Method, headers};
use crate::rules::{Cx, Text, TextClass};
use crate::trace::session::{Cancelled, Pairing, Stream, Transport, way};
use crate::trace::{Exchange, Judged, NONE, Outcome, RecordKind, Store};
use crate::wire::envelope::Envelope;
use crate::wire::frame::{Dir, Frame, Http, HttpEnd, HttpKind};
use crate::wire::json::{Doc, Value};

use super::{Analyzer, Head, Moment, era};

impl Analyzer {
    pub(super) fn http_frame(&mut self, store: &mut Store, head: &Head, frame: &Frame<'_>) {
        let Some(http) = &frame.http else { return };
        let mut parser = self.parser();
        let doc = parser.parse(frame.payload);
        let session = self.http_session(store, head, http, &doc);
        self.note_head(store, session, head, http, frame.payload.len());
        let class = self.body_class(head, http, frame.payload, &doc);
        let root = doc.root().filter(|_| class == TextClass::Message);
        if super::framing::is_refusable(class, doc.faults()) && !frame.payload.is_empty() {
            self.sessions[session as usize].trouble[way(head.dir)].refused_by_strict_readers();
        }
        let record = match root {
            Some(root) => {
                let text = Text { class, bytes: frame.payload, doc, in_noise_run: false, lines: 1 };
                self.ask_http_first(store, session, head, http, root, frame.payload, text)
            }
            None => self.http_loose(store, session, head, http, frame.payload, doc, class),
        };
        store.http.insert(record, Box::new(http.clone().into_owned()));
        let had_message = root.is_some();
        self.give_back(parser);
        self.note_after(store, session, head, http, record, had_message);
    }

    /// A frame with a message: the HTTP rules are asked on the record of the message.
    #[allow(clippy::too_many_arguments)]
    fn ask_http_first(
        &mut self,
        store: &mut Store,
        session: u32,
        head: &Head,
        http: &Http<'_>,
        root: Value<'_>,
        bytes: &[u8],
        text: Text<'_>,
    ) -> u32 {
        let next = store.records.len() as u32;
        if let Some(stream) = self.stream_mut(head) {
            match http.kind {
                HttpKind::Request => stream.request_record = next,
                HttpKind::Response => stream.response_record = next,
                HttpKind::Sse => stream.events += 1,
                HttpKind::End => {}
            }
        }
        let record = self.messages(store, session, head, Some(http), root, bytes, Some(text), false);
        self.ask_http(store, session, head, http, record);
        record
    }

    /// A frame without a message.
    #[allow(clippy::too_many_arguments)]
    fn http_loose(
        &mut self,
        store: &mut Store,
        session: u32,
        head: &Head,
        http: &Http<'_>,
        bytes: &[u8],
        doc: Doc<'_>,
        class: TextClass,
    ) -> u32 {
        let of_stream = self.stream_of(head.conn, head.stream);
        let exchange = of_stream.and_then(|s| s.exchanges.first().copied()).unwrap_or(NONE);
        let judged = self.stream_judged(store, session, head, http);
        let broken = matches!(class, TextClass::Broken | TextClass::Noise | TextClass::CutOff);
        let kind = if broken && http.kind != HttpKind::End { RecordKind::Unreadable } else { RecordKind::Http };
        let record = store.push_record(head.record(kind, session, judged));
        store.records[record as usize].exchange = exchange;
        if kind == RecordKind::Unreadable {
            self.sessions[session as usize].trouble[way(head.dir)].unreadable = record;
        }
        if let Some(stream) = self.stream_mut(head) {
            match http.kind {
                HttpKind::Request => stream.request_record = record,
                HttpKind::Response => stream.response_record = record,
                HttpKind::Sse if !http.comment => stream.events += 1,
                _ => {}
            }
        }
        if let Some(id) = http.id.as_ref().filter(|_| http.kind == HttpKind::Sse) {
            self.sessions[session as usize].note_event_id(id);
        }
        if kind == RecordKind::Unreadable && exchange == NONE {
            store.push_exchange(Exchange::new(record, head.dir, Outcome::Unreadable));
        } else if exchange == NONE && http.kind == HttpKind::Request {
            store.push_loose(record);
        }
        if !bytes.is_empty() && http.kind != HttpKind::End {
            self.ask_text(store, session, record, head, Text { class, bytes, doc, in_noise_run: false, lines: 1 });
        }
        self.ask_http(store, session, head, http, record);
        record
    }

    /// What a body or event holds.
    fn body_class(&self, head: &Head, http: &Http<'_>, bytes: &[u8], doc: &Doc<'_>) -> TextClass {
        if bytes.iter().all(u8::is_ascii_whitespace) || http.kind == HttpKind::End || http.comment {
            return TextClass::Blank;
        }
        let json_type = http.header("content-type").map(|v| {
            let t = crate::trace::session::stream::media_type(v).to_ascii_lowercase();
            t == "application/json" || t.ends_with("+json")
        });
        match http.kind {
            HttpKind::Sse => {
                if http.event.as_deref().is_some_and(|e| e != "message") {
                    return TextClass::Other;
                }
            }
            HttpKind::Request => {
                let post = http.method.as_deref().is_none_or(|m| m.eq_ignore_ascii_case("POST"));
                if !post || (json_type == Some(false) && !super::framing::is_attempt(bytes)) {
                    return TextClass::Other;
                }
            }
            HttpKind::Response => {
                if json_type != Some(true) {
                    return TextClass::Other;
                }
                // An error page in JSON (`{"error":"invalid_token"}`) is no message.
                let envelope = doc.root().filter(|r| r.is_object()).map(Envelope::read);
                let plain = envelope.is_some_and(|e| e.jsonrpc.is_none());
                if plain && http.status.is_some_and(|s| s >= 400) {
                    return TextClass::Other;
                }
                // Only answers to POSTs on the endpoint are messages; a metadata document is not.
                let stream = self.stream_of(head.conn, head.stream);
                let get = stream.and_then(Stream::method).is_some_and(|m| !m.eq_ignore_ascii_case("POST"));
                if plain && get {
                    return TextClass::Other;
                }
            }
            HttpKind::End => {}
        }
        match (&doc.faults().syntax, doc.root()) {
            (None, Some(_)) if !doc.faults().trailing => TextClass::Message,
            (None, Some(_)) => TextClass::Broken,
            _ => TextClass::Broken,
        }
    }

    /// Asks the rules that look at heads, events and ends.
    fn ask_http(&mut self, store: &mut Store, session: u32, head: &Head, http: &Http<'_>, record: u32) {
        let revision = store.records[record as usize].judged.revision;
        let cx = Cx {
            store,
            session: &self.sessions[session as usize],
            options: &self.options,
            schemas: &self.schemas,
            record,
            dir: head.dir,
            t: head.t,
            revision,
            text: None,
            message: None,
            pairing: &Pairing::None,
            http: Some(http),
            stream: super::find_stream(&self.conns, head.conn, head.stream),
            event: None,
            open: None,
            clean_end: false,
            request: Default::default(),
        };
        self.engine.ask(Moment::Http, &cx);
        self.kept.clear();
        self.engine.commit(store, record, revision, &mut self.kept);
    }

    /// The revision of a frame without a message: that of its exchange, its own headers, the session.
    fn stream_judged(&self, store: &Store, session: u32, head: &Head, http: &Http<'_>) -> Judged {
        if let Some(revision) = self.options.revision {
            return Judged { revision, assumed: false };
        }
        if http.kind == HttpKind::Request {
            if let Some(revision) = era::header_sign(http, Some(&self.sessions[session as usize])) {
                return Judged { revision, assumed: false };
            }
        }
        let asked = self.stream_of(head.conn, head.stream).map(|s| s.request_record).filter(|r| *r != NONE);
        match asked.and_then(|r| store.record(r)) {
            Some(record) if http.kind != HttpKind::Request => record.judged,
            _ => self.fallback(session),
        }
    }

    /// The session of a frame: that of its exchange; for a request by its body, its session id, its era.
    fn http_session(&mut self, store: &mut Store, head: &Head, http: &Http<'_>, doc: &Doc<'_>) -> u32 {
        if http.kind != HttpKind::Request {
            if let Some(stream) = self.stream_of(head.conn, head.stream) {
                return stream.session;
            }
        }
        self.conns.entry(head.conn).or_default();
        let first = doc.root().map(|r| if r.is_array() { r.index(0).unwrap_or(r) } else { r });
        let env = first.map(Envelope::read);
        let initialize = head.dir == Dir::C2s
            && env.is_some_and(|e| e.method.is_some_and(|m| m.str_eq(Method::Initialize.name())) && e.id.is_some());
        let modern = head.dir == Dir::C2s
            && !initialize
            && env
                .and_then(|e| era::sign(&e, Dir::C2s, Some(http), None))
                .or_else(|| era::header_sign(http, None))
                .is_some_and(|r| r.is_modern());
        if initialize {
            return self.initialize_session(store, head.conn);
        }
        if let Some(conn) = self.conns.get(&head.conn) {
            let known = http.header(headers::SESSION_ID).and_then(|id| conn.by_id.get(id));
            if let Some(session) = known.copied().filter(|_| !modern) {
                return session;
            }
            let usual = if modern {
                conn.modern.or(conn.session.filter(|_| conn.sessions.len() == 1))
            } else {
                conn.session.or(conn.modern)
            };
            if let Some(session) = usual {
                if modern {
                    self.conns.entry(head.conn).or_default().modern = Some(session);
                }
                return session;
            }
        }
        let session = self.new_session(store, head.conn, Transport::Http);
        let conn = self.conns.entry(head.conn).or_default();
        conn.session.get_or_insert(session);
        if modern {
            conn.modern = Some(session);
        }
        session
    }

    /// `initialize` over HTTP begins a session. It knows what the probe before it found out.
    fn initialize_session(&mut self, store: &mut Store, conn: u32) -> u32 {
        let before = self.conns.get(&conn).and_then(|c| c.session.or(c.modern));
        let session = self.new_session(store, conn, Transport::Http);
        if let Some(before) = before {
            let (client_modern, server_modern, versions) = {
                let b = &self.sessions[before as usize];
                (b.client_modern, b.server_modern, b.server_versions.clone())
            };
            let s = &mut self.sessions[session as usize];
            s.client_modern = client_modern;
            s.server_modern = server_modern;
            s.server_versions = versions;
        }
        self.conns.entry(conn).or_default().session = Some(session);
        session
    }

    fn stream_mut(&mut self, head: &Head) -> Option<&mut Stream> {
        self.conns.get_mut(&head.conn)?.streams.get_mut(&head.stream)
    }

    /// Notes the head, so that rules see it in the stream.
    fn note_head(&mut self, store: &Store, session: u32, head: &Head, http: &Http<'_>, body: usize) {
        let _ = store;
        let conn = self.conns.entry(head.conn).or_default();
        if http.kind == HttpKind::Request || !conn.streams.contains_key(&head.stream) {
            conn.streams.insert(
                head.stream,
                Stream {
                    number: head.stream,
                    conn: head.conn,
                    session,
                    t: head.t,
                    request: None,
                    request_record: NONE,
                    request_len: 0,
                    exchanges: Vec::new(),
                    messages: Vec::new(),
                    response: None,
                    response_record: NONE,
                    events: 0,
                    has_event_id: false,
                    has_retry: false,
                    ended: None,
                },
            );
        }
        let Some(stream) = conn.streams.get_mut(&head.stream) else { return };
        match http.kind {
            HttpKind::Request => {
                stream.request = Some(Box::new(http.clone().into_owned()));
                stream.request_len = body;
            }
            HttpKind::Response => stream.response = Some(Box::new(http.clone().into_owned())),
            HttpKind::Sse => {
                stream.has_event_id |= http.id.is_some();
                stream.has_retry |= http.retry.is_some();
            }
            HttpKind::End => stream.ended = Some(http.how.unwrap_or(HttpEnd::Eof)),
        }
        if http.kind == HttpKind::Sse && http.event.as_deref() == Some("endpoint") {
            let s = &mut self.sessions[session as usize];
            s.sign.get_or_insert(crate::mcp::Revision::V2024_11_05);
            conn.signed = true;
        }
    }

    /// What a frame does to its exchange: a session id handed out, a refusal, an end.
    fn note_after(
        &mut self,
        store: &mut Store,
        session: u32,
        head: &Head,
        http: &Http<'_>,
        record: u32,
        had_message: bool,
    ) {
        match http.kind {
            HttpKind::Response => {
                let ok = http.status.is_some_and(|s| (200..300).contains(&s));
                if let Some(id) = http.header(headers::SESSION_ID).filter(|_| ok) {
                    let asked = self.stream_of(head.conn, head.stream).map(|s| s.exchanges.clone()).unwrap_or_default();
                    let initialize =
                        asked.iter().any(|e| self.sessions[session as usize].handshake.exchange == Some(*e));
                    if initialize {
                        self.sessions[session as usize].session_id = Some(id.into());
                        store.sessions[session as usize].session_id = Some(id.into());
                        self.conns.entry(head.conn).or_default().by_id.insert(id.into(), session);
                    }
                }
                if http.status.is_some_and(|s| s >= 300) && !had_message {
                    let asked = self.stream_of(head.conn, head.stream).map(|s| s.exchanges.clone()).unwrap_or_default();
                    for exchange in asked {
                        if store.exchanges[exchange as usize].outcome.is_open() {
                            store.answer(exchange, record, Outcome::Refused);
                            self.sessions[session as usize].finish(exchange);
                            self.sessions[session as usize].unlisten(exchange);
                        }
                    }
                }
            }
            HttpKind::End => {
                let how = http.how.unwrap_or(if head.dir == Dir::C2s { HttpEnd::Client } else { HttpEnd::Eof });
                let asked = self.stream_of(head.conn, head.stream).map(|s| s.exchanges.clone()).unwrap_or_default();
                for exchange in asked {
                    let Some(open) = self.sessions[session as usize].open_mut(exchange) else { continue };
                    open.stream_ended.get_or_insert(record);
                    if !open.judged.revision.is_modern() {
                        continue;
                    }
                    let (was, now) = (store.exchanges[exchange as usize].outcome, head.t);
                    if !was.is_open() {
                        continue;
                    }
                    if how == HttpEnd::Client || head.dir == Dir::C2s {
                        self.sessions[session as usize].cancel(exchange, Cancelled { record, t: now });
                        store.exchanges[exchange as usize].outcome = Outcome::Cancelled;
                        store.exchanges[exchange as usize].cancelled_by = record;
                    } else {
                        store.exchanges[exchange as usize].outcome = Outcome::Unanswered;
                    }
                    self.sessions[session as usize].unlisten(exchange);
                    store.version += 1;
                }
            }
            HttpKind::Request | HttpKind::Sse => {}
        }
    }
}
