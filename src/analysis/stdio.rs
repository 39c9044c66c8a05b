//! Lines on pipes.

use crate::rules::{Text, TextClass};
use crate::trace::session::Transport;
use crate::trace::{Exchange, NONE, Outcome, RecordKind, Store, session::way, store::Recovered};
use crate::wire::frame::{Dir, Eol};
use crate::wire::json::{Doc, Kind, Value};

use super::framing::{self, HeldLine, Joined};
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
        let mut parser = self.parser();
        let conn = self.conns.entry(head.conn).or_default();
        let lsp = conn.joiners[d].lsp;
        if conn.joiners[d].is_active() && !bytes.trim_ascii().is_empty() {
            let line = held(head, bytes);
            match conn.joiners[d].offer(line.clone(), &mut parser) {
                Joined::More => {}
                Joined::Done { lines, text } => self.joined(store, head, lines, &text, &mut parser),
                Joined::No { lines } => {
                    let taken = lines.last().is_some_and(|l| l.frame == head.number);
                    self.one_by_one(store, head, lines, false);
                    if !taken {
                        self.give_back(parser);
                        self.stdio_line(store, head, bytes, eol);
                        return;
                    }
                }
            }
            self.give_back(parser);
            return;
        }
        if let Some(skip) = framing::lsp_header(bytes) {
            conn.joiners[d].lsp = true;
            self.lsp_line(store, head, &bytes[skip..], eol);
            self.give_back(parser);
            return;
        }
        let doc = parser.parse(bytes);
        let faults = doc.faults();
        let begins = faults.incomplete && faults.syntax.as_ref().is_some_and(|s| s.eof) && framing::is_attempt(bytes);
        if begins && eol != Eol::None {
            conn.joiners[d].begin(held(head, bytes));
        } else if lsp && faults.trailing && framing::lsp_header(bytes[doc.end()..].trim_ascii_start()).is_some() {
            // The body ends where the next header begins: the header is noise that was named already.
            let body = &bytes[..doc.end()];
            let mut again = self.parser();
            let doc = again.parse(body);
            self.text(store, head, body, doc, TextClass::Message, 1);
            self.give_back(again);
        } else {
            let class = framing::classify(&doc, bytes, eol == Eol::None);
            self.text(store, head, bytes, doc, class, 1);
        }
        self.give_back(parser);
    }

    /// A line that begins with an LSP header: the header is framing, a body glued to it is a message.
    fn lsp_line(&mut self, store: &mut Store, head: &Head, rest: &[u8], eol: Eol) {
        let session = self.stdio_session(store, head.conn);
        let judged = self.fallback(session);
        let record = store.push_record(head.record(RecordKind::Fragment, session, judged));
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
        let body = rest.trim_ascii_start();
        if body.first() == Some(&b'{') || body.first() == Some(&b'[') {
            self.stdio_line(store, head, body, eol);
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
        let Some(first) = lines.first() else { return };
        let first_head = head_of(head, first);
        let doc = parser.parse(text);
        let record = self.text(store, &first_head, text, doc, TextClass::Joined, lines.len() as u32);
        let session = self.stdio_session(store, head.conn);
        let judged = self.fallback(session);
        let mut last = record;
        for line in &lines[1..] {
            last = store.push_record(head_of(head, line).record(RecordKind::Fragment, session, judged));
            let exchange = store.records[record as usize].exchange;
            store.records[last as usize].exchange = exchange;
        }
        store.recovered.insert(record, Recovered { bytes: text.into(), last });
    }

    /// Held lines that turned out to be no message: each for itself.
    fn one_by_one(&mut self, store: &mut Store, head: &Head, lines: Vec<HeldLine>, at_end: bool) {
        let count = lines.len();
        for (i, line) in lines.into_iter().enumerate() {
            let mut parser = self.parser();
            let doc = parser.parse(&line.bytes);
            let class = framing::classify(&doc, &line.bytes, at_end && i + 1 == count);
            self.text(store, &head_of(head, &line), &line.bytes, doc, class, 1);
            self.give_back(parser);
        }
    }

    /// A direction has ended: what is held is all that there is.
    pub(super) fn flush_lines(&mut self, store: &mut Store, conn: u32, dir: Dir) {
        let Some(c) = self.conns.get_mut(&conn) else { return };
        let lines = c.joiners[way(dir)].take();
        if let Some(first) = lines.first() {
            let head =
                Head { number: first.frame, line: first.line, t: first.t, dir, conn, place: first.place, stream: NONE };
            self.one_by_one(store, &head, lines, true);
        }
    }

    /// Judges one text and the messages in it. Returns its (first) record.
    pub(super) fn text(
        &mut self,
        store: &mut Store,
        head: &Head,
        bytes: &[u8],
        doc: Doc<'_>,
        class: TextClass,
        lines: u32,
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
        let readable =
            matches!(class, TextClass::Message | TextClass::TwoMessages | TextClass::Joined | TextClass::CutOff);
        let root = doc.root().filter(|_| readable);
        let text = Text { class, bytes, doc, in_noise_run, lines };
        let Some(root) = root else {
            let judged = self.fallback(session);
            if class == TextClass::Blank {
                return store.push_record(head.record(RecordKind::Fragment, session, judged));
            }
            self.sessions[session as usize].unreadable[d] += 1;
            let record = store.push_record(head.record(RecordKind::Unreadable, session, judged));
            store.push_exchange(Exchange::new(record, head.dir, Outcome::Unreadable));
            self.ask_text(store, session, record, head, text);
            return record;
        };
        let cut = class == TextClass::CutOff;
        let first = self.messages(store, session, head, None, root, bytes, Some(text), cut);
        if class == TextClass::TwoMessages {
            self.rest(store, session, head, bytes, doc.end());
        }
        first
    }

    /// The text after the first value of a line: if it is a message too, it is shown and paired.
    fn rest(&mut self, store: &mut Store, session: u32, head: &Head, bytes: &[u8], from: usize) {
        let mut from = from;
        // A line of a thousand glued messages is read in a loop, each once.
        while from < bytes.len() {
            let mut parser = self.parser();
            let doc = parser.parse(&bytes[from..]);
            let whole = doc.faults().syntax.is_none();
            let root = doc.root().filter(|r| whole && matches!(r.kind(), Kind::Object));
            let end = from + doc.end();
            if let Some(root) = root {
                let first = self.messages(store, session, head, None, root, &bytes[from..], None, false);
                let record = &mut store.records[first as usize];
                record.part_start += from as u32;
                if record.part_len == 0 {
                    record.part_len = (end - from) as u32;
                }
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
        let batch = root.kind() == Kind::Array && root.elements().next().is_some_and(|e| e.kind() == Kind::Object);
        if !batch {
            return self.message(store, session, head, http, root, bytes, None, text, cut);
        }
        let mut first = NONE;
        let mut text = text;
        for (i, element) in root.elements().enumerate() {
            let record = self.message(store, session, head, http, element, bytes, Some(i as u32), text.take(), cut);
            let span = element.span();
            let r = &mut store.records[record as usize];
            r.part_start = span.start as u32;
            r.part_len = span.len() as u32;
            if first == NONE {
                first = record;
            }
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
            request: Default::default(),
        };
        self.engine.ask(Moment::Text, &cx);
        self.kept.clear();
        self.engine.commit(store, record, revision, &mut self.kept);
    }
}

fn held(head: &Head, bytes: &[u8]) -> HeldLine {
    HeldLine { bytes: bytes.to_vec(), frame: head.number, line: head.line, t: head.t, place: head.place }
}

fn head_of(head: &Head, line: &HeldLine) -> Head {
    Head { number: line.frame, line: line.line, t: line.t, place: line.place, ..*head }
}
