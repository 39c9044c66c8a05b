//! The effects of a message on the session and the store, after the rules have seen it.

use crate::mcp::{Method, meta};
use crate::trace::exchange::flags;
use crate::trace::message::Message;
use crate::trace::session::{Answer, Cancelled, Caps, How, Open, Pairing, way};
use crate::trace::{Exchange, NONE, Outcome, Store};
use crate::wire::envelope::MessageKind;
use crate::wire::frame::Dir;
use crate::wire::id::Id;
use crate::wire::json::Value;
use crate::wire::json::number::unsafe_integers;

use super::{Analyzer, Moment, era};

/// Messages of one HTTP body that are kept as such; a longer batch is no conversation. Bounds what each frame costs.
pub(super) const MAX_BODY: usize = 1000;

impl Analyzer {
    pub(super) fn apply(&mut self, store: &mut Store, session: u32, message: &Message<'_>, pairing: &Pairing) {
        match (message.kind, pairing) {
            (MessageKind::Request, Pairing::Request { retry, .. }) => self.request(store, session, message, *retry),
            (MessageKind::Notification, _) => self.notification(store, session, message),
            (MessageKind::Response | MessageKind::Error, Pairing::Response(answer)) => {
                self.response(store, session, message, answer);
            }
            _ => {
                store.push_exchange(Exchange::new(message.record, message.dir, Outcome::Unreadable));
            }
        }
        let s = &mut self.sessions[session as usize];
        s.last_message[way(message.dir)] = message.record;
        if message.faults.unsafe_integer.is_some() {
            for integer in unsafe_integers(message.env.root).take(64) {
                s.numbers[way(message.dir)].note(&integer.raw_str(), message.record);
            }
        }
    }

    fn request(&mut self, store: &mut Store, session: u32, message: &Message<'_>, retry: Option<usize>) {
        let open_by_design = message.is(Method::Listen) && message.revision().is_modern();
        let outcome = if open_by_design { Outcome::Open } else { Outcome::Pending };
        let exchange = store.push_exchange(Exchange::new(message.record, message.dir, outcome));
        let record = store.records[message.record as usize];
        let s = &mut self.sessions[session as usize];
        let id = message.id().map_or(Id { kind: crate::wire::id::IdKind::Null, text: "null".into() }, Id::into_owned);
        let token = progress_token(message);
        if let Some(token) = &token {
            s.tokens.insert(message.dir, token.clone(), exchange);
        }
        let after_eof = s.eof[way(message.dir.opposite())].is_some();
        let older = s.begin(Open {
            exchange,
            record: message.record,
            dir: message.dir,
            t: message.t,
            id: id.clone(),
            method: message.method,
            name: record.method,
            target: message.target().map(|t| t.as_ref().into()),
            judged: message.judged,
            stream: record.stream,
            bytes: message.env.root.raw().into(),
            cancelled: None,
            token,
            heard: None,
            after_eof,
            stream_ended: None,
        });
        s.unanswerable[way(message.dir)] = None;
        store.exchanges[exchange as usize].same_id = older.unwrap_or(NONE);
        s.note_request(message, exchange);
        if open_by_design {
            s.listen(exchange, id);
        }
        if message.is(Method::Initialize) && message.dir == Dir::C2s {
            let params = message.params();
            s.handshake.request = Some(message.record);
            s.handshake.exchange = Some(exchange);
            s.handshake.asked_at = message.t;
            s.handshake.result = None;
            s.handshake.refused = None;
            s.handshake.agreed = None;
            s.handshake.requested =
                params.and_then(|p| p.get("protocolVersion")).and_then(Value::as_str).map(|v| v.as_ref().into());
            s.client_caps = params.and_then(|p| p.get("capabilities")).map(Caps::read);
            let info = params.and_then(|p| p.get("clientInfo")).and_then(info_text);
            let info_slot = &mut store.sessions[session as usize].client;
            *info_slot = info.or(info_slot.take());
            self.take_back(store, session);
        } else if message.dir == Dir::C2s && store.sessions[session as usize].client.is_none() {
            let info = message.env.params_meta().and_then(|m| m.get(meta::CLIENT_INFO)).and_then(info_text);
            store.sessions[session as usize].client = info;
        }
        let s = &mut self.sessions[session as usize];
        if let Some(first) = retry.and_then(|i| s.waiting.note_retry(i, exchange)) {
            store.exchanges[exchange as usize].retry_of = first;
            store.exchanges[first as usize].retried_by = exchange;
        }
        if let Some(stream) = self.conns.get_mut(&record.conn).and_then(|c| c.streams.get_mut(&record.stream)) {
            // What a server asks on a stream was not begun by the body of its request.
            if message.dir == Dir::C2s && stream.exchanges.len() < MAX_BODY {
                stream.exchanges.push(exchange);
                stream.messages.push(message.record);
            }
        }
        store.sessions[session as usize].revision = Some(message.revision());
    }

    /// `initialize` follows: the answers to the modern probe came from an older server and are no faults of it.
    fn take_back(&mut self, store: &mut Store, session: u32) {
        let conn = self.sessions[session as usize].conn;
        if let Some(conn) = self.conns.get_mut(&conn) {
            for finding in conn.provisional.drain(..) {
                store.retract_finding(finding);
            }
        }
    }

    fn notification(&mut self, store: &mut Store, session: u32, message: &Message<'_>) {
        let exchange = store.push_exchange(Exchange::new(message.record, message.dir, Outcome::Notification));
        let record = store.records[message.record as usize];
        let s = &mut self.sessions[session as usize];
        match message.id() {
            Some(id) if id.is_usable() => s.note_id_of_notification(message.dir, &id, message.record),
            _ => s.unanswerable[way(message.dir)] = Some(message.record),
        }
        s.note_notification(message);
        if let Some(stream) = self.conns.get_mut(&record.conn).and_then(|c| c.streams.get_mut(&record.stream)) {
            if message.dir == Dir::C2s && stream.messages.len() < MAX_BODY {
                stream.messages.push(message.record);
            }
        }
        let mut parent = NONE;
        match message.method {
            Some(Method::Initialized) if message.dir == Dir::C2s => {
                s.handshake.initialized.get_or_insert(message.record);
            }
            Some(Method::Cancelled) => {
                let id = message.params().and_then(|p| p.get("requestId")).map(Id::read);
                // A server ends a subscription by cancelling the client's request (2026-07-28).
                let own = id.as_ref().and_then(|id| s.by_id(message.dir, id));
                let found = own.or_else(|| {
                    let theirs = id.as_ref().and_then(|id| s.by_id(message.dir.opposite(), id))?;
                    s.is_listening(theirs).then_some(theirs)
                });
                if let Some(e) = found {
                    parent = e;
                    s.cancel(e, Cancelled { record: message.record, t: message.t });
                    s.unlisten(e);
                    let cancelled = &mut store.exchanges[e as usize];
                    if cancelled.outcome.is_open() {
                        cancelled.outcome = Outcome::Cancelled;
                        cancelled.cancelled_by = message.record;
                    }
                }
            }
            Some(Method::Progress) => {
                let params = message.params();
                let token = params.and_then(|p| p.get("progressToken")).map(Id::read);
                let asked = message.dir.opposite();
                if let Some(token) = token.and_then(|t| s.tokens.get_mut(asked, &t.text)) {
                    parent = token.exchange;
                    token.last = params.and_then(|p| p.get("progress")).and_then(Value::as_f64).or(token.last);
                    if let Some(open) = s.open_mut(parent) {
                        open.heard = Some(message.t);
                    }
                }
            }
            _ => {
                let subscription = message.env.params_meta().and_then(|m| m.get(meta::SUBSCRIPTION_ID)).map(Id::read);
                if let Some(e) = subscription.and_then(|id| s.by_id(Dir::C2s, &id)) {
                    parent = e;
                } else if record.stream == NONE {
                    // Lines do not say which request a log message belongs to; with one in flight there is no doubt.
                    let asked = message.dir.opposite();
                    let only = s.in_flight(asked).next().map(|o| o.exchange).filter(|_| s.in_flight_count(asked) == 1);
                    if let Some(open) = only.and_then(|e| s.open_mut(e)) {
                        open.heard = Some(message.t);
                    }
                } else {
                    let of = self.conns.get(&record.conn).and_then(|c| c.streams.get(&record.stream));
                    if let Some(e) = of.and_then(|s| s.exchanges.first().copied()) {
                        parent = e;
                        if let Some(open) = s.open_mut(e) {
                            open.heard = Some(message.t);
                        }
                    }
                }
            }
        }
        store.exchanges[exchange as usize].parent = parent;
    }

    fn response(&mut self, store: &mut Store, session: u32, message: &Message<'_>, answer: &Answer) {
        if message.dir == Dir::S2c && era::is_modern_answer(&message.env) {
            let s = &mut self.sessions[session as usize];
            s.server_modern = true;
            if let Some(conn) = self.conns.get_mut(&s.conn) {
                conn.provisional.clear();
            }
        }
        let record = message.record;
        let asked = way(message.dir.opposite());
        let trouble = &mut self.sessions[session as usize].trouble[way(message.dir)];
        match (answer.exchange, answer.how) {
            (Some(e), How::Id | How::Ambiguous | How::Stream | How::TypeChanged) => {
                if answer.how != How::Id {
                    store.exchanges[e as usize].flags |= flags::GUESSED;
                }
                if answer.late {
                    store.exchanges[e as usize].flags |= flags::LATE;
                }
                if message.cut {
                    store.exchanges[e as usize].flags |= flags::CUT;
                }
                self.answered(store, session, message, e);
            }
            (Some(e), How::Duplicate) => {
                trouble.stray = record;
                store.records[record as usize].exchange = e;
                store.exchanges[e as usize].flags |= flags::DUPLICATE;
            }
            (Some(e), How::Replay) => store.records[record as usize].exchange = e,
            (None, How::Replay) => store.push_loose(record),
            (Some(first), How::Batch) => {
                for e in std::mem::take(&mut self.sessions[session as usize].batch[asked]).into_iter().rev() {
                    store.exchanges[e as usize].flags |= flags::GUESSED;
                    self.answered(store, session, message, e);
                }
                store.records[record as usize].exchange = first;
            }
            (_, How::NotificationWithId { record: notification }) => {
                let e = store.records[notification as usize].exchange;
                match store.exchanges.get_mut(e as usize) {
                    Some(exchange) if exchange.response == NONE => {
                        exchange.response = record;
                        store.records[record as usize].exchange = e;
                    }
                    _ => self.orphan(store, message, None),
                }
            }
            (candidate, how) => {
                match how {
                    _ if message.cut => {}
                    How::Lost => trouble.lost = record,
                    How::Unknown if message.id().is_some_and(|id| id.is_usable()) => trouble.stray = record,
                    How::Unknown => trouble.lost = record,
                    _ => {}
                }
                self.orphan(store, message, candidate);
                let s = &mut self.sessions[session as usize];
                match how {
                    How::AnsweredNotification { .. } => s.unanswerable[asked] = None,
                    How::Refusal => s.trouble[asked].unsettled = s.trouble[asked].unsettled.saturating_sub(1),
                    _ => {}
                }
            }
        }
    }

    /// A response that answers nothing that is known.
    fn orphan(&self, store: &mut Store, message: &Message<'_>, candidate: Option<u32>) {
        let mut orphan = Exchange::new(NONE, message.dir, Outcome::Orphan);
        orphan.response = message.record;
        orphan.parent = candidate.unwrap_or(NONE);
        let orphan = store.push_exchange(orphan);
        if let Some(code) = message.env.error_code() {
            store.codes.insert(orphan, code);
        }
    }

    fn answered(&mut self, store: &mut Store, session: u32, message: &Message<'_>, exchange: u32) {
        let outcome = match message.kind {
            MessageKind::Error => Outcome::ProtocolError,
            _ => result_outcome(message),
        };
        let first = store.exchanges[exchange as usize].response == NONE;
        store.answer(exchange, message.record, outcome);
        if let (true, Some(code)) = (first, message.env.error_code()) {
            store.codes.insert(exchange, code);
        }
        let s = &mut self.sessions[session as usize];
        let Some(open) = s.finish(exchange) else { return };
        s.unlisten(exchange);
        let batch = &mut s.batch[way(open.dir)];
        if batch.binary_search(&exchange).is_ok() {
            batch.clear();
        }
        s.note_answer(message, &open);
        if let Some(result) = message.result() {
            if result.get("task").is_some() || result.get("taskId").is_some() {
                if let Some(token) = open.token.as_deref().and_then(|t| s.tokens.get_mut(open.dir, t)) {
                    token.task = true;
                }
            }
        }
        match open.method {
            Some(Method::Initialize) if open.dir == Dir::C2s => match (message.kind, message.result()) {
                (MessageKind::Error, _) => s.handshake.refused = Some(message.record),
                (_, Some(result)) => {
                    s.handshake.result = Some(message.record);
                    s.handshake.agreed =
                        result.get("protocolVersion").and_then(Value::as_str).map(|v| v.as_ref().into());
                    s.server_caps = result.get("capabilities").map(Caps::read);
                    let revision = s.handshake.revision();
                    s.sign = revision.or(s.sign);
                    store.sessions[session as usize].revision = revision;
                    store.sessions[session as usize].server = result.get("serverInfo").and_then(info_text);
                }
                _ => {}
            },
            Some(Method::Discover) => {
                if let Some(result) = message.result() {
                    if let Some(versions) = result.get("supportedVersions").filter(|v| v.is_array()) {
                        s.server_versions = Some(texts(versions));
                        s.server_caps = result.get("capabilities").map(Caps::read);
                        s.server_modern = true;
                    }
                }
            }
            _ => {}
        }
        if let Some(supported) =
            message.env.error.and_then(|e| e.get("data")).and_then(|d| d.get("supported")).filter(|v| v.is_array())
        {
            if message.env.error_code() == Some(crate::mcp::errors::UNSUPPORTED_VERSION) {
                s.server_versions = Some(texts(supported));
            }
        }
        if store.sessions[session as usize].server.is_none() && message.dir == Dir::S2c {
            store.sessions[session as usize].server =
                message.env.result_meta().and_then(|m| m.get(meta::SERVER_INFO)).and_then(info_text);
        }
        if outcome == Outcome::InputRequired && first {
            s.note_input_required(message, open);
        }
    }

    /// A session's wire has ended: what is open was never answered.
    pub(super) fn end_session(&mut self, store: &mut Store, session: u32) {
        let (all, t) = {
            let s = &self.sessions[session as usize];
            (s.all_open(), store.records.last().map_or(0, |r| r.t))
        };
        let clean = self.is_clean(session);
        self.sessions[session as usize].recording_ended = !clean;
        for exchange in all {
            let s = &self.sessions[session as usize];
            let Some(open) = s.open(exchange) else { continue };
            let (record, revision) = (open.record, open.judged.revision);
            let cx = crate::rules::Cx {
                store,
                session: s,
                options: &self.options,
                schemas: &self.schemas,
                record,
                dir: open.dir,
                t,
                revision,
                text: None,
                message: None,
                pairing: &Pairing::None,
                http: None,
                stream: super::find_stream(&self.conns, s.conn, open.stream),
                event: None,
                open: Some(open),
                clean_end: clean,
                meta_known: false,
                request: Default::default(),
            };
            self.engine.ask(Moment::Unanswered, &cx);
            self.kept.clear();
            self.engine.commit(store, record, revision, &mut self.kept);
            let e = &mut store.exchanges[exchange as usize];
            if e.outcome == Outcome::Pending {
                e.outcome = Outcome::Unanswered;
            }
        }
        // Rules about the end are pinned to the last message; a session without one has nothing to be judged.
        let last = self.sessions[session as usize].last_message;
        if let Some(record) = last.into_iter().filter(|r| *r != NONE).max() {
            self.ask_loose(store, Moment::End, session, record, Dir::C2s, t, None);
        }
        store.sessions[session as usize].ended = true;
        store.version += 1;
    }
}

fn result_outcome(message: &Message<'_>) -> Outcome {
    let Some(result) = message.result() else { return Outcome::Ok };
    if message.revision().is_modern() && result.get("resultType").is_some_and(|t| t.str_eq("input_required")) {
        return Outcome::InputRequired;
    }
    match result.get("isError").and_then(Value::as_bool) {
        Some(true) => Outcome::ToolError,
        _ => Outcome::Ok,
    }
}

/// `params._meta.progressToken` as JSON text.
fn progress_token(message: &Message<'_>) -> Option<Box<str>> {
    let token = message.env.params_meta()?.get(meta::PROGRESS_TOKEN)?;
    Some(Id::read(token).text.as_ref().into())
}

/// `name/version` of an Implementation object.
fn info_text(info: Value<'_>) -> Option<Box<str>> {
    let name = info.get("name")?.as_str()?;
    let version = info.get("version").and_then(Value::as_str).unwrap_or_default();
    Some(if version.is_empty() { name.as_ref().into() } else { format!("{name}/{version}").into() })
}

fn texts(list: Value<'_>) -> Vec<Box<str>> {
    list.elements().take(100).filter_map(Value::as_str).map(|t| t.as_ref().into()).collect()
}
