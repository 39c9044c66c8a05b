//! One line a message, as it comes: `watch --text`.

use std::io::{self, Write};

use crate::trace::{NONE, Record, RecordKind, Severity, Store};
use crate::wire::frame::{Dir, EventKind, Http, HttpKind};
use crate::wire::json::visible::visible;

use super::text::{self, Paint};

/// Writes a record as one line, and its findings below it. `payload` is the frame's bytes (for lines that are no message).
///
/// # Errors
/// What the writer says.
pub fn record(out: &mut dyn Write, store: &Store, index: u32, payload: &[u8], paint: Paint) -> io::Result<()> {
    let Some(record) = store.record(index) else { return Ok(()) };
    if record.kind == RecordKind::Fragment {
        return Ok(());
    }
    if let Some(event) = store.events.get(&index) {
        let seconds = event.t as f64 / 1e6;
        let name = visible(&event_words(&event.kind)).into_owned();
        return writeln!(out, "{seconds:>10.3} * {}", paint.dim(&name));
    }
    if let Some(http) = store.http.get(&index).filter(|_| record.kind == RecordKind::Http) {
        let seconds = record.t as f64 / 1e6;
        let name = visible(&http_words(http)).into_owned();
        return writeln!(out, "{seconds:>10.3} {} {}", arrow(record.dir), paint.dim(&name));
    }
    let arrow = arrow(record.dir);
    let seconds = record.t as f64 / 1e6;
    write!(out, "{seconds:>10.3} {arrow} {}", words(store, record, payload, paint))?;
    writeln!(out)?;
    for (_, finding) in store.findings_of(index) {
        let mark = match finding.severity {
            Severity::Error => "✖",
            Severity::Warning => "▲",
            Severity::Info => "·",
        };
        let at = finding.pointer.as_deref().map(|p| format!(" at {}", visible(p))).unwrap_or_default();
        writeln!(
            out,
            "             {} {}{at} {}",
            paint.severity(finding.severity, mark),
            visible(&finding.message),
            paint.dim(&format!("[{} · {}]", finding.rule, finding.owner.as_str()))
        )?;
    }
    Ok(())
}

fn arrow(dir: Dir) -> &'static str {
    match dir {
        Dir::C2s => "→",
        Dir::S2c => "←",
        Dir::Err => "!",
    }
}

/// An event in a few words.
pub fn event_words(kind: &EventKind) -> String {
    match kind {
        EventKind::Spawn { pid: Some(pid) } => format!("server started, process {pid}"),
        EventKind::Spawn { pid: None } => "server started".to_owned(),
        EventKind::SpawnFailed { why } => format!("the server could not be started: {why}"),
        EventKind::Open => "connection opened".to_owned(),
        EventKind::Close => "connection closed".to_owned(),
        EventKind::Signal { name } => format!("{name} received and passed on"),
        EventKind::Eof { of: Dir::C2s } => "the client closed its stream".to_owned(),
        EventKind::Eof { of: Dir::S2c } => "the server closed its output".to_owned(),
        EventKind::Eof { of: Dir::Err } => "the server closed stderr".to_owned(),
        EventKind::Exit { status: Some(status), .. } => format!("server ended with status {status}"),
        EventKind::Exit { signal: Some(signal), .. } => format!("server killed by {signal}"),
        EventKind::Exit { .. } => "server ended".to_owned(),
        EventKind::End { .. } => "end of the recording".to_owned(),
        EventKind::Gap { bytes, why, .. } => match bytes {
            Some(bytes) => format!("gap: {bytes} bytes not recorded: {why}"),
            None => format!("gap: {why}"),
        },
        EventKind::Partial { dir, bytes, .. } => {
            format!("a line of {bytes} bytes has begun and not ended ({})", dir.as_str())
        }
        EventKind::Blocked { dir, .. } => format!("the reader does not take what is written to it ({})", dir.as_str()),
        EventKind::Undelivered { dir, bytes } => format!("{bytes} bytes could not be delivered ({})", dir.as_str()),
        EventKind::Clock { wall } => format!("the clock jumped to {wall}"),
        EventKind::Other(name) => name.clone(),
    }
}

/// An HTTP head or end in a few words.
pub fn http_words(http: &Http<'_>) -> String {
    match http.kind {
        HttpKind::Request => {
            format!("{} {}", http.method.as_deref().unwrap_or("?"), http.path.as_deref().unwrap_or_default())
        }
        HttpKind::Response => format!("HTTP {}", http.status.map_or("?".to_owned(), |s| s.to_string())),
        HttpKind::Sse if http.comment => "SSE comment".to_owned(),
        HttpKind::Sse => format!("SSE event {}", http.event.as_deref().unwrap_or("message")),
        HttpKind::End => format!("stream {} ended", http.stream),
    }
}

fn words(store: &Store, record: &Record, payload: &[u8], paint: Paint) -> String {
    let name = |sym| store.name(sym).map(|n| visible(n).into_owned());
    let id = store.id_text(record.id).map(|id| format!("id {}", visible(&id)));
    match record.kind {
        RecordKind::Request | RecordKind::Notification => {
            let mut parts = vec![name(record.method).unwrap_or_default()];
            parts.extend(name(record.target));
            parts.extend(id);
            parts.join("  ")
        }
        RecordKind::Response | RecordKind::Error => {
            let exchange = store.exchanges.get(record.exchange as usize).filter(|_| record.exchange != NONE);
            let Some(e) = exchange else { return format!("response  {}", id.unwrap_or_default()) };
            let mut parts =
                vec![store.method_of(e).map(|m| visible(m).into_owned()).unwrap_or_else(|| "response".to_owned())];
            parts.extend(store.target_of(e).map(|t| visible(t).into_owned()));
            parts.extend(id);
            parts.push(text::outcome_words(e, None));
            if let Some(us) = store.latency(e) {
                parts.push(paint.dim(&format!("{:.1} ms", us as f64 / 1000.0)));
            }
            parts.join("  ")
        }
        RecordKind::Event => paint.dim("event"),
        RecordKind::Http => paint.dim("http"),
        _ => {
            let cut = &payload[..payload.len().min(400)];
            let text = crate::wire::json::visible::visible_bytes(cut).into_owned();
            if payload.len() > cut.len() { format!("{text}…") } else { text }
        }
    }
}
