//! Incidents: findings with one cause, the cause first. Worked out from the store, when all findings are known.
//!
//! What belongs together: the findings of one exchange; an orphan and the request that it may answer; a request without
//! answer and what shows why (a reply that could not be read, the end of the process); neighbouring lines that are no
//! messages; an error without id and the text that it complains about.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::refused;
use crate::trace::{Finding, NONE, Outcome, Record, RecordKind, Store};
use crate::wire::frame::Dir;

/// Findings that come from one cause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Incident {
    /// Index of the finding that names the cause.
    pub cause: u32,
    /// Indices of all its findings, the cause first.
    pub findings: Vec<u32>,
    /// In a few words.
    pub title: Box<str>,
}

/// Which rules name a cause, from the strongest. A finding of an earlier line explains those after it in its group.
const CAUSES: &[&str] = &[
    "spawn-failed",
    "stdio-server-exited",
    "lsp-framing",
    "json-embedded-newline",
    "json-trailing-data",
    "json-bom",
    "json-not-utf8",
    "stdio-noise",
    "json-nan-literal",
    "json-syntax",
    "truncated-at-eof",
    "id-type-changed",
    "id-null",
    "request-without-id",
    "notification-with-id",
    "id-reused-in-flight",
    "error-id-lost",
    "response-id-missing",
    "http-redirect",
    "access-login-page",
    "access-refused",
    "sse-closed-without-response",
    "sse-wrong-stream",
];

/// Rules about texts that are no messages: neighbouring ones are one incident.
const BROKEN: &[&str] = &[
    "lsp-framing",
    "json-embedded-newline",
    "json-trailing-data",
    "json-not-utf8",
    "stdio-noise",
    "json-nan-literal",
    "json-syntax",
];

/// Rules about answers that name no request: they complain about the text before them.
const COMPLAINTS: &[&str] = &["error-without-id", "parse-error-for-valid-json", "error-id-lost"];

/// Advice that neither causes nor follows from anything: it stands alone.
const ALONE: &[&str] = &[
    "cache-invalidated-list-used",
    "cache-stale-list-used",
    "content-large-blob",
    "cursor-reused",
    "era-fallback",
    "json-replacement-char",
    "json-unsafe-integer",
    "message-oversize",
    "meta-key-reserved",
    "meta-missing-client-info",
    "meta-missing-server-info",
    "request-slow",
    "secret-header",
    "secret-in-payload",
    "secret-in-url",
    "sse-buffering-header",
    "structured-content-text-differs",
    "structured-content-without-text",
    "tool-name-invalid",
    "tool-order-unstable",
];

fn is_alone(rule: &str) -> bool {
    rule.starts_with("deprecated-") || ALONE.contains(&rule)
}

/// How well a finding explains the others: a known cause, a fault of the request, anything else.
fn strength(store: &Store, f: &Finding) -> usize {
    let known = CAUSES.iter().position(|c| *c == f.rule);
    known.unwrap_or_else(|| {
        let asks = store.record(f.record).is_some_and(|r| r.kind == RecordKind::Request);
        CAUSES.len() + usize::from(!(asks && refused::is_reason(f.rule)))
    })
}

/// What a finding is on: an exchange, or a record that belongs to none.
fn node(store: &Store, index: u32, record: &Record) -> u64 {
    match store.exchanges.get(record.exchange as usize) {
        Some(_) => u64::from(record.exchange),
        None => (1 << 32) | u64::from(index),
    }
}

/// Sets that grow together (union-find with path halving; the smaller number stays the root).
#[derive(Default)]
struct Sets(FxHashMap<u64, u64>);

impl Sets {
    fn root(&mut self, mut x: u64) -> u64 {
        while let Some(&up) = self.0.get(&x) {
            let top = self.0.get(&up).copied().unwrap_or(up);
            self.0.insert(x, top);
            x = up;
        }
        x
    }

    fn join(&mut self, a: u64, b: u64) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.0.insert(a.max(b), a.min(b));
        }
    }
}

/// The last text of a direction that is no message: its node and its frame.
type Broken = FxHashMap<(u32, Dir), (u64, u32)>;

/// Groups findings by their cause.
pub fn group(store: &Store) -> Vec<Incident> {
    let mut all: Vec<(u32, &Finding, &Record)> = store
        .findings()
        .filter(|(_, f)| !is_alone(f.rule))
        .filter_map(|(i, f)| Some((i, f, store.record(f.record)?)))
        .collect();
    all.sort_by_key(|(i, f, _)| (f.record, *i));
    let mut sets = Sets::default();
    let mut broken = Broken::default();
    let mut without_id: FxHashMap<(u32, Dir), u64> = FxHashMap::default();
    let mut exits: FxHashMap<u32, u64> = FxHashMap::default();
    for (_, f, r) in &all {
        if matches!(f.rule, "stdio-server-exited" | "spawn-failed") {
            exits.entry(r.session).or_insert_with(|| node(store, f.record, r));
        }
    }
    for (_, f, r) in &all {
        let own = node(store, f.record, r);
        if let Some(orphan) = store.exchanges.get(r.exchange as usize) {
            if orphan.outcome == Outcome::Orphan && orphan.parent != NONE {
                sets.join(own, u64::from(orphan.parent));
            }
        }
        if let Some((evidence, shown)) = f.evidence.and_then(|e| Some((e, store.record(e)?))) {
            if shown.kind != RecordKind::Event {
                sets.join(own, node(store, evidence, shown));
            } else if let Some(exit) = exits.get(&shown.session) {
                sets.join(own, *exit);
            }
        }
        if BROKEN.contains(&f.rule) {
            let last = broken.insert((r.session, r.dir), (own, r.frame));
            if let Some((before, _)) = last.filter(|(_, frame)| r.frame.saturating_sub(*frame) <= 1) {
                sets.join(own, before);
            }
        }
        if COMPLAINTS.contains(&f.rule) {
            if let Some((text, _)) = broken.remove(&(r.session, r.dir.opposite())) {
                sets.join(own, text);
            }
        }
        match f.rule {
            "request-without-id" => _ = without_id.insert((r.session, r.dir), own),
            "notification-answered" | "response-id-missing" => {
                if let Some(request) = without_id.remove(&(r.session, r.dir.opposite())) {
                    sets.join(own, request);
                }
            }
            _ => {}
        }
    }
    let mut groups: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for (i, f, r) in &all {
        groups.entry(sets.root(node(store, f.record, r))).or_default().push(*i);
    }
    let mut incidents: Vec<(u32, Incident)> =
        groups.into_values().filter(|g| g.len() > 1).filter_map(|g| incident(store, g)).collect();
    incidents.sort_by_key(|(record, incident)| (*record, incident.cause));
    incidents.into_iter().map(|(_, incident)| incident).collect()
}

/// An incident, and the record of its cause.
fn incident(store: &Store, mut group: Vec<u32>) -> Option<(u32, Incident)> {
    group.sort_by_cached_key(|i| {
        let f = store.finding(*i);
        let (strength, severity) = f.map_or((usize::MAX, 0), |f| (strength(store, f), 3 - f.severity.rank()));
        (strength, severity, f.map_or(NONE, |f| f.record), *i)
    });
    let cause = store.finding(group[0])?;
    let title = match cause.rule {
        "stdio-server-exited" | "spawn-failed" => {
            let count = group.len() - 1;
            let ends = if cause.rule == "spawn-failed" { "the server did not start" } else { "the server ended" };
            format!("{ends}; {count} finding{} follow{} from it", plural(count), if count == 1 { "s" } else { "" })
        }
        _ => cause.message.to_string(),
    };
    Some((cause.record, Incident { cause: group[0], findings: group, title: title.into() }))
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::analysis::{Analyzer, Origin};
    use crate::format::native::Reader;
    use crate::rules::Options;

    fn judge(lines: &[&str]) -> Store {
        let (mut store, mut reader) = (Store::new(), Reader::new());
        let mut analyzer = Analyzer::new(Options::default(), Origin::Foreign);
        for line in lines {
            reader.feed(format!("{line}\n").as_bytes(), &mut |item| analyzer.push(&mut store, item));
        }
        reader.finish(&mut |item| analyzer.push(&mut store, item));
        assert_eq!(reader.fault_count(), 0, "{:?}", reader.faults());
        analyzer.finish(&mut store);
        store
    }

    /// The rules of each incident, the cause first.
    fn rules(lines: &[&str]) -> Vec<Vec<&'static str>> {
        let store = judge(lines);
        let rule = |i: &u32| store.finding(*i).unwrap().rule;
        group(&store).iter().map(|g| g.findings.iter().map(rule).collect()).collect()
    }

    #[test]
    fn a_dead_process_explains_what_it_left_unanswered() {
        let found = rules(&[
            r#"{"t":0.1,"dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}"#,
            r#"{"t":0.2,"dir":"s2c","msg":{"jsonrpc":"2.0","id":1,"result":{}}}"#,
            r#"{"t":0.3,"dir":"c2s","msg":{"jsonrpc":"2.0","id":2,"method":"ping"}}"#,
            r#"{"t":0.4,"dir":"c2s","msg":{"jsonrpc":"2.0","id":3,"method":"ping"}}"#,
            r#"{"t":0.5,"event":"eof","of":"s2c"}"#,
            r#"{"t":0.6,"event":"exit","status":9}"#,
        ]);
        assert!(
            found.iter().any(|g| g[0] == "stdio-server-exited"
                && g.iter().filter(|r| **r == "request-unanswered").count() == 2),
            "{found:?}"
        );
    }

    #[test]
    fn a_log_line_explains_the_parse_error_that_follows() {
        let found = rules(&[
            r#"{"t":0.1,"dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}"#,
            r#"{"t":0.2,"dir":"s2c","text":"connecting to the database"}"#,
            r#"{"t":0.3,"dir":"s2c","text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"}"#,
            r#"{"t":0.4,"dir":"c2s","msg":{"jsonrpc":"2.0","id":2,"method":"ping"}}"#,
            r#"{"t":0.5,"dir":"s2c","msg":{"jsonrpc":"2.0","id":2,"result":{}}}"#,
        ]);
        assert_eq!(found, [["stdio-noise", "json-syntax", "request-unanswered"]]);
    }

    #[test]
    fn a_reply_with_another_id_explains_the_request_without_answer() {
        let found = rules(&[
            r#"{"t":0.001,"event":"spawn","pid":1}"#,
            r#"{"t":0.01,"dir":"c2s","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}}"#,
            r#"{"t":0.02,"dir":"s2c","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}}"#,
            r#"{"t":0.03,"dir":"c2s","msg":{"jsonrpc":"2.0","method":"notifications/initialized"}}"#,
            r#"{"t":0.1,"dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}"#,
            r#"{"t":0.2,"dir":"s2c","msg":{"jsonrpc":"2.0","id":"one","result":{}}}"#,
            r#"{"t":0.3,"dir":"c2s","msg":{"jsonrpc":"2.0","id":2,"method":"ping"}}"#,
            r#"{"t":0.4,"dir":"s2c","msg":{"jsonrpc":"2.0","id":2,"result":{}}}"#,
        ]);
        assert!(
            found.iter().any(|g| g.contains(&"response-unknown-id") && g.contains(&"request-unanswered")),
            "{found:?}"
        );
    }

    #[test]
    fn advice_stands_alone() {
        for rule in ALONE.iter().chain(CAUSES).chain(BROKEN).chain(COMPLAINTS) {
            assert!(crate::rules::catalogue::entry(rule).is_some(), "{rule}");
        }
        let found = rules(&[
            r#"{"t":0.1,"dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{},"sampling":{}}}}}}"#,
            r#"{"t":0.2,"dir":"s2c","msg":{"jsonrpc":"2.0","id":1,"result":{"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"private"}}}"#,
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn a_call_without_id_explains_the_answer_without_one() {
        let found = rules(&[
            r#"{"t":0.1,"dir":"c2s","msg":{"jsonrpc":"2.0","id":0,"method":"ping"}}"#,
            r#"{"t":0.15,"dir":"s2c","msg":{"jsonrpc":"2.0","id":0,"result":{}}}"#,
            r#"{"t":0.2,"dir":"c2s","msg":{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x","arguments":{}}}}"#,
            r#"{"t":0.3,"dir":"s2c","msg":{"jsonrpc":"2.0","id":null,"result":{"content":[]}}}"#,
        ]);
        assert!(found.iter().any(|g| g[0] == "request-without-id" && g.len() > 1), "{found:?}");
    }
}
