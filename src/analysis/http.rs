//! HTTP frames: heads, bodies, SSE events and ends; which session each belongs to.

use crate::mcp::{Method, headers};
use crate::rules::{Cx, Text, TextClass};
use crate::trace::session::stream::{is_json_type, path_only};
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
        self.note_head(session, head, frame, http);
        let class = self.body_class(head, http, frame.payload, &doc);
        if super::framing::is_refusable(class, doc.faults()) && !frame.payload.is_empty() {
            self.sessions[session as usize].trouble[way(head.dir)].refused_by_strict_readers();
        }
        let root = doc.root().filter(|_| matches!(class, TextClass::Message | TextClass::TwoMessages));
        let text = Text { class, bytes: frame.payload, doc, in_noise_run: false, lines: 1 };
        let record = match root {
            Some(root) => self.http_message(store, session, head, http, root, text),
            None => self.http_loose(store, session, head, http, text),
        };
        store.http.insert(record, Box::new(http.clone().into_owned()));
        self.note_after(store, session, head, http, record, root, frame.payload);
        self.give_back(parser);
    }

    /// A frame with a message: the HTTP rules are asked on the record of the message, after the message's own.
    fn http_message(
        &mut self,
        store: &mut Store,
        session: u32,
        head: &Head,
        http: &Http<'_>,
        root: Value<'_>,
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
        let record = self.messages(store, session, head, Some(http), root, text.bytes, Some(text), false);
        let all = next..store.records.len() as u32;
        if let Some(stream) = self.stream_mut(head).filter(|_| http.kind == HttpKind::Request) {
            stream.messages = all.take(super::apply::MAX_BODY).collect();
        }
        self.ask_http(store, session, head, http, record, text);
        record
    }

    /// A frame without a message.
    fn http_loose(&mut self, store: &mut Store, session: u32, head: &Head, http: &Http<'_>, text: Text<'_>) -> u32 {
        let of_stream = self.stream_of(head.conn, head.stream);
        let exchange = of_stream.and_then(|s| s.exchanges.first().copied()).unwrap_or(NONE);
        let judged = self.stream_judged(store, session, head, http);
        let broken = matches!(text.class, TextClass::Broken | TextClass::Noise | TextClass::CutOff);
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
        if !text.bytes.is_empty() && http.kind != HttpKind::End {
            self.ask_text(store, session, record, head, text);
        }
        self.ask_http(store, session, head, http, record, text);
        record
    }

    /// What a body or event holds.
    fn body_class(&self, head: &Head, http: &Http<'_>, bytes: &[u8], doc: &Doc<'_>) -> TextClass {
        if bytes.iter().all(u8::is_ascii_whitespace) || http.kind == HttpKind::End || http.comment {
            return TextClass::Blank;
        }
        let json_type = http.header("content-type").map(is_json_type);
        match http.kind {
            HttpKind::Sse => {
                if http.event.as_deref().is_some_and(|e| e != "message") {
                    return TextClass::Other;
                }
            }
            HttpKind::Request => {
                let post = http.method.as_deref().is_none_or(|m| m.eq_ignore_ascii_case("POST"));
                // A client registers itself, or asks for a token: JSON, but none of ours.
                let path = http.path.as_deref().map(path_only).unwrap_or_default();
                if super::web::is_authorization(path) && doc.root().is_none_or(|r| r.get("jsonrpc").is_none()) {
                    return TextClass::Other;
                }
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
                let aside = stream.and_then(Stream::path).is_some_and(super::web::is_authorization);
                if plain && (get || aside) {
                    return TextClass::Other;
                }
            }
            HttpKind::End => {}
        }
        match (&doc.faults().syntax, doc.root()) {
            (None, Some(_)) if !doc.faults().trailing => TextClass::Message,
            (None, Some(_)) => TextClass::TwoMessages,
            _ => TextClass::Broken,
        }
    }

    /// Asks the rules that look at heads, events and ends.
    fn ask_http(&mut self, store: &mut Store, session: u32, head: &Head, http: &Http<'_>, record: u32, text: Text<'_>) {
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
            text: Some(text),
            message: None,
            pairing: &Pairing::None,
            http: Some(http),
            stream: super::find_stream(&self.conns, head.conn, head.stream),
            event: None,
            open: None,
            clean_end: false,
            meta_known: false,
            request: Default::default(),
        };
        self.engine.ask(Moment::Http, &cx);
        self.kept.clear();
        self.engine.commit(store, record, revision, &mut self.kept);
        // What a rule of 2026-07-28 says about a server that has not shown itself modern may have to be taken back.
        if head.dir == Dir::S2c && revision.is_modern() && !self.sessions[session as usize].server_modern {
            if let Some(conn) = self.conns.get_mut(&head.conn) {
                conn.provisional.extend(self.kept.iter().copied().filter(|f| {
                    store
                        .finding(*f)
                        .and_then(|f| crate::rules::find(f.rule))
                        .is_some_and(crate::rules::Rule::only_modern)
                }));
            }
        }
    }

    /// The revision of a frame without a message: that of its exchange, its own headers, the session.
    fn stream_judged(&self, store: &Store, session: u32, head: &Head, http: &Http<'_>) -> Judged {
        if let Some(revision) = self.options.revision {
            return Judged { revision, assumed: false };
        }
        if http.kind == HttpKind::Request
            && let Some(revision) = era::header_sign(http, Some(&self.sessions[session as usize]))
        {
            return Judged { revision, assumed: false };
        }
        let asked = self.stream_of(head.conn, head.stream).map(|s| s.request_record).filter(|r| *r != NONE);
        match asked.and_then(|r| store.record(r)) {
            Some(record) if http.kind != HttpKind::Request => record.judged,
            _ => self.fallback(session),
        }
    }

    /// The session of a frame: that of its exchange; for a request by its body, its session id, its era.
    fn http_session(&mut self, store: &mut Store, head: &Head, http: &Http<'_>, doc: &Doc<'_>) -> u32 {
        if http.kind != HttpKind::Request
            && let Some(stream) = self.stream_of(head.conn, head.stream)
        {
            return stream.session;
        }
        let conn = self.conns.entry(head.conn).or_default();
        // On HTTP+SSE the stream's session is that of everything that is posted where its `endpoint` event says.
        if let Some(session) = conn.web.session_of(http) {
            return session;
        }
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
                // An event before the first frame does not tell what the connection runs over.
                self.sessions[session as usize].transport = Transport::Http;
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
            let (client_modern, server_modern, versions, probe) = {
                let b = &self.sessions[before as usize];
                (b.client_modern, b.server_modern, b.server_versions.clone(), b.probe.clone())
            };
            let s = &mut self.sessions[session as usize];
            s.client_modern = client_modern;
            s.server_modern = server_modern;
            s.server_versions = versions;
            s.probe = probe;
        }
        self.conns.entry(conn).or_default().session = Some(session);
        session
    }

    fn stream_mut(&mut self, head: &Head) -> Option<&mut Stream> {
        self.conns.get_mut(&head.conn)?.streams.get_mut(&head.stream)
    }

    /// Notes the head, so that rules see it in the stream.
    fn note_head(&mut self, session: u32, head: &Head, frame: &Frame<'_>, http: &Http<'_>) {
        let conn = self.conns.entry(head.conn).or_default();
        if http.kind == HttpKind::Request {
            let mut stream = Stream::new(head.stream, head.conn, session, head.t);
            (stream.before, stream.two_endpoints) = conn.web.request(http);
            let known = self.sessions[session as usize].session_id.as_deref();
            stream.before.session_over = known.is_some_and(|id| conn.web.is_expired(id));
            stream.request = Some(Box::new(http.clone().into_owned()));
            stream.request_len = frame.payload.len();
            conn.streams.insert(head.stream, stream);
            return;
        }
        if http.kind == HttpKind::End && !conn.streams.contains_key(&head.stream) {
            return; // everything about it is over
        }
        let stream =
            conn.streams.entry(head.stream).or_insert_with(|| Stream::new(head.stream, head.conn, session, head.t));
        match http.kind {
            HttpKind::Response => stream.response = Some(Box::new(http.clone().into_owned())),
            HttpKind::Sse if !http.comment => {
                stream.event_ids += u32::from(http.id.is_some());
                stream.has_retry |= http.retry.is_some();
                if http.event.as_deref() == Some("endpoint") {
                    stream.two_endpoints = true;
                    conn.web.announce(stream, &String::from_utf8_lossy(frame.payload));
                    conn.signed = true;
                    let s = &mut self.sessions[session as usize];
                    s.sign.get_or_insert(crate::mcp::Revision::V2024_11_05);
                }
            }
            HttpKind::End => stream.ended = Some(http.how.unwrap_or(HttpEnd::Eof)),
            HttpKind::Request | HttpKind::Sse => {}
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
        root: Option<Value<'_>>,
        body: &[u8],
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
                let ends_session =
                    http.status == Some(404) && is_about_session(self.stream_of(head.conn, head.stream), root, body);
                if let Some(conn) = self.conns.get_mut(&head.conn)
                    && let Some(stream) = conn.streams.get(&head.stream)
                {
                    conn.web.response(stream, record, ends_session);
                }
                if http.status.is_some_and(|s| s >= 300) && root.is_none() {
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
        self.forget_stream(session, head, http);
    }

    /// Nothing more comes on an exchange that has ended, or was answered by a whole body: its heads are dropped unless a
    /// request on it still waits.
    fn forget_stream(&mut self, session: u32, head: &Head, http: &Http<'_>) {
        let Some(conn) = self.conns.get_mut(&head.conn) else { return };
        let Some(stream) = conn.streams.get(&head.stream) else { return };
        let over = match http.kind {
            HttpKind::Response => !stream.is_sse(),
            HttpKind::End => true,
            HttpKind::Request | HttpKind::Sse => false,
        };
        if !over {
            return;
        }
        conn.web.end(head.stream);
        let session = &self.sessions[session as usize];
        if stream.exchanges.iter().all(|e| session.open(*e).is_none()) {
            conn.streams.remove(&head.stream);
        }
    }
}

/// Whether a 404 means that the session is over: an unknown method is answered by 404 too, and so are GETs by servers
/// that have no stream.
fn is_about_session(stream: Option<&Stream>, root: Option<Value<'_>>, body: &[u8]) -> bool {
    let code = root.map(Envelope::read).and_then(|e| e.error_code());
    if code == Some(crate::mcp::errors::METHOD_NOT_FOUND) {
        return false;
    }
    let get = stream.is_some_and(|s| s.is_method("GET"));
    !get || body.to_ascii_lowercase().windows(7).any(|w| w == b"session")
}
