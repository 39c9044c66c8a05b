//! Words for what happened: the same in rows, panes and titles.

use crate::mcp::errors::CODES;
use crate::trace::exchange::flags;
use crate::trace::{Exchange, NONE, Outcome, Record, RecordKind, Severity, Store};
use crate::tui::data::{count, duration, size};
use crate::tui::theme::Ink;
use crate::wire::frame::{Dir, EventKind, HttpKind, Micros};

/// One line above the panes of a refused, failed or stuck exchange.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// Its colour.
    pub ink: Ink,
    /// `refused because`, `failed because`, `stuck because`.
    pub lead: &'static str,
    /// Why.
    pub text: String,
}

/// The outcome of an exchange in words, with the running clock of what is open.
pub fn outcome(store: &Store, index: u32, now: Micros) -> (Ink, String) {
    let Some(e) = store.exchanges.get(index as usize) else { return (Ink::Dim, String::new()) };
    let since = || store.record(e.request).map_or(0, |r| (now - r.t).max(0));
    let (ink, mut words) = match e.outcome {
        Outcome::Ok => (Ink::Ok, "ok".to_owned()),
        Outcome::ToolError => (Ink::ToolError, "tool error".to_owned()),
        Outcome::ProtocolError => match store.codes.get(&index) {
            Some(code) => (Ink::ProtocolError, format!("error {code}")),
            None => (Ink::ProtocolError, "error".to_owned()),
        },
        Outcome::InputRequired => (Ink::Input, "input required".to_owned()),
        Outcome::Cancelled => (Ink::Cancelled, "cancelled".to_owned()),
        Outcome::Refused => match status_of(store, e) {
            Some(status) => (Ink::ProtocolError, format!("refused {status}")),
            None => (Ink::ProtocolError, "refused".to_owned()),
        },
        Outcome::Unanswered => (Ink::Odd, "unanswered".to_owned()),
        Outcome::Pending => (Ink::Pending, format!("pending {}", clock(since()))),
        Outcome::Open => (Ink::Pending, format!("open {}", clock(since()))),
        Outcome::Notification => (Ink::Dim, "–".to_owned()),
        Outcome::Orphan => (Ink::Odd, "orphan".to_owned()),
        Outcome::Unreadable => (Ink::Odd, "not JSON".to_owned()),
    };
    if e.has(flags::LATE) {
        words.push_str(", late");
    }
    if e.has(flags::DUPLICATE) {
        words.push_str(", twice");
    }
    if e.has(flags::CUT) {
        words.push_str(", cut");
    }
    (ink, words)
}

/// A running clock: tenths of a second for the first minute.
fn clock(t: Micros) -> String {
    match t {
        ..60_000_000 => format!("{:.1} s", t as f64 / 1e6),
        _ => duration(t),
    }
}

/// The HTTP status that an exchange ended with.
pub fn status_of(store: &Store, e: &Exchange) -> Option<u16> {
    let direct = store.http.get(&e.response).and_then(|h| h.status);
    direct.or_else(|| response_head(store, e.request).and_then(|r| store.http.get(&r)?.status))
}

/// The record of the HTTP response head that belongs to a request. Looks at what came soon after it.
pub fn response_head(store: &Store, request: u32) -> Option<u32> {
    let r = store.record(request)?;
    if r.stream == NONE {
        return None;
    }
    let end = store.records.len().min(request as usize + 2_000);
    (request as usize + 1..end).map(|i| i as u32).find(|i| {
        store.records[*i as usize].stream == r.stream
            && store.records[*i as usize].conn == r.conn
            && store.http.get(i).is_some_and(|h| h.kind == HttpKind::Response)
    })
}

/// An error code with its name.
pub fn code_name(code: i64) -> String {
    match CODES.iter().find(|c| c.code == code) {
        Some(c) => format!("{code} {}", c.name),
        None => code.to_string(),
    }
}

/// Method and target of a row: notifications say what they are about in the second column.
pub fn names<'a>(store: &'a Store, record: &Record) -> (&'a str, &'a str) {
    let method = store.name(record.method).unwrap_or_default();
    let target = store.name(record.target).unwrap_or_default();
    match record.kind {
        RecordKind::Notification => {
            let about = method.strip_prefix("notifications/").unwrap_or(method);
            ("notification", if target.is_empty() { about } else { target })
        }
        _ => (method, target),
    }
}

/// Colour and arrow of a direction.
pub fn arrow(dir: Dir) -> (Ink, &'static str) {
    match dir {
        Dir::C2s => (Ink::Client, "→"),
        Dir::S2c => (Ink::Server, "←"),
        Dir::Err => (Ink::Stderr, "!"),
    }
}

/// Colour and sign of a severity.
pub fn severity(s: Severity) -> (Ink, &'static str) {
    match s {
        Severity::Error => (Ink::Error, "✖"),
        Severity::Warning => (Ink::Warning, "▲"),
        Severity::Info => (Ink::Info, "●"),
    }
}

/// An event in words.
pub fn event(kind: &EventKind) -> String {
    let side = |dir: &Dir| match dir {
        Dir::C2s => "the client's stdin",
        Dir::S2c => "the server's stdout",
        Dir::Err => "the server's stderr",
    };
    match kind {
        EventKind::Spawn { pid: Some(pid) } => format!("server started, process {pid}"),
        EventKind::Spawn { pid: None } => "server started".to_owned(),
        EventKind::SpawnFailed { why } => format!("server could not be started: {why}"),
        EventKind::Open => "connection opened".to_owned(),
        EventKind::Close => "connection closed".to_owned(),
        EventKind::Signal { name } => format!("{name} passed on to the server"),
        EventKind::Eof { of } => format!("{} was closed", side(of)),
        EventKind::Exit { status: Some(status), .. } => format!("server ended, exit status {status}"),
        EventKind::Exit { signal: Some(signal), .. } => format!("server killed by {signal}"),
        EventKind::Exit { .. } => "server ended".to_owned(),
        EventKind::End { frames: Some(n) } => format!("end of the record, {}", count(*n as usize, "frame")),
        EventKind::End { frames: None } => "end of the record".to_owned(),
        EventKind::Gap { frames, bytes, why, .. } => {
            let mut text = "gap: ".to_owned();
            if let Some(n) = frames {
                text.push_str(&format!("{} lost, ", count(*n as usize, "frame")));
            }
            if let Some(n) = bytes {
                text.push_str(&format!("{} bytes lost, ", size(*n)));
            }
            text + why
        }
        EventKind::Partial { dir, bytes, .. } => {
            format!("{} bytes of a line from the {}, and no line end yet", size(*bytes), dir.sender().as_str())
        }
        EventKind::Blocked { dir, .. } => {
            format!("the {} does not read what it is sent", dir.sender().other().as_str())
        }
        EventKind::Undelivered { dir, bytes } => {
            format!("{} bytes from the {} could not be delivered", size(*bytes), dir.sender().as_str())
        }
        EventKind::Clock { wall } => format!("the wall clock jumped to {wall}"),
        EventKind::Other(name) => format!("event {name}"),
    }
}

/// An HTTP head, comment or end in words.
pub fn http(h: &crate::wire::frame::Http<'_>) -> String {
    match h.kind {
        HttpKind::Request => {
            format!("{} {}", h.method.as_deref().unwrap_or("?"), h.path.as_deref().unwrap_or_default())
        }
        HttpKind::Response => format!("HTTP {}", h.status.map_or("?".to_owned(), |s| s.to_string())),
        HttpKind::Sse if h.comment => "SSE comment".to_owned(),
        HttpKind::Sse => format!("SSE event {}", h.event.as_deref().unwrap_or("message")),
        HttpKind::End => {
            use crate::wire::frame::HttpEnd;
            let how = match h.how {
                Some(HttpEnd::Eof) | None => "ended",
                Some(HttpEnd::Reset) => "connection broke",
                Some(HttpEnd::Client) => "closed by the client",
                Some(HttpEnd::Timeout) => "timed out",
            };
            format!("HTTP exchange {} {how}", h.stream)
        }
    }
}

/// Why an exchange was refused or failed, as far as its findings and its error say.
pub fn reason(store: &Store, index: u32, error: Option<&str>) -> Option<Reason> {
    let e = store.exchanges.get(index as usize)?;
    let (ink, lead) = match e.outcome {
        Outcome::ProtocolError => (Ink::ProtocolError, "refused because"),
        Outcome::Refused => (Ink::ProtocolError, "refused because"),
        Outcome::ToolError => (Ink::ToolError, "failed because"),
        Outcome::Pending | Outcome::Unanswered => {
            let text = crate::tui::pages::why::reason(store, index)?;
            let lead = if e.outcome == Outcome::Pending { "waiting because" } else { "unanswered because" };
            return Some(Reason { ink: Ink::Pending, lead, text });
        }
        _ => return None,
    };
    let worst = store.findings_of(e.request).map(|(_, f)| f).max_by_key(|f| (f.severity, f.pointer.is_some()));
    let text = match (worst, error) {
        (Some(f), _) if f.severity >= Severity::Warning => f.message.to_string(),
        (_, Some(error)) => error.to_owned(),
        _ => return None,
    };
    Some(Reason { ink, lead, text })
}
