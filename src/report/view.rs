//! What every report shows of a finding and of an exchange, worked out once: numbers, ids, methods, names.

use crate::trace::exchange::flags;
use crate::trace::{Exchange, Finding, NONE, Severity, Store};

/// A finding with everything that a report says about it.
pub struct FindingView<'a> {
    /// The finding.
    pub finding: &'a Finding,
    /// Its index in the store.
    pub index: u32,
    /// How bad it is here: the rule's severity, unless the project says otherwise.
    pub severity: Severity,
    /// Frame number, from 1; none for an event.
    pub frame: Option<u32>,
    /// Line in the file.
    pub line: Option<u32>,
    /// Connection.
    pub conn: Option<u32>,
    /// Exchange number (`#`), from 1.
    pub exchange: Option<u32>,
    /// The id as JSON text: of the message, else of its exchange's request.
    pub id: Option<String>,
    /// The method: of the message, else of its exchange's request.
    pub method: Option<&'a str>,
}

impl<'a> FindingView<'a> {
    /// Works it out.
    pub fn new(store: &'a Store, index: u32, finding: &'a Finding) -> FindingView<'a> {
        let record = store.record(finding.record);
        let exchange = record.map(|r| r.exchange).filter(|e| *e != NONE);
        let request = exchange.and_then(|e| store.exchanges.get(e as usize)).and_then(|e| store.record(e.request));
        let id = record.and_then(|r| store.id_text(r.id)).or_else(|| request.and_then(|r| store.id_text(r.id)));
        let method = record.and_then(|r| store.name(r.method)).or_else(|| request.and_then(|r| store.name(r.method)));
        FindingView {
            finding,
            index,
            severity: finding.severity,
            frame: record.map(|r| r.frame).filter(|f| *f > 0),
            line: record.map(|r| r.line).filter(|l| *l > 0),
            conn: record.map(|r| r.conn),
            exchange: exchange.map(|e| e + 1),
            id,
            method,
        }
    }
}

/// All findings in the order of every report: by frame, then layer from the wire up, then rule and place.
pub fn findings(store: &Store) -> Vec<FindingView<'_>> {
    let mut all: Vec<FindingView<'_>> = store.findings().map(|(i, f)| FindingView::new(store, i, f)).collect();
    all.sort_by(|a, b| {
        let key =
            |v: &FindingView<'_>| (v.frame.unwrap_or(u32::MAX), v.finding.record, v.finding.layer, v.finding.rule);
        key(a).cmp(&key(b)).then_with(|| a.finding.pointer.cmp(&b.finding.pointer)).then(a.index.cmp(&b.index))
    });
    all
}

/// Changes severities as a project wants them; what gets none is left out.
pub fn adjust(views: &mut Vec<FindingView<'_>>, wanted: impl Fn(&str, Severity) -> Option<Severity>) {
    views.retain_mut(|v| match wanted(v.finding.rule, v.severity) {
        Some(severity) => {
            v.severity = severity;
            true
        }
        None => false,
    });
}

/// The words of an exchange's flags in outputs.
pub fn flag_words(exchange: &Exchange) -> Vec<&'static str> {
    let mut words = Vec::new();
    if exchange.has(flags::LATE) {
        words.push("late");
    }
    if exchange.has(flags::DUPLICATE) {
        words.push("duplicate");
    }
    words
}

/// Frame number of a record, from 1.
pub fn frame_of(store: &Store, record: u32) -> Option<u32> {
    store.record(record).map(|r| r.frame).filter(|f| *f > 0)
}
