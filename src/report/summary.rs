//! Counts of a trace: what the last line of a report says.

use crate::trace::{Outcome, Severity, Store};

/// Counts. Protocol errors, tool errors and refusals are never in one sum.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Findings at error.
    pub error: u32,
    /// Findings at warning.
    pub warning: u32,
    /// Findings at info.
    pub info: u32,
    /// Exchanges answered with a JSON-RPC error.
    pub protocol_errors: u32,
    /// Exchanges answered with `isError`.
    pub tool_errors: u32,
    /// Exchanges refused by an HTTP status.
    pub refused: u32,
    /// Exchanges never answered.
    pub unanswered: u32,
}

impl Summary {
    /// Counts a store.
    pub fn of(store: &Store) -> Summary {
        let mut s = Summary::of_exchanges(store, |_| true);
        for (_, finding) in store.findings() {
            s.count(finding.severity);
        }
        s
    }

    /// Counts the outcomes of some exchanges (by index), and no findings.
    pub fn of_exchanges(store: &Store, wanted: impl Fn(u32) -> bool) -> Summary {
        let mut s = Summary::default();
        for (_, exchange) in (0u32..).zip(&store.exchanges).filter(|(i, _)| wanted(*i)) {
            match exchange.outcome {
                Outcome::ProtocolError => s.protocol_errors += 1,
                Outcome::ToolError => s.tool_errors += 1,
                Outcome::Refused => s.refused += 1,
                Outcome::Unanswered => s.unanswered += 1,
                _ => {}
            }
        }
        s
    }

    /// Adds the counts of another file.
    pub fn add(&mut self, other: &Summary) {
        self.error += other.error;
        self.warning += other.warning;
        self.info += other.info;
        self.protocol_errors += other.protocol_errors;
        self.tool_errors += other.tool_errors;
        self.refused += other.refused;
        self.unanswered += other.unanswered;
    }

    /// Counts one finding.
    pub fn count(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.error += 1,
            Severity::Warning => self.warning += 1,
            Severity::Info => self.info += 1,
        }
    }
}
