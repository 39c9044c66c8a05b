//! One exchange in full: as text, as JSON, and as Markdown for a ticket.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use crate::analysis::refused::{self, refused_because_of};
use crate::trace::{NONE, Record, RecordKind, Source, Store};
use crate::wire::envelope::Envelope;
use crate::wire::json::visible::{visible, visible_bytes};
use crate::wire::json::{Doc, Document, Value, pretty, text_json};

use super::json::JsonExchange;
use super::said::Said;
use super::table::latency_words;
use super::text::{Paint, outcome_words};
use super::view::FindingView;

/// A message of an exchange with its bytes.
struct Part {
    index: u32,
    record: Record,
    document: Document,
}

/// Everything about one exchange.
pub struct Detail<'a> {
    store: &'a Store,
    file: &'a str,
    index: u32,
    parts: Vec<Part>,
    findings: Vec<FindingView<'a>>,
    outcome: String,
    refused: Option<String>,
}

impl<'a> Detail<'a> {
    /// Reads it. `findings` are those to be shown, in order (of the whole trace).
    ///
    /// # Errors
    /// When the bytes cannot be read any more.
    pub fn read(
        store: &'a Store,
        source: &Source,
        file: &'a str,
        index: u32,
        findings: Vec<FindingView<'a>>,
    ) -> io::Result<Detail<'a>> {
        let e = &store.exchanges[index as usize];
        let mut parts = Vec::new();
        let more =
            (0u32..).zip(&store.records).filter(|(i, r)| r.exchange == index && *i != e.request && *i != e.response);
        let mut records: Vec<u32> = [e.request, e.response].into_iter().filter(|r| *r != NONE).collect();
        records.extend(more.filter(|(_, r)| r.kind != RecordKind::Fragment).map(|(i, _)| i));
        records.sort_unstable();
        for i in records {
            let Some(record) = store.record(i) else { continue };
            let bytes = match store.recovered.get(&i) {
                Some(recovered) => recovered.bytes.to_vec(),
                None => source.message_bytes(record)?,
            };
            parts.push(Part { index: i, record: *record, document: Document::new(bytes) });
        }
        let error = Said::new().error(store, source, index);
        let code = error.as_ref().and_then(|(code, _)| *code);
        let said = refused::Said { code, message: error.as_ref().map(|(_, m)| m.as_str()) };
        let refused = refused::is_refused(e.outcome).then(|| refused_because_of(store, index, said)).flatten();
        let findings = findings.into_iter().filter(|v| v.exchange == Some(index + 1)).collect();
        Ok(Detail { store, file, index, parts, findings, outcome: outcome_words(e, code), refused })
    }

    fn exchange(&self) -> &crate::trace::Exchange {
        &self.store.exchanges[self.index as usize]
    }

    /// `#43 tools/call search`
    fn title(&self) -> String {
        let e = self.exchange();
        let mut title = format!("#{}", self.index + 1);
        for name in [self.store.method_of(e), self.store.target_of(e)].into_iter().flatten() {
            title.push(' ');
            title.push_str(&visible(name));
        }
        title
    }

    /// Id, connection, revision, relatives.
    fn facts(&self) -> Vec<String> {
        let e = self.exchange();
        let mut facts = Vec::new();
        if let Some(r) = self.store.record(e.first()) {
            if let Some(id) = self.store.id_text(r.id) {
                let kind = match id.as_bytes().first() {
                    Some(b'"') => " (string)",
                    Some(b'0'..=b'9' | b'-') => " (number)",
                    _ => "",
                };
                facts.push(format!("id {}{kind}", visible(&id)));
            }
            facts.push(format!("connection {}", r.conn));
            if r.kind.is_message() {
                let assumed = if r.judged.assumed { " (assumed)" } else { "" };
                facts.push(format!("revision {}{assumed}", r.judged.revision));
            }
        }
        if let Some(latency) = self.store.latency(e) {
            facts.push(latency_words(latency));
        }
        for (exchange, word) in [(e.retry_of, "retry of"), (e.retried_by, "retried by"), (e.parent, "belongs to")] {
            if exchange != NONE {
                facts.push(format!("{word} #{}", exchange + 1));
            }
        }
        facts
    }
}

/// `→ request`, `← response`.
fn part_name(store: &Store, part: &Part) -> String {
    let way = if part.record.dir == crate::wire::frame::Dir::C2s { "→" } else { "←" };
    let what = match part.record.kind {
        RecordKind::Request => "request",
        RecordKind::Notification => "notification",
        RecordKind::Response => "response",
        RecordKind::Error => "error response",
        RecordKind::Unrecognised => "message of no known kind",
        RecordKind::Unreadable => "line that is no message",
        RecordKind::Http if store.http.get(&part.index).is_some_and(|h| h.how.is_some()) => "end of the stream",
        RecordKind::Http => "HTTP",
        _ => "line",
    };
    format!("{way} {what}")
}

fn place_of(part: &Part) -> String {
    let mut words = vec![format!("{:.6} s", part.record.t as f64 / 1e6)];
    if part.record.line > 0 {
        words.push(format!("line {}", part.record.line));
    }
    if part.record.frame > 0 {
        words.push(format!("frame {}", part.record.frame));
    }
    words.push(format!("{} bytes", part.document.doc().bytes().len()));
    words.join("  ")
}

/// HTTP head of a record, line by line.
fn head_lines(store: &Store, part: &Part) -> Vec<String> {
    let Some(http) = store.http.get(&part.index) else { return Vec::new() };
    let mut lines = Vec::new();
    match (&http.method, &http.path, http.status) {
        (Some(method), path, _) => {
            lines.push(format!("{} {}", visible(method), visible(path.as_deref().unwrap_or(""))));
        }
        (_, _, Some(status)) => lines.push(format!("HTTP {status}")),
        _ => {}
    }
    if let Some(id) = &http.id {
        lines.push(format!("event id {}", visible(id)));
    }
    for (name, value) in &http.headers {
        let value = if is_secret(name) { "(not shown)".into() } else { visible(value) };
        lines.push(format!("{}: {value}", visible(name)));
    }
    lines
}

/// Headers that hold credentials: what is printed is pasted into tickets.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["authorization", "cookie", "set-cookie", "proxy-authorization"].contains(&name.as_str())
        || name.contains("api-key")
        || name.contains("token")
        || name.contains("secret")
}

/// A value over several lines, each safe to print.
fn pretty_lines(value: Value<'_>) -> Vec<String> {
    let mut bytes = Vec::new();
    pretty::write(value, &mut bytes);
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    bytes.split(|b| *b == b'\n').map(|line| visible_bytes(line).into_owned()).collect()
}

/// The members that every message has, in one line, and `_meta`, a line a key.
fn envelope_lines(env: &Envelope<'_>) -> Vec<String> {
    let short = |v: Value<'_>| visible_bytes(&v.raw()[..v.raw().len().min(200)]).into_owned();
    let mut lines = Vec::new();
    let members = [("jsonrpc", env.jsonrpc), ("id", env.id), ("method", env.method)];
    let head: Vec<String> =
        members.into_iter().filter_map(|(name, v)| v.map(|v| format!("{name} {}", short(v)))).collect();
    lines.push(head.join("  "));
    for meta in [env.params_meta(), env.result_meta()].into_iter().flatten() {
        lines.push("_meta".to_owned());
        for (key, value) in meta.members() {
            lines.push(format!("  {}  {}", visible(&key.as_str()), short(value)));
        }
    }
    lines
}

/// What the message carries: the name of each part, and the value.
fn payload<'d>(env: &Envelope<'d>) -> Vec<(String, Value<'d>)> {
    let mut parts = Vec::new();
    for (name, value) in [("params", env.params), ("result", env.result)] {
        match value {
            Some(object) if object.is_object() && object.get("_meta").is_some() => {
                let others = object.members().filter(|(k, _)| *k != *"_meta");
                parts.extend(others.map(|(k, v)| (format!("{name}.{}", visible(&k.as_str())), v)));
            }
            Some(value) => parts.push((name.to_owned(), value)),
            None => {}
        }
    }
    parts.extend(env.error.map(|e| ("error".to_owned(), e)));
    parts
}

/// Text blocks that are easier to read decoded: JSON inside of a string, or several lines.
fn decoded(env: &Envelope<'_>) -> Vec<(String, Vec<String>)> {
    let content = env.result.and_then(|r| r.get("content")).into_iter().flat_map(|c| c.elements().enumerate());
    let mut found = Vec::new();
    for (i, block) in content.take(100) {
        let Some(text) = block.get("text") else { continue };
        let name = format!("result.content[{i}].text");
        if let Some(inside) = text_json::document(text) {
            if let Some(root) = inside.doc().root() {
                found.push((format!("{name}, which is JSON"), pretty_lines(root)));
            }
        } else if let Some(plain) = text.as_str().filter(|t| t.trim_end().contains('\n')) {
            found.push((format!("{name}, line by line"), plain.lines().map(|l| visible(l).into_owned()).collect()));
        }
    }
    found
}

impl Detail<'_> {
    /// For reading in a terminal.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_text(&self, out: &mut dyn Write, paint: Paint) -> io::Result<()> {
        writeln!(out, "{}  {}", paint.bold(&self.title()), self.outcome)?;
        writeln!(out, "{}", paint.dim(&self.facts().join("  ·  ")))?;
        if let Some(why) = &self.refused {
            writeln!(out, "refused because: {}", visible(why))?;
        }
        for part in &self.parts {
            writeln!(out, "\n{}  {}", paint.bold(&part_name(self.store, part)), paint.dim(&place_of(part)))?;
            for line in head_lines(self.store, part) {
                writeln!(out, "  {}", paint.dim(&line))?;
            }
            let doc = part.document.doc();
            let env = doc.root().filter(|r| r.is_object() && part.record.kind.is_message()).map(Envelope::read);
            let Some(env) = env else {
                for line in raw_lines(doc) {
                    writeln!(out, "  {line}")?;
                }
                continue;
            };
            for line in envelope_lines(&env) {
                writeln!(out, "  {}", paint.dim(&line))?;
            }
            for (name, value) in payload(&env) {
                writeln!(out, "  {name}")?;
                for line in pretty_lines(value) {
                    writeln!(out, "    {line}")?;
                }
            }
            for (name, lines) in decoded(&env) {
                writeln!(out, "  {}", paint.dim(&name))?;
                for line in lines {
                    writeln!(out, "    {line}")?;
                }
            }
        }
        if !self.findings.is_empty() {
            writeln!(out, "\n{}", paint.bold("findings"))?;
            for v in &self.findings {
                super::text::finding(out, self.file, v, paint)?;
            }
        }
        Ok(())
    }

    /// For a ticket.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "### {}: {}\n", escape(&self.title()), escape(&self.outcome))?;
        writeln!(out, "{}", escape(&self.facts().join(" · ")))?;
        if let Some(why) = &self.refused {
            writeln!(out, "\n**Refused because:** {}", escape(&visible(why)))?;
        }
        if !self.findings.is_empty() {
            writeln!(out, "\n| severity | owner | layer | finding | where |\n|---|---|---|---|---|")?;
            for v in &self.findings {
                let f = v.finding;
                let mut text = escape(&visible(&f.message));
                if let Some(expected) = &f.expected {
                    text.push_str(&format!("; expected {}", escape(&visible(expected))));
                }
                let pointer = f.pointer.as_deref().filter(|p| !p.is_empty());
                writeln!(
                    out,
                    "| {} | {} | {} | {text} (`{}`) | {} |",
                    v.severity.as_str(),
                    f.owner.as_str(),
                    f.layer.as_str(),
                    f.rule,
                    pointer.map_or_else(String::new, |p| format!("`{}`", visible(p).replace(['`', '|'], "?")))
                )?;
            }
        }
        for part in &self.parts {
            writeln!(out, "\n**{}** ({})\n", part_name(self.store, part), place_of(part))?;
            let mut lines = head_lines(self.store, part);
            let doc = part.document.doc();
            let whole = doc.root().filter(|_| doc.faults().syntax.is_none() && !doc.faults().trailing);
            let language = if whole.is_some() && lines.is_empty() { "json" } else { "" };
            if !lines.is_empty() {
                lines.push(String::new());
            }
            match whole {
                Some(root) => lines.extend(pretty_lines(root)),
                None => lines.extend(raw_lines(doc)),
            }
            // A fence longer than any in the text.
            let longest = lines.iter().map(|l| l.len() - l.trim_start_matches('`').len()).max().unwrap_or(0);
            let fence = "`".repeat(longest.max(2) + 1);
            writeln!(out, "{fence}{language}\n{}\n{fence}", lines.join("\n"))?;
        }
        Ok(())
    }

    /// For programs. The messages stand in it as they came, where they are JSON.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let messages: Vec<JsonMessage<'_>> = self.parts.iter().map(JsonMessage::new).collect();
        let json = JsonDetail {
            file: self.file,
            exchange: JsonExchange::new(self.store, self.index, self.exchange()),
            revision: self.store.record(self.exchange().first()).map(|r| r.judged.revision.as_str()),
            retry_of: number(self.exchange().retry_of),
            retried_by: number(self.exchange().retried_by),
            parent: number(self.exchange().parent),
            refused_because: self.refused.as_deref(),
            messages,
            findings: super::json::findings(&self.findings),
        };
        serde_json::to_writer_pretty(&mut *out, &json)?;
        out.write_all(b"\n")
    }
}

fn number(exchange: u32) -> Option<u32> {
    (exchange != NONE).then(|| exchange + 1)
}

/// Bytes that are no message, each line safe to print.
fn raw_lines(doc: Doc<'_>) -> Vec<String> {
    if doc.bytes().is_empty() {
        return Vec::new();
    }
    doc.bytes().split(|b| *b == b'\n').map(|line| visible_bytes(line).into_owned()).collect()
}

/// Text that Markdown does not read as anything else.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[derive(Serialize)]
struct JsonDetail<'a> {
    file: &'a str,
    #[serde(flatten)]
    exchange: JsonExchange<'a>,
    revision: Option<&'a str>,
    retry_of: Option<u32>,
    retried_by: Option<u32>,
    parent: Option<u32>,
    refused_because: Option<&'a str>,
    messages: Vec<JsonMessage<'a>>,
    findings: Vec<super::json::JsonFinding<'a>>,
}

#[derive(Serialize)]
struct JsonMessage<'a> {
    dir: &'a str,
    kind: &'a str,
    frame: Option<u32>,
    line: Option<u32>,
    time: f64,
    bytes: usize,
    /// The message as it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a RawValue>,
    /// Where it is no JSON: its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl<'a> JsonMessage<'a> {
    fn new(part: &'a Part) -> JsonMessage<'a> {
        let (r, bytes) = (&part.record, part.document.doc().bytes());
        // What serde refuses (NaN, broken UTF-8, a second value) is shown as text.
        let message = std::str::from_utf8(bytes).ok().and_then(|text| serde_json::from_str(text).ok());
        JsonMessage {
            dir: r.dir.as_str(),
            kind: match r.kind {
                RecordKind::Request => "request",
                RecordKind::Notification => "notification",
                RecordKind::Response => "response",
                RecordKind::Error => "error",
                RecordKind::Http => "http",
                RecordKind::Unrecognised => "unrecognised",
                _ => "unreadable",
            },
            frame: (r.frame > 0).then_some(r.frame),
            line: (r.line > 0).then_some(r.line),
            time: r.t as f64 / 1e6,
            bytes: bytes.len(),
            text: (message.is_none() && !bytes.is_empty()).then(|| String::from_utf8_lossy(bytes).into_owned()),
            message,
        }
    }
}
