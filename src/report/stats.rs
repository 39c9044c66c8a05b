//! Statistics of a trace: latency, sizes and outcomes by method and by tool; findings by layer and owner.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::query::size_of;
use crate::trace::{Outcome, Row, Store};
use crate::wire::json::fit::fit;
use crate::wire::json::visible::visible;

use super::table::{latency_words, size_words};
use super::text::Paint;

/// Latency in milliseconds, of what was answered.
#[derive(Clone, Copy, Serialize, PartialEq, Debug)]
pub struct Latency {
    /// How many were answered.
    pub count: usize,
    /// Shortest.
    pub min: f64,
    /// Half were no slower.
    pub p50: f64,
    /// Nine in ten were no slower.
    pub p90: f64,
    /// Ninety-nine in a hundred were no slower.
    pub p99: f64,
    /// Longest.
    pub max: f64,
}

impl Latency {
    /// Of microseconds in any order. By nearest rank: each figure is one that was measured.
    pub fn of(mut micros: Vec<i64>) -> Option<Latency> {
        micros.sort_unstable();
        let (min, max) = (*micros.first()?, *micros.last()?);
        let rank = |percent: usize| micros[(micros.len() * percent).div_ceil(100).max(1) - 1];
        let ms = |us: i64| us as f64 / 1e3;
        Some(Latency {
            count: micros.len(),
            min: ms(min),
            p50: ms(rank(50)),
            p90: ms(rank(90)),
            p99: ms(rank(99)),
            max: ms(max),
        })
    }
}

/// What is known of one method, or of one tool.
#[derive(Clone, Serialize, Debug)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// Requests and notifications.
    pub count: usize,
    /// Answered with a JSON-RPC error.
    pub protocol_errors: usize,
    /// Answered with `isError`.
    pub tool_errors: usize,
    /// Refused by an HTTP status.
    pub refused: usize,
    /// Never answered.
    pub unanswered: usize,
    /// Cancelled.
    pub cancelled: usize,
    /// Of what was answered.
    pub latency_ms: Option<Latency>,
    /// Bytes of requests and answers together.
    pub bytes: u64,
    /// The largest exchange.
    pub max_bytes: u64,
}

/// Findings of one layer.
#[derive(Clone, Serialize, Debug)]
pub struct LayerLine {
    /// The layer.
    pub layer: &'static str,
    /// Who has to mend them.
    pub owner: &'static str,
    /// How bad they are.
    pub severity: &'static str,
    /// How many.
    pub count: usize,
}

/// Statistics of the rows that were asked for.
#[derive(Clone, Serialize, Debug)]
pub struct Stats {
    /// Exchanges.
    pub exchanges: usize,
    /// Seconds from the first to the last.
    pub seconds: f64,
    /// Bytes of all.
    pub bytes: u64,
    /// By method, the most frequent first.
    pub methods: Vec<Line>,
    /// By tool, the most frequent first.
    pub tools: Vec<Line>,
    /// Findings by layer, owner and severity, from the wire up and the worst first.
    pub findings: Vec<LayerLine>,
}

#[derive(Default)]
struct Count {
    outcomes: BTreeMap<Outcome, usize>,
    count: usize,
    micros: Vec<i64>,
    bytes: u64,
    max_bytes: u64,
}

impl Count {
    fn add(&mut self, outcome: Outcome, latency: Option<i64>, bytes: u64) {
        self.count += 1;
        *self.outcomes.entry(outcome).or_default() += 1;
        self.micros.extend(latency);
        self.bytes += bytes;
        self.max_bytes = self.max_bytes.max(bytes);
    }

    fn line(self, name: &str) -> Line {
        let of = |outcome| self.outcomes.get(&outcome).copied().unwrap_or(0);
        Line {
            name: name.to_owned(),
            count: self.count,
            protocol_errors: of(Outcome::ProtocolError),
            tool_errors: of(Outcome::ToolError),
            refused: of(Outcome::Refused),
            unanswered: of(Outcome::Unanswered),
            cancelled: of(Outcome::Cancelled),
            latency_ms: Latency::of(self.micros),
            bytes: self.bytes,
            max_bytes: self.max_bytes,
        }
    }
}

fn lines(counts: BTreeMap<&str, Count>) -> Vec<Line> {
    let mut all: Vec<Line> = counts.into_iter().map(|(name, count)| count.line(name)).collect();
    all.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    all
}

impl Stats {
    /// Counts rows.
    pub fn of(store: &Store, rows: &[Row]) -> Stats {
        let (mut methods, mut tools) = (BTreeMap::<&str, Count>::new(), BTreeMap::<&str, Count>::new());
        let mut findings: BTreeMap<_, usize> = BTreeMap::new();
        let (mut exchanges, mut bytes) = (0, 0);
        let (mut first, mut last) = (i64::MAX, i64::MIN);
        for row in rows {
            let indices = match row {
                Row::Exchange(e) => store.findings_of_exchange(*e),
                Row::Loose(r) => store.findings_of(*r).map(|(i, _)| i).collect(),
            };
            for f in indices.into_iter().filter_map(|i| store.finding(i)) {
                *findings.entry((f.layer, std::cmp::Reverse(f.severity), f.owner)).or_default() += 1;
            }
            let Row::Exchange(index) = *row else { continue };
            let e = &store.exchanges[index as usize];
            exchanges += 1;
            let size = size_of(store, *row);
            bytes += size;
            for record in [e.request, e.response].into_iter().filter_map(|r| store.record(r)) {
                (first, last) = (first.min(record.t), last.max(record.t));
            }
            let latency = match e.outcome {
                Outcome::Notification | Outcome::Orphan | Outcome::Unreadable => None,
                _ => store.latency(e),
            };
            let Some(method) = store.method_of(e) else { continue };
            methods.entry(method).or_default().add(e.outcome, latency, size);
            if let (true, Some(tool)) = (method == "tools/call", store.target_of(e)) {
                tools.entry(tool).or_default().add(e.outcome, latency, size);
            }
        }
        Stats {
            exchanges,
            seconds: if first <= last { (last - first) as f64 / 1e6 } else { 0.0 },
            bytes,
            methods: lines(methods),
            tools: lines(tools),
            findings: findings
                .into_iter()
                .map(|((layer, severity, owner), count)| LayerLine {
                    layer: layer.as_str(),
                    owner: owner.as_str(),
                    severity: severity.0.as_str(),
                    count,
                })
                .collect(),
        }
    }

    /// For programs.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        out.write_all(b"\n")
    }

    /// For people.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_text(&self, out: &mut dyn Write, paint: Paint) -> io::Result<()> {
        writeln!(out, "{} exchanges in {:.3} s, {}B", self.exchanges, self.seconds, spaced(self.bytes))?;
        table(out, "METHOD", &self.methods, paint)?;
        table(out, "TOOL", &self.tools, paint)?;
        if !self.findings.is_empty() {
            writeln!(out, "\n{}", paint.dim("FINDINGS      SEVERITY  OWNER    COUNT"))?;
            for f in &self.findings {
                writeln!(out, "{:<13} {:<9} {:<8} {:>5}", f.layer, f.severity, f.owner, f.count)?;
            }
        }
        Ok(())
    }
}

fn spaced(bytes: u64) -> String {
    let words = size_words(bytes);
    if words.ends_with(char::is_alphabetic) { words } else { format!("{words} ") }
}

/// Widest column for names.
const WIDEST: usize = 40;

fn table(out: &mut dyn Write, title: &str, lines: &[Line], paint: Paint) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let name = |l: &Line| fit(&visible(&l.name), WIDEST).columns;
    let width = lines.iter().map(name).max().unwrap_or(0).max(title.len());
    let head = format!(
        "{title:<width$} {:>7} {:>8} {:>8} {:>7} {:>7}  {:>9} {:>9} {:>9} {:>9}  {:>8}",
        "COUNT", "PROTOCOL", "TOOL ERR", "REFUSED", "UNANSW", "P50", "P90", "P99", "MAX", "SIZE"
    );
    writeln!(out, "\n{}", paint.dim(&head))?;
    for line in lines {
        let shown = visible(&line.name);
        let fitted = fit(&shown, WIDEST);
        let fill = " ".repeat(width.saturating_sub(fitted.columns));
        let number = |n: usize| if n == 0 { String::new() } else { n.to_string() };
        let took = |of: fn(&Latency) -> f64| {
            line.latency_ms.as_ref().map(|l| latency_words((of(l) * 1e3) as i64)).unwrap_or_default()
        };
        let text = format!(
            "{}{fill} {:>7} {:>8} {:>8} {:>7} {:>7}  {:>9} {:>9} {:>9} {:>9}  {:>8}",
            fitted.visible.text,
            line.count,
            number(line.protocol_errors),
            number(line.tool_errors),
            number(line.refused),
            number(line.unanswered),
            took(|l| l.p50),
            took(|l| l.p90),
            took(|l| l.p99),
            took(|l| l.max),
            size_words(line.bytes)
        );
        writeln!(out, "{}", text.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        assert_eq!(Latency::of(Vec::new()), None);
        let one = Latency::of(vec![5000]).unwrap();
        assert_eq!((one.count, one.min, one.p50, one.p99, one.max), (1, 5.0, 5.0, 5.0, 5.0));
        let hundred = Latency::of((1..=100).rev().map(|n| n * 1000).collect()).unwrap();
        assert_eq!((hundred.p50, hundred.p90, hundred.p99, hundred.max), (50.0, 90.0, 99.0, 100.0));
    }
}
