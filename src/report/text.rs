//! Findings and exchanges as text for people.

use std::io::{self, Write};

use rustc_hash::FxHashSet;

use crate::analysis::incidents::Incident;
use crate::trace::{Exchange, Outcome, Severity, Store};
use crate::wire::json::visible::visible;

use super::summary::Summary;
use super::view::FindingView;

/// Colours of a text report: ANSI, or nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paint {
    /// Whether to colour.
    pub on: bool,
}

impl Paint {
    fn wrap(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// By severity.
    pub fn severity(self, severity: Severity, text: &str) -> String {
        let code = match severity {
            Severity::Error => "31;1",
            Severity::Warning => "33",
            Severity::Info => "36",
        };
        self.wrap(code, text)
    }

    /// What is on the left only.
    pub fn removed(self, text: &str) -> String {
        self.wrap("31", text)
    }

    /// What is on the right only.
    pub fn added(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// Less important text.
    pub fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// Emphasis.
    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }
}

/// Writes one finding: place, severity, what; then expected and actual.
///
/// # Errors
/// What the writer says.
pub fn finding(out: &mut dyn Write, file: &str, v: &FindingView<'_>, paint: Paint) -> io::Result<()> {
    let f = v.finding;
    let place = match v.line {
        Some(line) => format!("{}:{line}", visible(file)),
        None => visible(file).into_owned(),
    };
    let severity = paint.severity(v.severity, v.severity.as_str());
    let mut about = Vec::new();
    if let Some(n) = v.exchange {
        about.push(format!("#{n}"));
    }
    if let Some(method) = v.method {
        about.push(visible(method).into_owned());
    }
    if let Some(id) = &v.id {
        about.push(format!("id {}", visible(id)));
    }
    writeln!(
        out,
        "{}: {severity} {} {}",
        paint.bold(&place),
        visible(&f.message),
        paint.dim(&format!("[{} · {} · {}]", f.rule, f.layer.as_str(), f.owner.as_str()))
    )?;
    let mut detail = Vec::new();
    if !about.is_empty() {
        detail.push(about.join("  "));
    }
    if let Some(pointer) = &f.pointer {
        let pointer = if pointer.is_empty() { "the whole message".into() } else { visible(pointer) };
        detail.push(format!("at {pointer}"));
    }
    if let Some(expected) = &f.expected {
        detail.push(format!("expected {}", visible(expected)));
    }
    if let Some(actual) = &f.actual {
        detail.push(format!("actual {}", visible(actual)));
    }
    if !detail.is_empty() {
        writeln!(out, "    {}", paint.dim(&detail.join("  ·  ")))?;
    }
    Ok(())
}

/// Writes what belongs together: the title of each incident and where its findings are.
///
/// # Errors
/// What the writer says.
pub fn incidents(
    out: &mut dyn Write,
    file: &str,
    store: &Store,
    incidents: &[Incident],
    shown: &[u32],
    paint: Paint,
) -> io::Result<()> {
    let shown: FxHashSet<u32> = shown.iter().copied().collect();
    for incident in incidents {
        let members: Vec<u32> = incident.findings.iter().copied().filter(|f| shown.contains(f)).collect();
        if members.len() < 2 || !shown.contains(&incident.cause) {
            continue;
        }
        let mut words: Vec<String> = Vec::new();
        for finding in members.iter().filter_map(|f| store.finding(*f)) {
            let line = store.record(finding.record).map(|r| r.line).filter(|l| *l > 0);
            words.push(line.map_or_else(|| finding.rule.to_owned(), |l| format!("{} (line {l})", finding.rule)));
        }
        let more = words.len().saturating_sub(6);
        words.truncate(6);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let text = format!("{}: one cause: {}", visible(file), visible(&incident.title));
        writeln!(out, "{}\n    {}", paint.bold(&text), paint.dim(&format!("{}{more}", words.join(" → "))))?;
    }
    Ok(())
}

/// The last line of a file's report.
pub fn summary_line(store: &Store, s: &Summary) -> String {
    counts_line(store.exchanges.len(), store.messages as usize, s)
}

/// The same for counts of several files.
pub fn counts_line(exchanges: usize, messages: usize, s: &Summary) -> String {
    let n = |count: u32, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let mut parts = vec![n(s.error, "error"), n(s.warning, "warning"), format!("{} info", s.info)];
    let of = format!("{} in {}", n(exchanges as u32, "exchange"), n(messages as u32, "message"));
    for (count, what) in [
        (s.protocol_errors, "protocol error"),
        (s.tool_errors, "tool error"),
        (s.refused, "refusal"),
        (s.unanswered, "unanswered request"),
    ] {
        if count > 0 {
            parts.push(n(count, what));
        }
    }
    format!("{of}: {}", parts.join(", "))
}

/// The outcome in the words of the screen: `ok`, `error -32602`, `pending`.
pub fn outcome_words(exchange: &Exchange, code: Option<i64>) -> String {
    let mut words = match exchange.outcome {
        Outcome::ToolError => "tool error".to_owned(),
        Outcome::ProtocolError => match code {
            Some(code) => format!("error {code}"),
            None => "error".to_owned(),
        },
        Outcome::InputRequired => "input required".to_owned(),
        Outcome::Notification => "–".to_owned(),
        Outcome::Unreadable => "not a message".to_owned(),
        other => other.as_str().to_owned(),
    };
    for flag in super::view::flag_words(exchange) {
        words.push_str(", ");
        words.push_str(flag);
    }
    words
}
