//! Asking a plan about one row.

use crate::mcp::Revision;
use crate::trace::exchange::flags;
use crate::trace::{Exchange, Finding, IdRef, NONE, Outcome, Record, RecordKind, Row, Severity};
use crate::wire::frame::{Dir, EventKind, Http, HttpKind};
use crate::wire::json::Parser;

use super::ast::Op;
use super::cx::{EvalCx, Scratch, size_of, time_of};
use super::field::{Field, Is};
use super::path::{Path, Root, any_at};
use super::plan::{IdTest, Leaf, Node};
use super::value::{Amount, JsonTest, Moment, TextTest};

/// One row, with its exchange looked up.
pub(super) struct RowCx<'a> {
    cx: &'a EvalCx<'a>,
    row: Row,
    exchange: Option<&'a Exchange>,
    /// Its first record.
    first: u32,
    /// Its answer, if it is an exchange that has one.
    second: u32,
}

/// Whether the row satisfies the plan.
pub(super) fn matches(node: &Node, row: &RowCx<'_>) -> bool {
    match node {
        Node::All(nodes) => nodes.iter().all(|n| matches(n, row)),
        Node::Any(nodes) => nodes.iter().any(|n| matches(n, row)),
        Node::Not(node) => !matches(node, row),
        Node::Leaf(leaf) => row.ask(leaf),
    }
}

impl<'a> RowCx<'a> {
    pub fn new(cx: &'a EvalCx<'a>, row: Row) -> RowCx<'a> {
        let exchange = match row {
            Row::Exchange(e) => cx.store.exchanges.get(e as usize),
            Row::Loose(_) => None,
        };
        let (first, second) = match (row, exchange) {
            (Row::Loose(r), _) => (r, NONE),
            (_, Some(e)) if e.request == NONE => (e.response, NONE),
            (_, Some(e)) => (e.request, e.response),
            _ => (NONE, NONE),
        };
        RowCx { cx, row, exchange, first, second }
    }

    fn record(&self) -> Option<&'a Record> {
        self.cx.store.record(self.first)
    }

    /// Request and answer, or the lone record.
    fn pair(&self) -> impl Iterator<Item = (u32, &'a Record)> {
        let store = self.cx.store;
        [self.first, self.second].into_iter().filter_map(|i| Some((i, store.record(i)?)))
    }

    /// All records of the row, until one satisfies the test.
    fn any_record(&self, scratch: &mut Scratch, mut test: impl FnMut(&mut Scratch, u32, &Record) -> bool) -> bool {
        if self.pair().any(|(i, r)| test(scratch, i, r)) {
            return true;
        }
        let Row::Exchange(e) = self.row else { return false };
        let more = scratch.extra(self.cx.store, e).to_vec();
        more.into_iter().any(|i| self.cx.store.record(i).is_some_and(|r| test(scratch, i, r)))
    }

    fn any_finding(&self, test: impl Fn(&Finding) -> bool) -> bool {
        let store = self.cx.store;
        let mut scratch = self.cx.scratch();
        self.any_record(&mut scratch, |_, i, r| r.worst > 0 && store.findings_of(i).any(|(_, f)| test(f)))
    }

    fn ask(&self, leaf: &Leaf) -> bool {
        match leaf {
            Leaf::Is(is) => self.is(*is),
            Leaf::Text(field, test) => self.text(field, test),
            Leaf::Choice(field, op, place) => self.choice(field, *op, *place),
            Leaf::Number(field, op, n) => self.number(field, *op, *n),
            Leaf::Amount(field, op, amount) => {
                let x = match field {
                    Field::Latency => self.latency(),
                    _ => Some(size_of(self.cx.store, self.row) as i64),
                };
                x.is_some_and(|x| amount.holds(*op, x))
            }
            Leaf::Time(op, moment) => self.time(*op, *moment).unwrap_or(false),
            Leaf::Id(test) => self.pair().any(|(_, r)| self.id(r.id, test)),
            Leaf::Path(path, test, key) => self.path(path, test, key.as_deref()),
            Leaf::Bytes(regex) => self.bytes(|b| regex.is_match(b)),
            Leaf::Payload(test) => self.bytes(|b| test.holds_bytes(b)),
        }
    }

    fn is(&self, is: Is) -> bool {
        let outcome = self.exchange.map(|e| e.outcome);
        let has = |flag| self.exchange.is_some_and(|e| e.has(flag));
        match is {
            Is::Request => self.exchange.is_some() && self.record().is_some_and(|r| r.kind == RecordKind::Request),
            Is::Notification => outcome == Some(Outcome::Notification),
            Is::Error => self.is_error(),
            Is::ToolError => outcome == Some(Outcome::ToolError),
            Is::Failed => self.is_error() || outcome == Some(Outcome::ToolError),
            Is::Pending => outcome == Some(Outcome::Pending),
            Is::Unanswered => outcome == Some(Outcome::Unanswered),
            Is::Cancelled => outcome == Some(Outcome::Cancelled),
            Is::Late => has(flags::LATE),
            Is::Orphan => outcome == Some(Outcome::Orphan),
            Is::Unreadable => {
                outcome == Some(Outcome::Unreadable) || self.record().is_some_and(|r| r.kind == RecordKind::Unreadable)
            }
            Is::Finding => self.any_finding(|_| true),
            Is::ReadOnly => self.target_of("tools/call").is_some_and(|tool| {
                let session = self.record().map_or(0, |r| r.session);
                self.cx.scratch().is_read_only(self.cx.store, self.cx.source, session, tool)
            }),
            Is::Live => self.cx.live,
            Is::Marked => self.cx.marked.is_some_and(|marked| marked(self.row)),
        }
    }

    /// A protocol error (also one that answers nothing) or a refusal.
    fn is_error(&self) -> bool {
        match self.exchange.map(|e| e.outcome) {
            Some(Outcome::ProtocolError | Outcome::Refused) => true,
            Some(Outcome::Orphan) => self.record().is_some_and(|r| r.kind == RecordKind::Error),
            _ => false,
        }
    }

    fn latency(&self) -> Option<i64> {
        let e = self.exchange?;
        match e.outcome {
            Outcome::Notification | Outcome::Orphan | Outcome::Unreadable => None,
            _ => self.cx.store.latency(e),
        }
    }

    fn method(&self) -> Option<&'a str> {
        self.cx.store.name(self.record()?.method)
    }

    fn target(&self) -> Option<&'a str> {
        self.cx.store.name(self.record()?.target)
    }

    fn target_of(&self, method: &str) -> Option<&'a str> {
        let target = self.target()?;
        (self.method() == Some(method)).then_some(target)
    }

    fn uri(&self) -> Option<&'a str> {
        let target = self.target()?;
        self.method().filter(|m| m.starts_with("resources/") || m.starts_with("notifications/resources/"))?;
        Some(target)
    }

    /// `NAME/VERSION`: the whole, or the name alone.
    fn info(&self, test: &TextTest, info: Option<&str>) -> bool {
        let Some(info) = info else { return false };
        test.holds(info) || info.rsplit_once('/').is_some_and(|(name, _)| test.holds(name))
    }

    fn text(&self, field: &Field, test: &TextTest) -> bool {
        let holds = |text: Option<&str>| text.is_some_and(|t| test.holds(t));
        let session = || self.record().and_then(|r| self.cx.store.sessions.get(r.session as usize));
        match field {
            Field::Method => holds(self.method()),
            Field::Tool => holds(self.target_of("tools/call")),
            Field::Prompt => holds(self.target_of("prompts/get")),
            Field::Uri => holds(self.uri()),
            Field::Target => {
                holds(self.target_of("tools/call").or_else(|| self.target_of("prompts/get")).or_else(|| self.uri()))
            }
            Field::Host => holds(self.cx.host),
            Field::Client => self.info(test, session().and_then(|s| s.client.as_deref())),
            Field::Server => self.info(test, session().and_then(|s| s.server.as_deref())),
            Field::Rule => self.any_finding(|f| test.holds(f.rule)),
            Field::Layer => self.any_finding(|f| test.holds(f.layer.as_str())),
            Field::Severity => self.any_finding(|f| test.holds(f.severity.as_str())),
            Field::Owner => self.any_finding(|f| test.holds(f.owner.as_str())),
            Field::Dir => holds(self.dir().map(Dir::as_str)),
            Field::Era => holds(self.revision().map(|r| if r.is_modern() { "modern" } else { "legacy" })),
            Field::Revision => holds(self.revision().map(Revision::as_str)),
            Field::Outcome => holds(self.exchange.map(|e| e.outcome.as_str())),
            Field::HttpHeader(name) => self.any_head(|http| {
                http.headers.iter().any(|(n, v)| n.eq_ignore_ascii_case(name) && test.holds(v.as_ref()))
            }),
            Field::Stderr => {
                self.record().is_some_and(|r| r.kind == RecordKind::Stderr) && self.bytes(|b| test.holds_bytes(b))
            }
            _ => false,
        }
    }

    /// Who began it; an event has no direction.
    fn dir(&self) -> Option<Dir> {
        match self.exchange {
            Some(e) => Some(e.dir),
            None => self.record().filter(|r| r.kind != RecordKind::Event).map(|r| r.dir),
        }
    }

    fn revision(&self) -> Option<Revision> {
        let record = self.record()?;
        (record.kind.is_message() || record.kind == RecordKind::Http).then_some(record.judged.revision)
    }

    fn choice(&self, field: &Field, op: Op, place: usize) -> bool {
        let is = |found: Option<usize>| found.is_some_and(|f| op.holds(f.cmp(&place)));
        match field {
            Field::Dir => is(self.dir().map(|d| d as usize)),
            Field::Era => is(self.revision().map(|r| usize::from(r.is_modern()))),
            Field::Revision => is(self.revision().map(|r| r as usize)),
            Field::Outcome => is(self.exchange.map(|e| e.outcome as usize)),
            Field::Layer => self.any_finding(|f| is(Some(f.layer as usize))),
            Field::Severity if op == Op::Ge && place == Severity::Info as usize => self.any_finding(|_| true),
            Field::Severity => self.any_finding(|f| is(Some(f.severity as usize))),
            Field::Owner => self.any_finding(|f| is(Some(f.owner as usize))),
            _ => false,
        }
    }

    fn number(&self, field: &Field, op: Op, n: f64) -> bool {
        let is = |x: f64| x.partial_cmp(&n).is_some_and(|o| op.holds(o));
        match field {
            Field::N => matches!(self.row, Row::Exchange(e) if is(f64::from(e) + 1.0)),
            Field::Conn => self.record().is_some_and(|r| is(f64::from(r.conn))),
            Field::HttpStatus => {
                self.any_head(|http| http.kind == HttpKind::Response && http.status.is_some_and(|s| is(f64::from(s))))
            }
            Field::Code => self.pair().any(|(i, r)| {
                r.kind == RecordKind::Error
                    && self.message(i, r, |parser, bytes| {
                        let code = parser.parse(bytes).root().and_then(|r| r.path(&["error", "code"]));
                        code.and_then(|c| c.as_f64()).is_some_and(is)
                    })
            }),
            _ => false,
        }
    }

    fn any_head(&self, test: impl Fn(&Http<'_>) -> bool) -> bool {
        let store = self.cx.store;
        if store.http.is_empty() {
            return false;
        }
        let mut scratch = self.cx.scratch();
        self.pair()
            .any(|(_, r)| scratch.heads(store, r).iter().any(|i| store.http.get(i).is_some_and(|http| test(http))))
    }

    fn time(&self, op: Op, moment: Moment) -> Option<bool> {
        let t = time_of(self.cx.store, self.row)?;
        Some(match moment {
            Moment::Since(amount) => amount.holds(op, t),
            Moment::At(amount) => amount.holds(op, self.cx.created? + t),
            Moment::Civil(amount) => amount.holds(op, self.cx.local(self.cx.created? + t)),
            Moment::OfDay(amount) => {
                const DAY: i64 = 86_400_000_000;
                let began = self.cx.local(self.cx.created?);
                let value = began - began.rem_euclid(DAY) + amount.value;
                Amount { value, ..amount }.holds(op, self.cx.local(self.cx.created? + t))
            }
        })
    }

    fn id(&self, id: IdRef, test: &IdTest) -> bool {
        match (test, id) {
            (_, IdRef::Absent) => false,
            (IdTest::Order(op, n), IdRef::Int(x)) => op.holds(x.cmp(n)),
            (IdTest::Order(..), _) => false,
            (IdTest::Same(op, _, integer), IdRef::Int(x)) => (*integer == Some(x)) != (*op == Op::Ne),
            (IdTest::Same(op, text, _), IdRef::Text(sym)) => {
                (self.cx.store.name(sym) == Some(text.as_str())) != (*op == Op::Ne)
            }
            (IdTest::Text(test), id) => {
                self.cx.store.id_text(id).is_some_and(|text| test.holds(text.trim_matches('"')))
            }
        }
    }

    /// Looks at the bytes of a record's message.
    fn message(&self, index: u32, record: &Record, look: impl FnOnce(&mut Parser, &[u8]) -> bool) -> bool {
        let mut scratch = self.cx.scratch();
        self.message_with(&mut scratch, index, record, look)
    }

    fn message_with(
        &self,
        scratch: &mut Scratch,
        index: u32,
        record: &Record,
        look: impl FnOnce(&mut Parser, &[u8]) -> bool,
    ) -> bool {
        let Scratch { windows, parser, .. } = scratch;
        if let Some(recovered) = self.cx.store.recovered.get(&index) {
            return look(parser, &recovered.bytes);
        }
        // What cannot be read (the file was cut) has no such bytes.
        let bytes = self.cx.source.and_then(|source| windows.message(source, record).ok());
        bytes.is_some_and(|bytes| look(parser, bytes))
    }

    /// Whether the bytes of any record of the row satisfy the test: payload, HTTP head, words of an event.
    fn bytes(&self, test: impl Fn(&[u8]) -> bool) -> bool {
        let mut scratch = self.cx.scratch();
        let store = self.cx.store;
        self.any_record(&mut scratch, |scratch, i, r| {
            if r.kind == RecordKind::Event {
                return store.events.get(&i).is_some_and(|e| test(event_text(&e.kind).as_bytes()));
            }
            if self.message_with(scratch, i, r, |_, bytes| !bytes.is_empty() && test(bytes)) {
                return true;
            }
            store.http.get(&i).is_some_and(|http| {
                http.path.as_ref().is_some_and(|p| test(p.as_bytes()))
                    || http.headers.iter().any(|(n, v)| test(format!("{n}: {v}").as_bytes()))
            })
        })
    }

    fn path(&self, path: &Path, test: &JsonTest, key: Option<&str>) -> bool {
        self.pair().any(|(i, r)| {
            let may = match r.kind {
                RecordKind::Request | RecordKind::Notification => matches!(path.root, Root::Params | Root::Meta),
                RecordKind::Response | RecordKind::Error => matches!(path.root, Root::Result | Root::Error),
                RecordKind::Unrecognised => true,
                _ => false,
            };
            may && self.message(i, r, |parser, bytes| {
                // A key that stands nowhere need not be looked for, unless escapes may spell it.
                let absent = |k: &str| memchr::memmem::find(bytes, k.as_bytes()).is_none();
                if key.is_some_and(absent) && memchr::memchr(b'\\', bytes).is_none() {
                    return false;
                }
                let value = parser.parse(bytes).root().and_then(|root| path.root.of(root));
                value.is_some_and(|v| any_at(v, &path.steps, &|v| test.holds(v)))
            })
        })
    }
}

/// The words of an event that a search can find.
fn event_text(kind: &EventKind) -> String {
    match kind {
        EventKind::SpawnFailed { why } => format!("spawn-failed {why}"),
        EventKind::Gap { why, .. } => format!("gap {why}"),
        EventKind::Signal { name } => format!("signal {name}"),
        EventKind::Exit { status, signal } => match (status, signal) {
            (_, Some(signal)) => format!("exit {signal}"),
            (Some(status), _) => format!("exit {status}"),
            _ => "exit".to_owned(),
        },
        EventKind::Other(name) => name.clone(),
        EventKind::Spawn { .. } => "spawn".to_owned(),
        EventKind::Open => "open".to_owned(),
        EventKind::Close => "close".to_owned(),
        EventKind::Eof { .. } => "eof".to_owned(),
        EventKind::End { .. } => "end".to_owned(),
        EventKind::Partial { .. } => "partial".to_owned(),
        EventKind::Blocked { .. } => "blocked".to_owned(),
        EventKind::Undelivered { .. } => "undelivered".to_owned(),
        EventKind::Clock { wall } => format!("clock {wall}"),
    }
}
