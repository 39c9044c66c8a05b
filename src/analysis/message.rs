//! One message: its revision, its record, what it answers, what the rules say, and then its effects.

use crate::mcp::{Method, Revision, methods};
use crate::rules::{Cx, Text};
use crate::trace::message::Message;
use crate::trace::session::{Pairing, Stream};
use crate::trace::{Judged, NONE, RecordKind, Store, Sym};
use crate::wire::envelope::{Envelope, MessageKind};
use crate::wire::frame::{Dir, Http, HttpKind, Item};
use crate::wire::json::Value;

use super::{Analyzer, Head, Moment, era, pairing};

impl Analyzer {
    /// Takes a message. Returns its record.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn message(
        &mut self,
        store: &mut Store,
        session: u32,
        head: &Head,
        http: Option<&Http<'_>>,
        root: Value<'_>,
        bytes: &[u8],
        in_batch: Option<u32>,
        text: Option<Text<'_>>,
        cut: bool,
    ) -> u32 {
        let env = Envelope::read(root);
        let method = env.method.and_then(Value::as_str).as_deref().and_then(Method::lookup);
        let kind = match (env.kind, method.map(Method::kind)) {
            (MessageKind::Request, Some(methods::Kind::Notification)) => MessageKind::Notification,
            (kind, _) => kind,
        };
        let judged = self.judge(session, head, http, &env);
        let mut record = head.record(record_kind(kind), session, judged);
        record.id = store.id_ref(env.id().as_ref());
        if let Some(name) = env.method.and_then(Value::as_str) {
            record.method = store.names.intern(&name);
        }
        let replay = self.is_replay(session, http);
        let mut message = Message {
            env,
            kind,
            method,
            faults: root.doc().faults(),
            text: bytes,
            dir: head.dir,
            t: head.t,
            record: 0,
            http,
            in_batch,
            cut,
            replay,
            judged,
        };
        if let Some(target) = message.target() {
            record.target = store.names.intern(&target);
        }
        let record = self.put_record(store, record);
        message.record = record;
        // A response is judged by the revision of its request.
        let stream = self.stream_of(head.conn, head.stream);
        let pairing = pairing::pair(store, &self.sessions[session as usize], stream, &message);
        if let Pairing::Response(answer) = &pairing {
            let of = answer.exchange.and_then(|e| store.exchanges.get(e as usize)).map(|e| e.request);
            if let (Some(request), None) = (of.filter(|r| *r != NONE), self.options.revision) {
                let mut by = store.records[request as usize].judged;
                if method_of(store, request) == Some(Method::Initialize) {
                    by = initialize_result(&message).unwrap_or(by);
                }
                store.records[record as usize].judged = by;
                message.judged = by;
            }
        }
        if let Some(text) = text {
            self.ask_text(store, session, record, head, text);
        }
        self.note_signs(session, &message);
        self.ask_message(store, session, &message, &pairing);
        self.apply(store, session, &message, &pairing);
        record
    }

    /// The revision of a message before its pairing is known.
    fn judge(&mut self, session: u32, head: &Head, http: Option<&Http<'_>>, env: &Envelope<'_>) -> Judged {
        if let Some(revision) = self.options.revision {
            return Judged { revision, assumed: false };
        }
        let known = &self.sessions[session as usize];
        match era::sign(env, head.dir, http, Some(known)) {
            Some(sign) => {
                let legacy = !sign.is_modern();
                let revision = known.handshake.revision().filter(|r| legacy && !r.is_modern()).unwrap_or(sign);
                // Responses tell about the server, requests and notifications about the message itself.
                if !env.kind.is_response() {
                    self.sessions[session as usize].sign = Some(revision);
                } else {
                    self.sessions[session as usize].sign.get_or_insert(revision);
                }
                if let Some(conn) = self.conns.get_mut(&head.conn) {
                    conn.signed = true;
                }
                Judged { revision, assumed: false }
            }
            None => {
                // What a server sends on the stream of a request belongs to that request.
                let of_stream = self.stream_of(head.conn, head.stream).and_then(|s| s.exchanges.first().copied());
                match of_stream.filter(|_| head.dir == Dir::S2c).and_then(|e| self.sessions[session as usize].open(e)) {
                    Some(open) => open.judged,
                    None => self.fallback(session),
                }
            }
        }
    }

    /// Notes what the message shows about its sender, before the rules are asked.
    fn note_signs(&mut self, session: u32, message: &Message<'_>) {
        let asks = message.dir == Dir::C2s && message.kind == MessageKind::Request;
        if asks && message.revision().is_modern() && message.env.params_meta().is_some() {
            self.sessions[session as usize].client_modern = true;
        }
    }

    fn is_replay(&mut self, session: u32, http: Option<&Http<'_>>) -> bool {
        let Some(http) = http.filter(|h| h.kind == HttpKind::Sse) else { return false };
        let Some(id) = &http.id else { return false };
        self.sessions[session as usize].note_event_id(id)
    }

    /// Asks the rules that look at messages.
    fn ask_message(&mut self, store: &mut Store, session: u32, message: &Message<'_>, pairing: &Pairing) {
        let known = &self.sessions[session as usize];
        let meta = message.env.params_meta().or(message.env.result_meta());
        let meta_known = meta.is_some_and(|m| known.calm_meta.is(message, m.raw()));
        let record = &store.records[message.record as usize];
        let stream: Option<&Stream> = super::find_stream(&self.conns, record.conn, record.stream);
        let open = match pairing {
            Pairing::Response(answer) if answer.pairs() => answer.exchange.and_then(|e| known.open(e)),
            _ => None,
        };
        let cx = Cx {
            store,
            session: known,
            options: &self.options,
            schemas: &self.schemas,
            record: message.record,
            dir: message.dir,
            t: message.t,
            revision: message.revision(),
            text: None,
            message: Some(message),
            pairing,
            http: message.http,
            stream,
            event: None,
            open,
            clean_end: false,
            meta_known,
            request: Default::default(),
        };
        self.engine.ask(Moment::Message, &cx);
        match message.kind {
            MessageKind::Request => self.engine.ask(Moment::Request, &cx),
            MessageKind::Notification => self.engine.ask(Moment::Notification, &cx),
            MessageKind::Response => self.engine.ask(Moment::Result, &cx),
            MessageKind::Error => self.engine.ask(Moment::Error, &cx),
            MessageKind::Unrecognised => {}
        }
        self.kept.clear();
        let spoke = self.engine.commit(store, message.record, message.revision(), &mut self.kept);
        let unproven = message.kind.is_response()
            && message.dir == Dir::S2c
            && message.revision().is_modern()
            && !known.server_modern
            && !era::is_modern_answer(&message.env);
        if unproven {
            if let Some(conn) = self.conns.get_mut(&known.conn) {
                conn.provisional.extend(self.kept.iter().copied().filter(|f| {
                    store.finding(*f).is_some_and(|f| {
                        !matches!(f.layer, crate::trace::Layer::Json | crate::trace::Layer::JsonRpc)
                            || crate::rules::find(f.rule).is_some_and(crate::rules::Rule::only_modern)
                    })
                }));
            }
        }
        if let Some(meta) = meta.filter(|_| !spoke && !meta_known && message.revision().is_modern()) {
            self.sessions[session as usize].calm_meta.note(message, meta.raw());
        }
    }

    /// The revision that a frame shows by itself.
    pub(super) fn sign_of(&mut self, item: &Item<'_>) -> Option<Revision> {
        let Item::Frame(frame) = item else { return None };
        if frame.dir == Dir::Err {
            return None;
        }
        if let Some(http) = &frame.http {
            if http.kind == HttpKind::Sse && http.event.as_deref() == Some("endpoint") {
                return Some(Revision::V2024_11_05);
            }
        }
        let mut parser = self.parser();
        let doc = parser.parse(frame.payload);
        let shown = doc.root().and_then(|root| {
            let first = if root.is_array() { root.index(0).unwrap_or(root) } else { root };
            era::sign(&Envelope::read(first), frame.dir, frame.http.as_ref(), None)
        });
        self.give_back(parser);
        let request = frame.http.as_ref().filter(|h| h.kind == HttpKind::Request);
        shown.or_else(|| era::header_sign(request?, None))
    }

    /// Whether a frame at the beginning of a connection has to wait for a sign: it is a message without one.
    pub(super) fn must_hold(&mut self, item: &Item<'_>) -> bool {
        let Item::Frame(frame) = item else { return false };
        if frame.dir == Dir::Err || self.options.revision.is_some() {
            return false;
        }
        if frame.http.is_some() {
            return self.sign_of(item).is_none();
        }
        let mut parser = self.parser();
        let doc = parser.parse(frame.payload);
        let message = doc.root().is_some_and(|r| r.is_object() || r.is_array());
        self.give_back(parser);
        message && self.sign_of(item).is_none()
    }
}

fn record_kind(kind: MessageKind) -> RecordKind {
    match kind {
        MessageKind::Request => RecordKind::Request,
        MessageKind::Notification => RecordKind::Notification,
        MessageKind::Response => RecordKind::Response,
        MessageKind::Error => RecordKind::Error,
        MessageKind::Unrecognised => RecordKind::Unrecognised,
    }
}

fn method_of(store: &Store, record: u32) -> Option<Method> {
    let record = store.record(record)?;
    (record.method != Sym::NONE).then(|| store.name(record.method)).flatten().and_then(Method::lookup)
}

/// The result of `initialize` is judged by the version that it names.
fn initialize_result(message: &Message<'_>) -> Option<Judged> {
    let version = message.result()?.get("protocolVersion").and_then(Value::as_str)?;
    let revision = Revision::parse(&version).unwrap_or(Revision::V2025_11_25);
    (!revision.is_modern()).then_some(Judged { revision, assumed: false })
}
