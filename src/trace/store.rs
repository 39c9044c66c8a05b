//! The store: everything that is known about a trace, in append-only columns. One writer (the analysis), many readers.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::wire::frame::{Event, Http};
use crate::wire::id::{Id, IdKind};

use super::exchange::{Exchange, Outcome};
use super::finding::{Finding, Severity};
use super::names::{Names, Sym};
use super::record::{IdRef, NONE, Record, RecordKind};

/// What stands on one row of the time line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Row {
    /// An exchange (index).
    Exchange(u32),
    /// A record that belongs to no exchange: a stderr line, an HTTP head, an event.
    Loose(u32),
}

/// What readers may know about a session (one process, one HTTP session, or one stateless HTTP client).
#[derive(Clone, Debug, Default)]
pub struct SessionInfo {
    /// Connection, from 1.
    pub conn: u32,
    /// `Mcp-Session-Id`, if the server handed one out.
    pub session_id: Option<Box<str>>,
    /// Name and version of the client, as it calls itself.
    pub client: Option<Box<str>>,
    /// Name and version of the server.
    pub server: Option<Box<str>>,
    /// The revision agreed or last used.
    pub revision: Option<crate::mcp::Revision>,
    /// The wire has ended.
    pub ended: bool,
}

/// Something that was neither passed nor failed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NotJudged {
    /// The rule's id.
    pub rule: &'static str,
    /// Why.
    pub why: Box<str>,
}

/// Bytes of a message that no single frame holds: lines that parse only when joined.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The message.
    pub bytes: Box<[u8]>,
    /// The last record whose bytes are part of it.
    pub last: u32,
}

/// Everything that is known about a trace.
#[derive(Default, Debug)]
pub struct Store {
    /// One for each message, stderr line, HTTP head or event, in wire order.
    pub records: Vec<Record>,
    /// Exchanges in the order in which they began.
    pub exchanges: Vec<Exchange>,
    /// The time line: exchanges and loose records, in order.
    pub rows: Vec<Row>,
    /// Sessions.
    pub sessions: Vec<SessionInfo>,
    /// Interned names.
    pub names: Names,
    /// HTTP side of the records that have one.
    pub http: FxHashMap<u32, Box<Http<'static>>>,
    /// Events, by record.
    pub events: FxHashMap<u32, Box<Event>>,
    /// Messages recovered from several frames, by the record of the first.
    pub recovered: FxHashMap<u32, Recovered>,
    /// Codes of JSON-RPC errors, by exchange: rows and filters name them without reading the message again.
    pub codes: FxHashMap<u32, i64>,
    /// The source holds no times: those of the records say the order only.
    pub timeless: bool,
    /// What was not judged, and how often.
    pub not_judged: BTreeMap<NotJudged, u32>,
    /// Frames so far (c2s, s2c and err).
    pub frames: u32,
    /// JSON-RPC messages so far.
    pub messages: u32,
    /// Increased with each change, so that readers know when to look again.
    pub version: u64,
    findings: Vec<Option<Finding>>,
    by_record: FxHashMap<u32, Vec<u32>>,
}

impl Store {
    /// An empty store.
    pub fn new() -> Store {
        Store::default()
    }

    /// Appends a record and returns its index.
    pub fn push_record(&mut self, record: Record) -> u32 {
        let n = self.records.len() as u32;
        if record.kind.is_message() {
            self.messages += 1;
        }
        self.records.push(record);
        self.version += 1;
        n
    }

    /// Puts a record in the place of one that was kept for it.
    pub fn replace_record(&mut self, at: u32, record: Record) {
        let Some(old) = self.records.get_mut(at as usize) else { return };
        self.messages += u32::from(record.kind.is_message());
        self.messages -= u32::from(old.kind.is_message());
        *old = record;
        self.version += 1;
    }

    /// Appends an exchange with its row, ties its first record to it, and returns its index.
    pub fn push_exchange(&mut self, exchange: Exchange) -> u32 {
        let n = self.exchanges.len() as u32;
        let first = exchange.first();
        self.exchanges.push(exchange);
        self.rows.push(Row::Exchange(n));
        if let Some(record) = self.records.get_mut(first as usize) {
            record.exchange = n;
        }
        self.version += 1;
        n
    }

    /// Gives a record that belongs to no exchange a row of its own.
    pub fn push_loose(&mut self, record: u32) {
        self.rows.push(Row::Loose(record));
        self.version += 1;
    }

    /// Ties a response to its exchange. The first one becomes its response.
    pub fn answer(&mut self, exchange: u32, record: u32, outcome: Outcome) {
        self.records[record as usize].exchange = exchange;
        let e = &mut self.exchanges[exchange as usize];
        if e.response == NONE {
            e.response = record;
            e.outcome = outcome;
        }
        self.version += 1;
    }

    /// Adds a finding and returns its index.
    pub fn add_finding(&mut self, finding: Finding) -> u32 {
        let n = self.findings.len() as u32;
        let record = finding.record;
        if let Some(r) = self.records.get_mut(record as usize) {
            r.worst = r.worst.max(finding.severity.rank());
        }
        self.by_record.entry(record).or_default().push(n);
        self.findings.push(Some(finding));
        self.version += 1;
        n
    }

    /// Takes a finding back: a later message showed what it was.
    pub fn retract_finding(&mut self, index: u32) {
        let Some(finding) = self.findings.get_mut(index as usize).and_then(Option::take) else { return };
        if let Some(list) = self.by_record.get_mut(&finding.record) {
            list.retain(|&i| i != index);
        }
        let worst = self.findings_of(finding.record).map(|(_, f)| f.severity.rank()).max().unwrap_or(0);
        if let Some(r) = self.records.get_mut(finding.record as usize) {
            r.worst = worst;
        }
        self.version += 1;
    }

    /// All findings with their indices, in the order in which they were made.
    pub fn findings(&self) -> impl Iterator<Item = (u32, &Finding)> {
        self.findings.iter().enumerate().filter_map(|(i, f)| f.as_ref().map(|f| (i as u32, f)))
    }

    /// One finding.
    pub fn finding(&self, index: u32) -> Option<&Finding> {
        self.findings.get(index as usize)?.as_ref()
    }

    /// One finding, to be changed.
    pub fn finding_mut(&mut self, index: u32) -> Option<&mut Finding> {
        self.findings.get_mut(index as usize)?.as_mut()
    }

    /// The findings of a record.
    pub fn findings_of(&self, record: u32) -> impl Iterator<Item = (u32, &Finding)> {
        self.by_record.get(&record).into_iter().flatten().filter_map(|&i| Some((i, self.finding(i)?)))
    }

    /// Whether a rule fired on a record.
    pub fn fired(&self, record: u32, rule: &str) -> bool {
        self.findings_of(record).any(|(_, f)| f.rule == rule)
    }

    /// The findings of an exchange: those of its request and of all its answers.
    pub fn findings_of_exchange(&self, exchange: u32) -> Vec<u32> {
        let e = &self.exchanges[exchange as usize];
        [e.request, e.response].into_iter().flat_map(|r| self.findings_of(r)).map(|(i, _)| i).collect()
    }

    /// The worst severity in an exchange.
    pub fn worst_of_exchange(&self, exchange: u32) -> Option<Severity> {
        let e = &self.exchanges[exchange as usize];
        let rank = |r: u32| self.records.get(r as usize).map_or(0, |r| r.worst);
        Severity::from_rank(rank(e.request).max(rank(e.response)))
    }

    /// A record, unless the index is `NONE`.
    pub fn record(&self, index: u32) -> Option<&Record> {
        self.records.get(index as usize)
    }

    /// The id of a record as JSON text: `7`, `"7"`, `null`.
    pub fn id_text(&self, id: IdRef) -> Option<String> {
        match id {
            IdRef::Absent => None,
            IdRef::Int(n) => Some(n.to_string()),
            IdRef::Text(sym) => self.names.get(sym).map(str::to_owned),
        }
    }

    /// The compact form of an id. Long-lived: texts are interned.
    pub fn id_ref(&mut self, id: Option<&Id<'_>>) -> IdRef {
        match id {
            None => IdRef::Absent,
            Some(id) => match id.as_integer() {
                Some(n) if id.kind == IdKind::Number => IdRef::Int(n),
                _ => IdRef::Text(self.names.intern(&id.text)),
            },
        }
    }

    /// The name behind a symbol.
    pub fn name(&self, sym: Sym) -> Option<&str> {
        self.names.get(sym)
    }

    /// The exchange's method and target names.
    pub fn method_of(&self, exchange: &Exchange) -> Option<&str> {
        self.record(exchange.request).and_then(|r| self.name(r.method))
    }

    /// The tool, prompt or resource that an exchange is about.
    pub fn target_of(&self, exchange: &Exchange) -> Option<&str> {
        self.record(exchange.request).and_then(|r| self.name(r.target))
    }

    /// Time from request to response, in microseconds; `None` where there is no response or no time.
    pub fn latency(&self, exchange: &Exchange) -> Option<i64> {
        if self.timeless {
            return None;
        }
        Some(self.record(exchange.response)?.t - self.record(exchange.request)?.t)
    }

    /// Counts something that was neither passed nor failed.
    pub fn count_not_judged(&mut self, rule: &'static str, why: &str) {
        *self.not_judged.entry(NotJudged { rule, why: why.into() }).or_default() += 1;
    }

    /// Number of records that are stderr lines (for headers of views).
    pub fn is_stderr(&self, record: u32) -> bool {
        self.record(record).is_some_and(|r| r.kind == RecordKind::Stderr)
    }
}
