//! Incidents: findings with one cause, the cause first. Worked out from the store, when all findings are known.

use crate::trace::{NONE, Outcome, Store};

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
    "json-syntax",
    "stdio-noise",
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

fn strength(rule: &str) -> usize {
    CAUSES.iter().position(|c| *c == rule).unwrap_or(CAUSES.len())
}

/// Groups findings: those of one exchange (request, answers, and lone messages tied to it), and unanswered requests with
/// the end of their process or stream.
pub fn group(store: &Store) -> Vec<Incident> {
    // An exchange's findings form a group; an orphan joins the exchange that it may belong to.
    let mut groups: std::collections::BTreeMap<(u8, u32), Vec<u32>> = std::collections::BTreeMap::new();
    let mut exits: Vec<(u32, u32)> = Vec::new();
    for (index, finding) in store.findings() {
        let Some(record) = store.record(finding.record) else { continue };
        if finding.rule == "stdio-server-exited" {
            exits.push((record.session, index));
            continue;
        }
        let key = match store.exchanges.get(record.exchange as usize) {
            Some(e) if e.outcome == Outcome::Orphan && e.parent != NONE => (0, e.parent),
            Some(_) => (0, record.exchange),
            None => continue,
        };
        groups.entry(key).or_default().push(index);
    }
    let mut incidents = Vec::new();
    // A dead process explains every unanswered request of its session.
    for (session, exit) in exits {
        let mut findings = vec![exit];
        groups.retain(|_, group| {
            let dead = group.iter().any(|i| {
                store.finding(*i).is_some_and(|f| {
                    f.rule == "request-unanswered" && store.record(f.record).is_some_and(|r| r.session == session)
                })
            });
            if dead {
                findings.append(group);
            }
            !dead
        });
        if findings.len() > 1 {
            let count = findings.len() - 1;
            incidents.push(Incident {
                cause: exit,
                findings,
                title: format!("the server ended; {count} finding{} follow from it", if count == 1 { "" } else { "s" })
                    .into(),
            });
        }
    }
    for (_, mut group) in groups {
        if group.len() < 2 {
            continue;
        }
        group.sort_by_key(|i| {
            let f = store.finding(*i);
            let (strength, severity) = f.map_or((usize::MAX, 0), |f| (strength(f.rule), 3 - f.severity.rank()));
            let frame = f.and_then(|f| store.record(f.record)).map_or(0, |r| r.frame);
            (strength, severity, frame, *i)
        });
        let Some(cause) = store.finding(group[0]) else { continue };
        let title = cause.message.clone();
        incidents.push(Incident { cause: group[0], findings: group, title });
    }
    incidents.sort_by_key(|i| store.finding(i.cause).and_then(|f| store.record(f.record)).map_or(0, |r| r.frame));
    incidents
}
