//! Debug logs of mcp-remote, `HASH_debug.log`: `[TIME][PID] MESSAGE JSON`.
//!
//! An outline only: params are a string that is cut at 500 characters, results are never written. The messages that are
//! shown are made of these outlines; no rule about bodies is judged.

use super::import::At;
use super::{Confidence, Format, Import, detect::Head, text, time};
use crate::trace::Missing;
use crate::wire::frame::Dir;
use crate::wire::json::{Parser, Value};

/// See the module.
pub(super) const FORMAT: Format = Format { name: "mcp-remote", about: "debug log of mcp-remote", detect, read };

const MARKS: &[(&str, Dir)] = &[("Local → Remote message ", Dir::C2s), ("Remote → Local message ", Dir::S2c)];
const ARROWS: &[&str] = &["[Local→Remote] ", "[Remote→Local] "];

/// `[TIME][PID] TEXT` or `[PID] TEXT`
fn entry(line: &[u8]) -> Option<(Option<i64>, &[u8])> {
    let mut rest = line.strip_prefix(b"[")?;
    let mut t = None;
    if let Some((stamp, end)) = time::stamp(rest) {
        t = Some(stamp.micros);
        rest = rest[end..].strip_prefix(b"][")?;
    }
    let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
    (digits > 0).then_some(())?;
    Some((t, rest[digits..].strip_prefix(b"] ")?))
}

fn detect(head: &Head<'_>) -> Confidence {
    let is = |text: &[u8]| {
        MARKS.iter().map(|m| m.0).chain(ARROWS.iter().copied()).any(|mark| text.starts_with(mark.as_bytes()))
    };
    Confidence::sure_if(head.lines().filter_map(entry).any(|(_, text)| is(text)))
}

fn read(bytes: &[u8], import: &mut Import) {
    import.excerpt = true;
    import.missing = import.missing | Missing::BYTES | Missing::BODIES | Missing::HTTP;
    let mut parser = Parser::new();
    let mut last = None;
    for line in text::lines(bytes) {
        let Some((t, text)) = entry(line.text) else {
            // The rest of an object that was printed over several lines.
            continue;
        };
        last = t.or(last);
        let at = At { line: line.number, t: last, conn: 1 };
        let detail = MARKS.iter().find_map(|(mark, dir)| Some((*dir, text.strip_prefix(mark.as_bytes())?)));
        match detail {
            Some((dir, rest)) => match parser.parse_first(rest).root().filter(|r| r.is_object()) {
                Some(root) => import.message(at, Some(dir), &outline(root)),
                None => import.said(at, text),
            },
            // The line after it tells more.
            None if ARROWS.iter().any(|a| text.starts_with(a.as_bytes())) => {}
            None => {
                let end = memchr::memchr(b'{', text).unwrap_or(text.len());
                import.said(at, &text[..end]);
            }
        }
    }
    import.notes.push("mcp-remote writes outlines only: params are cut, results are not in this file".into());
}

/// A message made of what the log tells of it.
fn outline(root: Value<'_>) -> Vec<u8> {
    let mut out = b"{\"jsonrpc\":\"2.0\"".to_vec();
    let mut add = |key: &str, raw: &[u8]| {
        out.extend_from_slice(format!(",\"{key}\":").as_bytes());
        out.extend_from_slice(raw);
    };
    if let Some(id) = root.get("id").filter(|id| !id.is_null()) {
        add("id", id.raw());
    }
    if let Some(method) = root.get("method").filter(|m| m.is_string()) {
        add("method", method.raw());
        let params = root.get("params").and_then(Value::as_str).unwrap_or_default();
        if text::json(&mut Parser::new(), params.as_bytes()).is_some_and(|j| j.len() == params.len()) {
            add("params", params.as_bytes());
        }
    } else {
        match root.get("error").filter(|e| !e.is_null()) {
            Some(error) if error.is_object() => add("error", error.raw()),
            Some(error) => {
                let mut text = b"{\"code\":0,\"message\":".to_vec();
                let said = error.as_str().unwrap_or_else(|| error.raw_str());
                text.extend_from_slice(serde_json::to_string(&said).unwrap_or_default().as_bytes());
                text.push(b'}');
                add("error", &text);
            }
            None => add("result", b"{}"),
        }
    }
    out.push(b'}');
    out
}
