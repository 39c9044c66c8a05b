//! Exchanges as a table, or as JSON Lines: what `list FILE` prints.

use std::io::{self, Write};

use serde::Serialize;

use crate::query::size_of;
use crate::trace::{NONE, RecordKind, Row, Severity, Source, Store, Windows};
use crate::wire::frame::{Dir, EventKind};
use crate::wire::json::fit::{fit, width};
use crate::wire::json::visible::{visible, visible_bytes};

use super::json::JsonExchange;
use super::said::Said;
use super::text::{Paint, outcome_words};

/// Widest columns for names, so that one long name does not push everything aside.
const WIDEST: usize = 32;

/// A row of the time line in words. Everything in it is safe to print.
pub struct RowText {
    /// Its number, for an exchange.
    pub n: String,
    /// Seconds since the start.
    pub time: String,
    /// `→` from the client, `←` from the server, `!` stderr, `·` an event.
    pub way: &'static str,
    /// Method, or what else it is.
    pub method: String,
    /// Tool, prompt or resource; or the text of a line.
    pub target: String,
    /// Outcome in words.
    pub outcome: String,
    /// From request to answer.
    pub latency: String,
    /// Bytes.
    pub size: String,
    /// Findings by severity, and who has to mend the worst.
    pub findings: String,
    /// Worst severity.
    pub worst: Option<Severity>,
}

/// Milliseconds with as many digits as are of use.
pub fn latency_words(micros: i64) -> String {
    let ms = micros as f64 / 1e3;
    match ms.abs() {
        x if x < 10.0 => format!("{ms:.1} ms"),
        x if x < 10_000.0 => format!("{ms:.0} ms"),
        _ => format!("{:.1} s", ms / 1e3),
    }
}

/// Bytes in the units of the query language.
pub fn size_words(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes}"),
        1_000..1_000_000 => format!("{:.1} k", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} M", bytes as f64 / 1e6),
        _ => format!("{:.1} G", bytes as f64 / 1e9),
    }
}

/// Counts of findings: `2 errors server`.
fn finding_words(store: &Store, indices: &[u32]) -> (String, Option<Severity>) {
    let all: Vec<_> = indices.iter().filter_map(|i| store.finding(*i)).collect();
    let Some(worst) = all.iter().map(|f| f.severity).max() else { return (String::new(), None) };
    let count = all.iter().filter(|f| f.severity == worst).count();
    let owner = all.iter().find(|f| f.severity == worst).map_or("", |f| f.owner.as_str());
    let more = all.len() - count;
    let plural = if count == 1 || worst == Severity::Info { "" } else { "s" };
    let mut words = format!("{count} {}{plural} {owner}", worst.as_str());
    if more > 0 {
        words.push_str(&format!(" +{more}"));
    }
    (words, Some(worst))
}

fn event_words(kind: &EventKind) -> (&'static str, String) {
    match kind {
        EventKind::Spawn { pid } => ("spawn", pid.map(|p| format!("pid {p}")).unwrap_or_default()),
        EventKind::SpawnFailed { why } => ("spawn failed", why.clone()),
        EventKind::Open => ("open", String::new()),
        EventKind::Close => ("close", String::new()),
        EventKind::Signal { name } => ("signal", name.clone()),
        EventKind::Eof { of } => ("eof", of.as_str().to_owned()),
        EventKind::Exit { status, signal } => {
            ("exit", signal.clone().unwrap_or_else(|| status.map(|s| format!("status {s}")).unwrap_or_default()))
        }
        EventKind::End { .. } => ("end of the record", String::new()),
        EventKind::Gap { why, bytes, .. } => {
            ("gap", bytes.map_or_else(|| why.clone(), |b| format!("{} bytes: {why}", b)))
        }
        EventKind::Partial { dir, bytes, .. } => ("partial line", format!("{} {bytes} bytes", dir.as_str())),
        EventKind::Blocked { dir, .. } => ("blocked", dir.as_str().to_owned()),
        EventKind::Undelivered { dir, bytes } => ("undelivered", format!("{} {bytes} bytes", dir.as_str())),
        EventKind::Clock { wall } => ("clock", wall.clone()),
        EventKind::Other(name) => ("event", name.clone()),
    }
}

/// Makes rows of text; its buffers are used again.
pub struct Rows<'a> {
    store: &'a Store,
    source: &'a Source,
    said: Said,
    windows: Windows,
}

impl<'a> Rows<'a> {
    /// For one trace.
    pub fn new(store: &'a Store, source: &'a Source) -> Rows<'a> {
        Rows { store, source, said: Said::new(), windows: Windows::new() }
    }

    /// A row in words.
    pub fn text(&mut self, row: Row) -> RowText {
        match row {
            Row::Exchange(e) => self.exchange(e),
            Row::Loose(r) => self.loose(r),
        }
    }

    fn exchange(&mut self, index: u32) -> RowText {
        let store = self.store;
        let e = &store.exchanges[index as usize];
        let first = store.record(e.first());
        let code = self.said.error(store, self.source, index).and_then(|(code, _)| code);
        let (findings, worst) = finding_words(store, &store.findings_of_exchange(index));
        let json = JsonExchange::new(store, index, e);
        let method = match (first.map(|r| r.kind), store.method_of(e)) {
            (_, Some(method)) => method,
            (Some(RecordKind::Unreadable), _) => "(no message)",
            (Some(RecordKind::Response | RecordKind::Error), _) => "(response)",
            _ => "(unrecognised)",
        };
        let target = match store.target_of(e) {
            Some(target) => visible(target).into_owned(),
            None if first.is_some_and(|r| r.kind == RecordKind::Unreadable) => self.line(e.first()),
            None => String::new(),
        };
        RowText {
            n: (index + 1).to_string(),
            time: seconds(first.map_or(0, |r| r.t)),
            way: if e.dir == Dir::C2s { "→" } else { "←" },
            method: visible(method).into_owned(),
            target,
            outcome: outcome_words(e, code),
            latency: json.latency_us().map(latency_words).unwrap_or_default(),
            size: size_words(size_of(store, Row::Exchange(index))),
            findings,
            worst,
        }
    }

    fn loose(&mut self, index: u32) -> RowText {
        let store = self.store;
        let record = store.record(index);
        let indices: Vec<u32> = store.findings_of(index).map(|(i, _)| i).collect();
        let (findings, worst) = finding_words(store, &indices);
        let (way, method, target) = match record.map(|r| (r.kind, r.dir)) {
            Some((RecordKind::Stderr, _)) => ("!", "stderr".to_owned(), self.line(index)),
            Some((RecordKind::Event, _)) => {
                let (name, about) = store.events.get(&index).map_or(("event", String::new()), |e| event_words(&e.kind));
                ("·", name.to_owned(), visible(&about).into_owned())
            }
            Some((_, dir)) => {
                let http = store.http.get(&index);
                let method = http.and_then(|h| h.method.as_deref()).unwrap_or("(http)");
                let path = http.and_then(|h| h.path.as_deref()).unwrap_or_default();
                let way = if dir == Dir::C2s { "→" } else { "←" };
                (way, visible(method).into_owned(), visible(path).into_owned())
            }
            None => ("·", String::new(), String::new()),
        };
        RowText {
            n: String::new(),
            time: seconds(record.map_or(0, |r| r.t)),
            way,
            method,
            target,
            outcome: String::new(),
            latency: String::new(),
            size: String::new(),
            findings,
            worst,
        }
    }

    /// The beginning of a record's bytes.
    fn line(&mut self, index: u32) -> String {
        let Some(record) = self.store.record(index) else { return String::new() };
        let Ok(bytes) = self.windows.message(self.source, record) else { return String::new() };
        visible_bytes(&bytes[..bytes.len().min(400)]).into_owned()
    }
}

fn seconds(micros: i64) -> String {
    format!("{:.3}", micros as f64 / 1e6)
}

/// Writes rows as an aligned table.
///
/// # Errors
/// What the writer says.
pub fn write(out: &mut dyn Write, store: &Store, source: &Source, rows: &[Row], paint: Paint) -> io::Result<()> {
    let names = |of: fn(&Store, &crate::trace::Exchange) -> usize| {
        let widest = rows.iter().filter_map(|row| match row {
            Row::Exchange(e) => store.exchanges.get(*e as usize).map(|e| of(store, e)),
            Row::Loose(_) => None,
        });
        widest.max().unwrap_or(0).clamp(6, WIDEST)
    };
    let method = names(|s, e| s.method_of(e).map_or(14, width));
    let target = names(|s, e| s.target_of(e).map_or(0, width));
    let mut maker = Rows::new(store, source);
    let head = format!(
        "{:>6} {:>10}   {:method$}  {:target$}  {:<18} {:>9} {:>8}  FINDINGS",
        "#", "TIME", "METHOD", "TARGET", "OUTCOME", "LATENCY", "SIZE"
    );
    writeln!(out, "{}", paint.dim(head.trim_end()))?;
    for row in rows {
        let r = maker.text(*row);
        let line = if r.n.is_empty() {
            let words = if r.target.is_empty() { r.method } else { format!("{}  {}", r.method, r.target) };
            format!("{:>6} {:>10} {} {}", "", r.time, r.way, fit(&words, 120).visible.text)
        } else {
            format!(
                "{:>6} {:>10} {} {}  {}  {} {:>9} {:>8}",
                r.n,
                r.time,
                r.way,
                column(&r.method, method),
                column(&r.target, target),
                column(&r.outcome, 18),
                r.latency,
                r.size
            )
        };
        match r.worst {
            Some(worst) => writeln!(out, "{line}  {}", paint.severity(worst, &r.findings))?,
            None => writeln!(out, "{}", line.trim_end())?,
        }
    }
    Ok(())
}

/// A text cut and filled to a width in columns.
fn column(text: &str, columns: usize) -> String {
    let fitted = fit(text, columns);
    format!("{}{}", fitted.visible.text, " ".repeat(columns.saturating_sub(fitted.columns)))
}

#[derive(Serialize)]
struct JsonRow<'a> {
    kind: &'a str,
    #[serde(flatten)]
    exchange: Option<JsonExchange<'a>>,
    time: f64,
    line: Option<u32>,
    size: u64,
    code: Option<i64>,
    error: u32,
    warning: u32,
    info: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// Writes rows as JSON Lines: exchanges as in `check --exchanges` with time, size and counts of findings beside.
///
/// # Errors
/// What the writer says.
pub fn write_json(out: &mut dyn Write, store: &Store, source: &Source, rows: &[Row]) -> io::Result<()> {
    let mut maker = Rows::new(store, source);
    for row in rows {
        let (first, findings, exchange, kind, code) = match row {
            Row::Exchange(e) => {
                let x = &store.exchanges[*e as usize];
                let code = maker.said.error(store, source, *e).and_then(|(code, _)| code);
                let json = JsonExchange::new(store, *e, x);
                (x.first(), store.findings_of_exchange(*e), Some(json), "exchange", code)
            }
            Row::Loose(r) => {
                let kind = match store.record(*r).map(|r| r.kind) {
                    Some(RecordKind::Stderr) => "stderr",
                    Some(RecordKind::Event) => "event",
                    _ => "http",
                };
                (*r, store.findings_of(*r).map(|(i, _)| i).collect(), None, kind, None)
            }
        };
        let text = exchange.is_none().then(|| {
            let r = maker.text(*row);
            if kind == "stderr" { r.target } else { format!("{} {}", r.method, r.target).trim_end().to_owned() }
        });
        let count = |severity| {
            findings.iter().filter(|i| store.finding(**i).is_some_and(|f| f.severity == severity)).count() as u32
        };
        let record = store.record(first);
        let json = JsonRow {
            kind,
            exchange,
            time: record.map_or(0.0, |r| r.t as f64 / 1e6),
            line: record.map(|r| r.line).filter(|l| *l > 0),
            size: size_of(store, *row),
            code,
            error: count(Severity::Error),
            warning: count(Severity::Warning),
            info: count(Severity::Info),
            text,
        };
        serde_json::to_writer(&mut *out, &json)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The exchange that a row number (`#`) names.
pub fn by_number(store: &Store, n: u32) -> Option<u32> {
    n.checked_sub(1).filter(|i| *i != NONE && (*i as usize) < store.exchanges.len())
}
