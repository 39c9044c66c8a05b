//! The stable JSON of `check --format json`. What does not apply is `null`, never absent.

use std::io::{self, Write};

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::analysis::incidents::Incident;
use crate::trace::{Exchange, Outcome, Store};

use super::summary::Summary;
use super::view::{self, FindingView};

/// One file of a report.
pub struct File<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// The format's name.
    pub format: &'a str,
    /// What was found.
    pub store: &'a Store,
    /// The findings to report, in order.
    pub findings: &'a [FindingView<'a>],
    /// Findings with one cause.
    pub incidents: &'a [Incident],
    /// Counts.
    pub summary: Summary,
    /// Whether to list the exchanges.
    pub exchanges: bool,
    /// Exchanges (indices) that were asked for; all of them where it is `None`.
    pub selected: Option<&'a FxHashSet<u32>>,
}

/// A finding as JSON outputs show it.
#[derive(Serialize)]
pub struct JsonFinding<'a> {
    rule: &'a str,
    layer: &'a str,
    severity: &'a str,
    owner: &'a str,
    frame: Option<u32>,
    line: Option<u32>,
    conn: Option<u32>,
    exchange: Option<u32>,
    id: Option<&'a str>,
    method: Option<&'a str>,
    pointer: Option<&'a str>,
    message: &'a str,
    expected: Option<&'a str>,
    actual: Option<&'a str>,
}

impl<'a> JsonFinding<'a> {
    fn new(v: &'a FindingView<'_>) -> JsonFinding<'a> {
        let f = v.finding;
        JsonFinding {
            rule: f.rule,
            layer: f.layer.as_str(),
            severity: v.severity.as_str(),
            owner: f.owner.as_str(),
            frame: v.frame,
            line: v.line,
            conn: v.conn,
            exchange: v.exchange,
            id: v.id.as_deref(),
            method: v.method,
            pointer: f.pointer.as_deref(),
            message: &f.message,
            expected: f.expected.as_deref(),
            actual: f.actual.as_deref(),
        }
    }
}

/// Findings as JSON outputs show them.
pub fn findings<'a>(views: &'a [FindingView<'_>]) -> Vec<JsonFinding<'a>> {
    views.iter().map(JsonFinding::new).collect()
}

#[derive(Serialize)]
struct JsonIncident<'a> {
    cause: usize,
    findings: Vec<usize>,
    title: &'a str,
}

#[derive(Serialize)]
struct JsonNotJudged<'a> {
    rule: &'a str,
    why: &'a str,
    count: u32,
}

/// An exchange as JSON outputs show it.
#[derive(Serialize)]
pub struct JsonExchange<'a> {
    n: u32,
    conn: u32,
    id: Option<String>,
    dir: &'a str,
    method: Option<&'a str>,
    target: Option<&'a str>,
    request_frame: Option<u32>,
    response_frame: Option<u32>,
    outcome: &'a str,
    flags: Vec<&'static str>,
    latency_ms: Option<f64>,
}

impl<'a> JsonExchange<'a> {
    /// The exchange with that index.
    pub fn new(store: &'a Store, index: u32, exchange: &'a Exchange) -> JsonExchange<'a> {
        let first = store.record(exchange.first());
        JsonExchange {
            n: index + 1,
            conn: first.map_or(1, |r| r.conn),
            id: first.and_then(|r| store.id_text(r.id)),
            dir: exchange.dir.as_str(),
            method: store.method_of(exchange),
            target: store.target_of(exchange),
            request_frame: view::frame_of(store, exchange.request),
            response_frame: view::frame_of(store, exchange.response),
            outcome: exchange.outcome.as_str(),
            flags: view::flag_words(exchange),
            latency_ms: match exchange.outcome {
                Outcome::Notification | Outcome::Orphan | Outcome::Unreadable => None,
                _ => store.latency(exchange).map(|us| us as f64 / 1000.0),
            },
        }
    }
}

impl JsonExchange<'_> {
    /// Time from request to answer in microseconds, for what is a request.
    pub fn latency_us(&self) -> Option<i64> {
        self.latency_ms.map(|ms| (ms * 1000.0).round() as i64)
    }
}

/// The revisions that a trace's messages are judged by, oldest first.
pub fn revisions(store: &Store) -> Vec<&'static str> {
    crate::mcp::Revision::ALL
        .into_iter()
        .filter(|r| store.records.iter().any(|record| record.kind.is_message() && record.judged.revision == *r))
        .map(crate::mcp::Revision::as_str)
        .collect()
}

/// Writes the report.
///
/// # Errors
/// What the writer says.
pub fn write(out: &mut dyn Write, files: &[File<'_>]) -> io::Result<()> {
    write!(out, "{{\"mcpscope\":\"{}\",\"files\":[", env!("CARGO_PKG_VERSION"))?;
    for (i, file) in files.iter().enumerate() {
        if i > 0 {
            out.write_all(b",")?;
        }
        write_file(out, file)?;
    }
    out.write_all(b"]}\n")
}

fn write_file(out: &mut dyn Write, file: &File<'_>) -> io::Result<()> {
    let s = file.summary;
    out.write_all(b"\n{\"file\":")?;
    serde_json::to_writer(&mut *out, file.file)?;
    out.write_all(b",\"format\":")?;
    serde_json::to_writer(&mut *out, file.format)?;
    out.write_all(b",\"revisions\":")?;
    serde_json::to_writer(&mut *out, &revisions(file.store))?;
    write!(
        out,
        ",\"frames\":{},\"messages\":{},\"exchanges\":{},\"summary\":{{\"error\":{},\"warning\":{},\"info\":{},\
         \"protocol_errors\":{},\"tool_errors\":{},\"refused\":{},\"unanswered\":{}}},\"findings\":[",
        file.store.frames,
        file.store.messages,
        file.store.exchanges.len(),
        s.error,
        s.warning,
        s.info,
        s.protocol_errors,
        s.tool_errors,
        s.refused,
        s.unanswered
    )?;
    for (i, v) in file.findings.iter().enumerate() {
        out.write_all(if i > 0 { b",\n " } else { b"\n " })?;
        serde_json::to_writer(&mut *out, &JsonFinding::new(v))?;
    }
    let places: FxHashMap<u32, usize> = file.findings.iter().enumerate().map(|(i, v)| (v.index, i)).collect();
    let place = |index: u32| places.get(&index).copied();
    let incidents: Vec<JsonIncident<'_>> = file
        .incidents
        .iter()
        .filter_map(|incident| {
            let findings: Vec<usize> = incident.findings.iter().filter_map(|f| place(*f)).collect();
            (findings.len() > 1).then(|| place(incident.cause)).flatten().map(|cause| JsonIncident {
                cause,
                findings,
                title: &incident.title,
            })
        })
        .collect();
    out.write_all(b"],\"incidents\":")?;
    serde_json::to_writer(&mut *out, &incidents)?;
    let not_judged: Vec<JsonNotJudged<'_>> = file
        .store
        .not_judged
        .iter()
        .map(|(n, count)| JsonNotJudged { rule: n.rule, why: &n.why, count: *count })
        .collect();
    out.write_all(b",\"not_judged\":")?;
    serde_json::to_writer(&mut *out, &not_judged)?;
    if file.exchanges {
        out.write_all(b",\"exchange_list\":[")?;
        let mut first = true;
        for (i, exchange) in (0u32..).zip(&file.store.exchanges) {
            if file.selected.is_none_or(|s| s.contains(&i)) {
                out.write_all(if std::mem::take(&mut first) { b"\n " } else { b",\n " })?;
                serde_json::to_writer(&mut *out, &JsonExchange::new(file.store, i, exchange))?;
            }
        }
        out.write_all(b"]")?;
    }
    out.write_all(b"}")
}
