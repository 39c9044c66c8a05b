//! Logs with a mark before each message: `--> {…}`, `[09:15:04.000] <<< {…}`, `C->S {…}`, `stderr: text`.
//!
//! What `SEND`, `in` or `→` means depends on whose log it is: the methods have a vote, and turn the whole file round.
//! Also the last resort for text that holds JSON-RPC messages somewhere in its lines.

use super::import::At;
use super::{Confidence, Format, Import, detect::Head, text, time};
use crate::wire::frame::Dir;
use crate::wire::json::Parser;

/// See the module.
pub(super) const FORMAT: Format =
    Format { name: "tee", about: "text with marks (-->, <--, C->S) before the messages", detect, read };

const C2S: &[&str] = &[
    "-->",
    ">>>",
    "→",
    "=>",
    "->",
    ">",
    ">>",
    "c->s",
    "client->server",
    "client-to-server",
    "c2s",
    "client",
    "req",
    "request",
    "send",
    "sent",
    "stdin",
    "in",
    "[stdin]",
    "client→server",
    "c→s",
];
const S2C: &[&str] = &[
    "<--",
    "<<<",
    "←",
    "<=",
    "<-",
    "<",
    "<<",
    "s->c",
    "server->client",
    "server-to-client",
    "s2c",
    "server",
    "res",
    "response",
    "recv",
    "received",
    "stdout",
    "out",
    "server→client",
    "s→c",
];
const ERR: &[&str] = &["stderr", "!!", "err"];

/// Places in a line at which a message may begin: more are not tried.
const TRIES: usize = 4;

fn detect(head: &Head<'_>) -> Confidence {
    let mut parser = Parser::new();
    let (mut marked, mut bare, mut lines) = (0, 0, 0);
    for line in head.lines().filter(|l| !l.trim_ascii().is_empty()) {
        lines += 1;
        if let Some((prefix, json)) = find(&mut parser, line) {
            if memchr::memmem::find(json, b"\"jsonrpc\"").is_none() {
                continue;
            }
            marked += usize::from(mark(prefix).is_some_and(|d| d != Dir::Err));
            bare += usize::from(!prefix.trim_ascii().is_empty());
        }
    }
    if marked >= 2 || (marked == 1 && lines <= 2) {
        Confidence::Likely
    } else if bare > 0 {
        Confidence::Perhaps
    } else {
        Confidence::No
    }
}

fn read(bytes: &[u8], import: &mut Import) {
    import.excerpt = true;
    let mut parser = Parser::new();
    let (mut day, mut last) = (0, 0);
    for line in text::lines(bytes) {
        let mut at = At::line(line.number);
        let found = find(&mut parser, line.text);
        let prefix = found.map_or(line.text, |(prefix, _)| prefix);
        if let Some((stamp, dated)) = when(prefix) {
            at.t = Some(stamp.micros);
            import.local |= !stamp.zoned;
            if !dated {
                import.undated = true;
                // Past midnight.
                if stamp.micros + day < last - 12 * 3_600_000_000 {
                    day += 24 * 3_600_000_000;
                }
                last = stamp.micros + day;
                at.t = Some(last);
            }
        }
        match found {
            Some((prefix, json)) => match mark(prefix) {
                Some(Dir::Err) => import.stderr(at, json),
                dir => import.line(at, dir, json, line.eol),
            },
            None => match after_mark(line.text) {
                Some((Dir::Err, text)) => import.stderr(at, text),
                Some((dir, text)) => import.line(at, Some(dir), text, line.eol),
                None => import.said(at, line.text),
            },
        }
    }
    import.check_polarity();
}

/// The message of a line and what stands before it. It goes to the end of the line.
fn find<'t>(parser: &mut Parser, line: &'t [u8]) -> Option<(&'t [u8], &'t [u8])> {
    let starts =
        memchr::memchr2_iter(b'{', b'[', line).filter(|at| matches!(&line[*at..], [b'{', b'"', ..] | [b'[', b'{', ..]));
    for at in starts.take(TRIES) {
        let json = text::json(parser, &line[at..]);
        if let Some(json) = json.filter(|j| line[at + j.len()..].iter().all(|c| *c <= b' ')) {
            return Some((&line[..at], json));
        }
    }
    None
}

fn word(token: &str) -> Option<Dir> {
    let token = token.trim_end_matches([':', '|']);
    let inner = token.strip_prefix(['[', '(']).and_then(|t| t.strip_suffix([']', ')'])).unwrap_or(token);
    let is = |list: &[&str]| list.iter().any(|w| w.eq_ignore_ascii_case(inner));
    match () {
        () if is(C2S) => Some(Dir::C2s),
        () if is(S2C) => Some(Dir::S2c),
        () if is(ERR) => Some(Dir::Err),
        () => None,
    }
}

/// What the text before a message says of its direction; the word nearest to the message counts.
fn mark(prefix: &[u8]) -> Option<Dir> {
    let tail = &prefix[prefix.len().saturating_sub(160)..];
    String::from_utf8_lossy(tail).split_whitespace().rev().take(8).find_map(word)
}

/// A line that is no message, with a mark at its beginning (after a time, maybe).
fn after_mark(line: &[u8]) -> Option<(Dir, &[u8])> {
    let mut rest = line;
    for _ in 0..3 {
        rest = rest.trim_ascii_start();
        let end = rest.iter().position(|c| *c <= b' ').unwrap_or(rest.len());
        let token = std::str::from_utf8(&rest[..end]).ok()?;
        // A plain word is no mark: `server started`.
        let bare = token.chars().all(char::is_alphanumeric) && !token.eq_ignore_ascii_case("stderr");
        if let Some(dir) = word(token).filter(|_| !bare) {
            return Some((dir, rest[end..].strip_prefix(b" ").unwrap_or(&rest[end..])));
        }
        rest = &rest[end..];
    }
    None
}

/// The time at the beginning of a line, and whether it has a date.
fn when(prefix: &[u8]) -> Option<(time::Stamp, bool)> {
    let prefix = prefix.trim_ascii_start();
    let prefix = prefix.strip_prefix(b"[").unwrap_or(prefix);
    if let Some((stamp, _)) = time::stamp(prefix) {
        return Some((stamp, true));
    }
    let end = prefix.iter().position(|c| matches!(c, b' ' | b']')).unwrap_or(prefix.len());
    time::of_day(&prefix[..end]).map(|micros| (time::Stamp { micros, zoned: false }, false))
}
