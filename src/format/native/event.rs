//! Events: what happened beside the traffic.

use super::http::text;
use super::scan::{Scan, micros, unsigned};
use crate::wire::frame::{Dir, EventKind};

/// Reads the members of an event line whose `event` says `name`. Unknown names are kept as such.
pub(super) fn read(name: &str, line: &[u8]) -> EventKind {
    let (mut pid, mut why, mut signal, mut status, mut of, mut dir) = (None, None, None, None, None, None);
    let (mut frames, mut bytes, mut since, mut wall) = (None, None, None, None);
    // A line that is cut off behind the event's name has been found torn before.
    let _ = Scan::new(line).members(|key, value| match key {
        b"pid" => pid = unsigned(value).and_then(|n| u32::try_from(n).ok()),
        b"why" | b"error" => why = text(value),
        b"signal" | b"name" => signal = text(value),
        b"status" | b"code" => status = number(value),
        b"of" => of = direction(value),
        b"dir" => dir = direction(value),
        b"frames" => frames = unsigned(value),
        b"bytes" => bytes = unsigned(value),
        b"since" => since = micros(value),
        b"wall" => wall = text(value),
        _ => {}
    });
    let why = why.map(|w| w.into_owned()).unwrap_or_default();
    let signal = signal.map(|s| signal_name(&s));
    match (name, dir, of) {
        ("spawn", ..) => EventKind::Spawn { pid },
        ("spawn-failed", ..) => EventKind::SpawnFailed { why },
        ("open", ..) => EventKind::Open,
        ("close", ..) => EventKind::Close,
        ("signal", ..) => EventKind::Signal { name: signal.unwrap_or_default() },
        ("eof", _, Some(of)) => EventKind::Eof { of },
        ("exit", ..) => EventKind::Exit { status, signal },
        ("end", ..) => EventKind::End { frames },
        ("gap", ..) => EventKind::Gap { dir, frames, bytes, why },
        ("partial", Some(dir), _) => {
            EventKind::Partial { dir, bytes: bytes.unwrap_or(0), since: since.unwrap_or_default() }
        }
        ("blocked", Some(dir), _) => EventKind::Blocked { dir, since: since.unwrap_or_default() },
        ("undelivered", Some(dir), _) => EventKind::Undelivered { dir, bytes: bytes.unwrap_or(0) },
        ("clock", ..) => EventKind::Clock { wall: wall.map(|w| w.into_owned()).unwrap_or_default() },
        _ => EventKind::Other(name.to_owned()),
    }
}

/// `"c2s"`, `"s2c"`, `"err"` as they stand in a line, with their quotes.
pub(super) fn direction(value: &[u8]) -> Option<Dir> {
    Some(match value {
        b"\"c2s\"" => Dir::C2s,
        b"\"s2c\"" => Dir::S2c,
        b"\"err\"" => Dir::Err,
        _ => return None,
    })
}

fn number(value: &[u8]) -> Option<i32> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

/// Signals by number, as Linux and macOS agree on them; other recorders write the number.
const SIGNALS: [(&str, i32); 14] = [
    ("SIGHUP", 1),
    ("SIGINT", 2),
    ("SIGQUIT", 3),
    ("SIGILL", 4),
    ("SIGTRAP", 5),
    ("SIGABRT", 6),
    ("SIGFPE", 8),
    ("SIGKILL", 9),
    ("SIGSEGV", 11),
    ("SIGPIPE", 13),
    ("SIGALRM", 14),
    ("SIGTERM", 15),
    ("SIGXCPU", 24),
    ("SIGXFSZ", 25),
];

/// A signal's name from its number or name.
pub fn signal_name(text: &str) -> String {
    let number: Option<i32> = text.parse().ok();
    match SIGNALS.iter().find(|(_, n)| Some(*n) == number) {
        Some((name, _)) => (*name).to_owned(),
        None if number.is_some() => format!("signal {text}"),
        None => text.to_owned(),
    }
}
