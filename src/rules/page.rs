//! A rule explained: the page that `mcpscope rules ID` prints and that the screen opens from a finding.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::catalogue::Entry;
use super::examples::{Action, Step, steps};
use crate::mcp::Revision;
use crate::wire::frame::{Dir, Eol, EventKind, Http, HttpEnd, HttpKind};
use crate::wire::json::visible::visible_bytes;

/// Bytes of an example's payload that are shown: some examples are about size.
const PAYLOAD_MAX: usize = 2_000;

/// Its severity in words, with the revisions and conditions under which it is another.
pub fn severity(entry: &Entry) -> String {
    let mut out = entry.severity.clone();
    for (revision, severity) in &entry.severity_by_revision {
        let _ = write!(out, "; {severity} in {revision}");
    }
    for (severity, when) in &entry.severity_when {
        let _ = write!(out, "; {severity}: {when}");
    }
    out
}

/// Who has to change something, in words.
pub fn owner(entry: &Entry) -> &'static str {
    match entry.owner.as_str() {
        "client" => "the client",
        "server" => "the server",
        "sender" => "who sent it (client or server)",
        "responder" => "who owes the answer (client or server)",
        _ => "unknown",
    }
}

/// The revisions it applies to, in words.
pub fn revisions(entry: &Entry) -> String {
    let list: Vec<&str> = entry.revisions.iter().map(Revision::as_str).collect();
    if list.len() == Revision::ALL.len() { "all".to_owned() } else { list.join(", ") }
}

/// The facts of a rule, each with its label.
pub fn facts(entry: &Entry) -> Vec<(&'static str, String)> {
    let wire = match entry.wire.as_str() {
        "stdio" => "stdio",
        "http" => "HTTP",
        _ => "any",
    };
    let report = if entry.report == "once" { "once for each connection and sender" } else { "every time" };
    let mut out = vec![
        ("Layer", entry.layer.clone()),
        ("Severity", severity(entry)),
        ("Who fixes it", owner(entry).to_owned()),
        ("Revisions", revisions(entry)),
        ("Transport", wire.to_owned()),
        ("Looks at", entry.applies_to.clone()),
        ("Reported", report.to_owned()),
        ("Source", format!("{}: {}", entry.basis, entry.spec)),
    ];
    for (name, value) in &entry.defaults {
        out.push(("Limit", format!("{name} = {value}")));
    }
    out
}

/// The whole page as plain text, wrapped at `width` columns where it is prose.
pub fn text(entry: &Entry, width: usize) -> String {
    let mut out = format!("{}: {}\n\n", entry.id, entry.title);
    wrap(&entry.explain, width, "", &mut out);
    out.push('\n');
    let facts = facts(entry);
    let label = facts.iter().map(|(l, _)| l.len()).max().unwrap_or(0) + 2;
    for (name, value) in facts {
        let mut lines = String::new();
        wrap(&value, width.saturating_sub(label).max(20), "", &mut lines);
        for (i, line) in lines.lines().enumerate() {
            let _ = writeln!(out, "{:label$}{line}", if i == 0 { name } else { "" });
        }
    }
    for bad in [false, true] {
        out.push('\n');
        out.push_str(&heading(entry, bad));
        out.push('\n');
        for (line, text) in example(entry, bad) {
            let mark = if bad && line == entry.bad_line { '>' } else { ' ' };
            let _ = writeln!(out, "{mark} {line:>2}  {text}");
        }
    }
    out
}

/// The page as a Markdown section.
pub fn markdown(entry: &Entry) -> String {
    let mut out = format!("### {}\n\n**{}.** {}\n\n", entry.id, entry.title, escape(&entry.explain));
    for (name, value) in facts(entry) {
        let _ = writeln!(out, "- {name}: {}", escape(&value));
    }
    for bad in [false, true] {
        let _ = write!(out, "\n{}\n\n```text\n", heading(entry, bad));
        for (line, text) in example(entry, bad) {
            let mark = if bad && line == entry.bad_line { '>' } else { ' ' };
            let _ = writeln!(out, "{mark} {line:>2}  {text}");
        }
        out.push_str("```\n");
    }
    out
}

/// The entry as JSON, with the names of the catalogue.
pub fn json(entry: &Entry) -> serde_json::Value {
    let object = |list: &mut dyn Iterator<Item = (String, String)>| {
        serde_json::Value::Object(list.map(|(k, v)| (k, serde_json::Value::String(v))).collect())
    };
    let limits: serde_json::Map<String, serde_json::Value> = entry
        .defaults
        .iter()
        // TOML's numbers and arrays of strings read as JSON.
        .map(|(k, v)| (k.clone(), serde_json::from_str(v).unwrap_or_else(|_| v.clone().into())))
        .collect();
    serde_json::json!({
        "id": entry.id,
        "layer": entry.layer,
        "severity": entry.severity,
        "severity_by_revision":
            object(&mut entry.severity_by_revision.iter().map(|(r, s)| (r.to_string(), s.clone()))),
        "severity_when": object(&mut entry.severity_when.iter().cloned()),
        "owner": entry.owner,
        "revisions": entry.revisions.iter().map(Revision::as_str).collect::<Vec<_>>(),
        "wire": entry.wire,
        "report": entry.report,
        "tier": entry.tier,
        "applies_to": entry.applies_to,
        "basis": entry.basis,
        "title": entry.title,
        "explain": entry.explain,
        "spec": entry.spec,
        "defaults": limits,
        "example_revision": entry.example_revision.as_str(),
        "good": entry.good.lines().collect::<Vec<_>>(),
        "bad": entry.bad.lines().collect::<Vec<_>>(),
        "bad_line": entry.bad_line,
        "also": entry.also,
        "good_also": entry.good_also,
    })
}

fn heading(entry: &Entry, bad: bool) -> String {
    if bad {
        format!("Bad ({}), reported at line {}:", entry.example_revision, entry.bad_line)
    } else {
        format!("Good ({}):", entry.example_revision)
    }
}

/// The lines of an example for people: number, and what happens.
fn example(entry: &Entry, bad: bool) -> Vec<(u32, String)> {
    match steps(if bad { &entry.bad } else { &entry.good }) {
        Ok(example) => example.steps.iter().map(|s| (s.line, step(s))).collect(),
        Err(bad) => vec![(bad.line, bad.why)],
    }
}

fn step(step: &Step) -> String {
    match &step.action {
        Action::Event(kind) => match kind {
            EventKind::Exit { status: Some(status), .. } => format!("-- the server process ends with status {status}"),
            EventKind::Eof { of } => format!("-- the {} closes its output", of.sender().as_str()),
            EventKind::End { .. } => "-- the trace ends".to_owned(),
            other => format!("-- {other:?}"),
        },
        Action::Frame { dir, payload, eol, http } => {
            let mut out = match dir {
                Dir::C2s => "client → server  ",
                Dir::S2c => "server → client  ",
                Dir::Err => "server's stderr  ",
            }
            .to_owned();
            if let Some(http) = http {
                out.push_str(&head(http));
            }
            out.push_str(&shown(payload));
            match eol {
                Eol::None => out.push_str(" (no line end)"),
                Eol::CrLf => out.push_str(" (ends with CR LF)"),
                Eol::Lf => {}
            }
            out
        }
    }
}

fn head(http: &Http<'_>) -> String {
    let mut out = format!("[exchange {}] ", http.stream);
    match http.kind {
        HttpKind::Request => {
            let word = |w: &Option<Cow<'_, str>>| w.as_deref().unwrap_or("?").to_owned();
            let _ = write!(out, "{} {} ", word(&http.method), word(&http.path));
        }
        HttpKind::Response => {
            let _ = write!(out, "HTTP {} ", http.status.unwrap_or(0));
        }
        HttpKind::Sse => {
            let _ = write!(out, "event {} ", http.event.as_deref().unwrap_or("message"));
            if let Some(id) = &http.id {
                let _ = write!(out, "id {id} ");
            }
        }
        HttpKind::End if http.how == Some(HttpEnd::Client) => out.push_str("the client closes it"),
        HttpKind::End => out.push_str("the server ends it"),
    }
    for (name, value) in &http.headers {
        let _ = write!(out, "{name}: {value}; ");
    }
    out
}

fn shown(payload: &[u8]) -> String {
    if payload.len() <= PAYLOAD_MAX {
        return visible_bytes(payload).into_owned();
    }
    format!("{}… ({} bytes)", visible_bytes(&payload[..200]), payload.len())
}

/// Breaks prose at blanks; a word longer than the width stays whole.
fn wrap(text: &str, width: usize, indent: &str, out: &mut String) {
    let mut column = 0;
    for word in text.split_whitespace() {
        let len = word.chars().count();
        if column == 0 {
            out.push_str(indent);
        } else if column + 1 + len > width {
            out.push('\n');
            out.push_str(indent);
            column = 0;
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += len;
    }
    out.push('\n');
}

/// Markdown reads these as its own.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '_' | '`' | '<' | '[' | '|' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::rules::catalogue;

    #[test]
    fn every_page_is_whole_and_bounded() {
        for entry in catalogue::entries() {
            let page = text(entry, 80);
            assert!(page.starts_with(&format!("{}: ", entry.id)));
            assert!(page.lines().any(|l| l.starts_with('>')), "{}: the bad line is not marked", entry.id);
            assert!(page.len() < 30_000, "{}", entry.id);
            assert!(!page.chars().any(|c| c.is_control() && c != '\n'), "{}", entry.id);
            assert!(markdown(entry).matches("```").count() == 4, "{}", entry.id);
            assert_eq!(json(entry)["id"], entry.id.as_str());
        }
    }

    #[test]
    fn severity_says_where_it_differs() {
        let of = |id| severity(catalogue::entry(id).unwrap());
        assert_eq!(of("json-syntax"), "error");
        assert_eq!(of("http-get-status"), "error; warning in 2026-07-28");
        assert_eq!(of("message-after-cancel"), "warning; info: the first late message for the request");
        assert_eq!(json(catalogue::entry("message-oversize").unwrap())["defaults"]["max_bytes"], 1_048_576);
        assert!(json(catalogue::entry("tool-error-text").unwrap())["defaults"]["prefixes"].is_array());
    }

    #[test]
    fn prose_is_wrapped() {
        let mut out = String::new();
        wrap("one two three extraordinary four", 9, "", &mut out);
        assert_eq!(out, "one two\nthree\nextraordinary\nfour\n");
    }
}
