//! Lines on pipes.

use crate::rules::{Text, TextClass};
use crate::trace::session::Transport;
use crate::trace::{Exchange, NONE, Outcome, Record, RecordKind, Store, session::way, store::Recovered};
use crate::wire::frame::{Dir, Eol};
use crate::wire::json::{Doc, Kind, Value};

use super::framing::{self, HeldLine, Offered};
use super::{Analyzer, Head, Moment};

impl Analyzer {
    /// The session of a stdio connection: one start of the server.
    pub(super) fn stdio_session(&mut self, store: &mut Store, conn: u32) -> u32 {
        if let Some(session) = self.conns.get(&conn).and_then(|c| c.session) {
            return session;
        }
        let session = self.new_session(store, conn, Transport::Stdio);
        self.conns.entry(conn).or_default().session = Some(session);
        session
    }

    pub(super) fn stdio_line(&mut self, store: &mut Store, head: &Head, bytes: &[u8], eol: Eol) {
        let d = way(head.dir);
        let session = self.stdio_session(store, head.conn);
        self.sessions[session as usize].trouble[d].moves();
        let mut parser = self.parser();
        let conn = self.conns.entry(head.conn).or_default();
        let joiner = &mut conn.joiners[d];
        let lsp = joiner.lsp;
        if joiner.is_active() {
            let held = joiner.offer(bytes, &mut parser);
            match held {
                Offered::More | Offered::Done { .. } => {
                    let line = self.hold_line(store, session, head, bytes);
                    if let Some(conn) = self.conns.get_mut(&head.conn) {
                        conn.joiners[d].add(line);
                    }
                }
                Offered::No { .. } => {}
            }
            match held {
                Offered::More => self.give_back(parser),
                Offered::Done { len } => {
                    let (lines, mut text) = self.take_held(head.conn, d);
                    text.truncate(len);
                    self.joined(store, head, lines, &text, &mut parser);
                    self.give_back(parser);
                }
                Offered::No { taken } => {
                    if taken {
                        let line = self.hold_line(store, session, head, bytes);
                        if let Some(conn) = self.conns.get_mut(&head.conn) {
                            conn.joiners[d].add(line);
                        }
                    }
                    let (lines, _) = self.take_held(head.conn, d);
                    self.one_by_one(store, head, lines, false);
                    self.give_back(parser);
                    if !taken {
                        self.stdio_line(store, head, bytes, eol);
                    }
                }
            }
            return;
        }
        if let Some(skip) = framing::lsp_header(bytes) {
            conn.joiners[d].lsp = true;
            self.give_back(parser);
            self.lsp_line(store, session, head, bytes, skip, eol);
            return;
        }
        let doc = parser.parse(bytes);
        let faults = doc.faults();
        let begins = faults.incomplete && faults.syntax.as_ref().is_some_and(|s| s.eof) && framing::is_attempt(bytes);
        if begins && eol != Eol::None {
            conn.joiners[d].begin(bytes);
            let line = self.hold_line(store, session, head, bytes);
            if let Some(conn) = self.conns.get_mut(&head.conn) {
                conn.joiners[d].add(line);
            }
        } else if lsp && faults.trailing && framing::lsp_header(bytes[doc.end()..].trim_ascii_start()).is_some() {
            // The body ends where the next header begins: the header is noise that was named already.
            let body = &bytes[..doc.end()];
            let mut again = self.parser();
            let doc = again.parse(body);
            let head = Head { part: (head.part.0, body.len() as u32), ..*head };
            self.text(store, &head, body, doc, TextClass::Message, 1, false);
            self.give_back(again);
        } else {
            let class = framing::classify(&doc, bytes, eol == Eol::None);
            self.text(store, head, bytes, doc, class, 1, false);
        }
        self.give_back(parser);
    }

    /// Keeps a line back. Its record stands at its place already, and its reader may refuse it at once.
    fn hold_line(&mut self, store: &mut Store, session: u32, head: &Head, bytes: &[u8]) -> HeldLine {
        let judged = self.fallback(session);
        let record = store.push_record(head.record(RecordKind::Fragment, session, judged));
        self.sessions[session as usize].trouble[way(head.dir)].refused_by_strict_readers();
        HeldLine { bytes: bytes.to_vec(), frame: head.number, line: head.line, t: head.t, place: head.place, record }
    }

    fn take_held(&mut self, conn: u32, d: usize) -> (Vec<HeldLine>, Vec<u8>) {
        self.conns.get_mut(&conn).map(|c| c.joiners[d].take()).unwrap_or_default()
    }

    /// A line that begins with an LSP header: the header is framing, a body glued to it is a message.
    fn lsp_line(&mut self, store: &mut Store, session: u32, head: &Head, bytes: &[u8], skip: usize, eol: Eol) {
        let rest = &bytes[skip..];
        let body = rest.trim_ascii_start();
        let glued = matches!(body.first(), Some(b'{' | b'['));
        let judged = self.fallback(session);
        let record = store.push_record(head.record(RecordKind::Fragment, session, judged));
        self.sessions[session as usize].trouble[way(head.dir)].refused_by_strict_readers();
        let mut parser = self.parser();
        let doc = parser.parse(rest);
        self.ask_text(
            store,
            session,
            record,
            head,
            Text { class: TextClass::LspHeader, bytes: rest, doc, in_noise_run: false, lines: 1 },
        );
        self.give_back(parser);
        if glued {
            let part = ((bytes.len() - body.len()) as u32, body.len() as u32);
            self.stdio_line(store, &Head { part, ..*head }, body, eol);
        }
    }

    /// Lines that are one message only when joined.
    fn joined(
        &mut self,
        store: &mut Store,
        head: &Head,
        lines: Vec<HeldLine>,
        text: &[u8],
        parser: &mut crate::wire::json::Parser,
    ) {
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return };
        let first_head = head_of(head, first);
        let doc = parser.parse(text);
        self.reserved = Some(first.record);
        let record = self.text(store, &first_head, text, doc, TextClass::Joined, lines.len() as u32, true);
        let exchange = store.records[record as usize].exchange;
        for line in &lines[1..] {
            store.records[line.record as usize].exchange = exchange;
        }
        store.recovered.insert(record, Recovered { bytes: text.into(), last: last.record });
    }

    /// Held lines that turned out to be no message: each for itself.
    fn one_by_one(&mut self, store: &mut Store, head: &Head, lines: Vec<HeldLine>, at_end: bool) {
        let count = lines.len();
        for (i, line) in lines.into_iter().enumerate() {
            let mut parser = self.parser();
            let doc = parser.parse(&line.bytes);
            let class = framing::classify(&doc, &line.bytes, at_end && i + 1 == count);
            self.reserved = Some(line.record);
            self.text(store, &head_of(head, &line), &line.bytes, doc, class, 1, true);
            self.give_back(parser);
        }
    }

    /// A direction has ended: what is held is all that there is.
    pub(super) fn flush_lines(&mut self, store: &mut Store, conn: u32, dir: Dir) {
        let (lines, _) = self.take_held(conn, way(dir));
        if let Some(first) = lines.first() {
            let head = Head {
                number: first.frame,
                line: first.line,
                t: first.t,
                dir,
                conn,
                place: first.place,
                stream: NONE,
                part: (0, 0),
            };
            self.one_by_one(store, &head, lines, true);
        }
    }

    /// Puts a record at the place that was kept for it, else at the end.
    pub(super) fn put_record(&mut self, store: &mut Store, record: Record) -> u32 {
        match self.reserved.take() {
            Some(place) => {
                store.replace_record(place, record);
                place
            }
            None => store.push_record(record),
        }
    }

    /// Judges one text and the messages in it. Returns its (first) record. `counted`: its lines were counted as trouble
    /// when they came.
    pub(super) fn text(
        &mut self,
        store: &mut Store,
        head: &Head,
        bytes: &[u8],
        doc: Doc<'_>,
        class: TextClass,
        lines: u32,
        counted: bool,
    ) -> u32 {
        let session = self.stdio_session(store, head.conn);
        let d = way(head.dir);
        let in_noise_run = match self.conns.get_mut(&head.conn) {
            Some(conn) => {
                let run = conn.joiners[d].in_noise_run;
                conn.joiners[d].in_noise_run = class == TextClass::Noise || (run && class == TextClass::Blank);
                run
            }
            None => false,
        };
        if !counted && framing::is_refusable(class, doc.faults()) {
            self.sessions[session as usize].trouble[d].refused_by_strict_readers();
        }
        let readable =
            matches!(class, TextClass::Message | TextClass::TwoMessages | TextClass::Joined | TextClass::CutOff);
        let root = doc.root().filter(|_| readable);
        let text = Text { class, bytes, doc, in_noise_run, lines };
        let Some(root) = root else {
            let judged = self.fallback(session);
            if class == TextClass::Blank {
                return self.put_record(store, head.record(RecordKind::Fragment, session, judged));
            }
            let record = self.put_record(store, head.record(RecordKind::Unreadable, session, judged));
            self.sessions[session as usize].trouble[d].unreadable = record;
            store.push_exchange(Exchange::new(record, head.dir, Outcome::Unreadable));
            self.ask_text(store, session, record, head, text);
            return record;
        };
        let cut = class == TextClass::CutOff;
        let first = self.messages(store, session, head, None, root, bytes, Some(text), cut);
        if cut {
            self.sessions[session as usize].trouble[d].broken_off = first;
        }
        if class == TextClass::TwoMessages {
            let record = &mut store.records[first as usize];
            if record.part_len == 0 {
                record.part_start = root.span().start as u32;
                record.part_len = root.span().len() as u32;
            }
            self.rest(store, session, head, bytes, doc.end());
        }
        first
    }

    /// The text after the first value of a line: if it is a message too, it is shown, judged and paired.
    fn rest(&mut self, store: &mut Store, session: u32, head: &Head, bytes: &[u8], from: usize) {
        let mut from = from;
        // A line of a thousand glued messages is read in a loop, each once.
        while from < bytes.len() {
            let mut parser = self.parser();
            let doc = parser.parse_first(&bytes[from..]);
            let whole = doc.faults().syntax.is_none();
            let root = doc.root().filter(|r| whole && matches!(r.kind(), Kind::Object));
            let end = from + doc.end();
            if let Some(root) = root {
                let head = Head { part: (head.part.0 + from as u32, doc.end() as u32), ..*head };
                let text =
                    Text { class: TextClass::Message, bytes: &bytes[from..end], doc, in_noise_run: false, lines: 1 };
                self.messages(store, session, &head, None, root, &bytes[from..end], Some(text), false);
            }
            let go_on = root.is_some() && end > from;
            self.give_back(parser);
            if !go_on {
                break;
            }
            from = end;
        }
    }

    /// All messages of a document: one, or those of a batch. Asks the text rules on the first record.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn messages(
        &mut self,
        store: &mut Store,
        session: u32,
        head: &Head,
        http: Option<&crate::wire::frame::Http<'_>>,
        root: Value<'_>,
        bytes: &[u8],
        text: Option<Text<'_>>,
        cut: bool,
    ) -> u32 {
        if !framing::is_batch(root) {
            return self.message(store, session, head, http, root, bytes, None, text, cut);
        }
        let mut first = NONE;
        let mut text = text;
        let mut requests = Vec::new();
        for (i, element) in root.elements().enumerate() {
            let record = self.message(store, session, head, http, element, bytes, Some(i as u32), text.take(), cut);
            let span = element.span();
            let r = &mut store.records[record as usize];
            r.part_start = head.part.0 + span.start as u32;
            r.part_len = span.len() as u32;
            if r.kind == RecordKind::Request {
                requests.push(r.exchange);
            }
            if first == NONE {
                first = record;
            }
        }
        if !requests.is_empty() {
            self.sessions[session as usize].batch[way(head.dir)] = requests;
        }
        first
    }

    /// Asks the rules that look at texts.
    pub(super) fn ask_text(&mut self, store: &mut Store, session: u32, record: u32, head: &Head, text: Text<'_>) {
        let revision = store.records[record as usize].judged.revision;
        let cx = crate::rules::Cx {
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
            pairing: &crate::trace::session::Pairing::None,
            http: None,
            stream: None,
            event: None,
            open: None,
            clean_end: self.is_clean(session),
            meta_known: false,
            request: Default::default(),
        };
        self.engine.ask(Moment::Text, &cx);
        self.kept.clear();
        self.engine.commit(store, record, revision, &mut self.kept);
    }
}

fn head_of(head: &Head, line: &HeldLine) -> Head {
    Head { number: line.frame, line: line.line, t: line.t, place: line.place, part: (0, 0), ..*head }
}
