//! Raw messages: JSON Lines as somebody tee'd them from a pipe, an array of messages, or messages one after the other.
//!
//! They have no directions and no times. Noise of a server's stdout, comments (`//`), CR LF and a torn last line occur. A
//! one-line array that stands alone is a list of messages; one among other lines is a batch of 2025-03-26.

use super::text::{self, LineOf};
use super::{Confidence, FaultKind, Format, Import, detect::Head};
use crate::trace::Missing;
use crate::wire::frame::Dir;
use crate::wire::json::{Parser, Value};

/// See the module.
pub(super) const FORMAT: Format =
    Format { name: "raw", about: "messages as JSON Lines or an array, without directions", detect, read };

fn detect(head: &Head<'_>) -> Confidence {
    let message = |v: Value<'_>| v.get("jsonrpc").is_some() || (v.get("id").is_some() && v.get("method").is_some());
    if head.object().is_some_and(message) {
        return Confidence::Likely;
    }
    let noisy = head.lines().any(|l| l.starts_with(b"{\"") && memchr::memmem::find(l, b"\"jsonrpc\"").is_some());
    if noisy { Confidence::Perhaps } else { Confidence::No }
}

fn read(bytes: &[u8], import: &mut Import) {
    import.excerpt = true;
    let mut parser = Parser::new();
    let mut filled = text::lines(bytes).filter(|l| l.text.iter().any(|c| *c > b' '));
    let (Some(first), second) = (filled.next(), filled.next()) else { return };
    let whole = text::json(&mut parser, first.text);
    let begins = first.text.trim_ascii_start().first();
    let split = whole.is_none() && matches!(begins, Some(b'{' | b'[')) && second.is_some();
    let list = second.is_none() && begins == Some(&b'[');
    if list || (split && second.is_none_or(|l| text::json(&mut parser, l.text).is_none())) {
        values(bytes, import);
    } else {
        lines(bytes, import);
    }
}

fn lines(bytes: &[u8], import: &mut Import) {
    let mut parser = Parser::new();
    for line in text::lines(bytes) {
        let at = super::import::At::line(line.number);
        let trimmed = line.text.trim_ascii_start();
        if trimmed.is_empty() || trimmed.starts_with(b"//") {
            continue;
        }
        let attempt = matches!(trimmed.first(), Some(b'{' | b'['));
        // What begins like a message may be one that was torn: its direction can be inferred all the same.
        let dir = if attempt && parser.parse(line.text).root().is_some() { None } else { Some(Dir::S2c) };
        import.line(at, dir, line.text, line.eol);
    }
}

/// Values over several lines, and arrays of messages.
fn values(bytes: &[u8], import: &mut Import) {
    let mut parser = Parser::new();
    let mut line_of = LineOf::new(bytes);
    let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    import.missing = import.missing | Missing::BYTES;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let skip = rest.iter().take_while(|c| **c <= b' ' || **c == b',').count();
        let rest = &rest[skip..];
        at += skip;
        if rest.is_empty() {
            return;
        }
        let doc = parser.parse_first(rest);
        let Some(root) = doc.root().filter(|_| doc.end() > 0 && matches!(rest[0], b'{' | b'[')) else {
            return import.fault(line_of.line(at), at, rest.len(), FaultKind::NoRecord("a JSON object or array"));
        };
        let incomplete = doc.faults().incomplete;
        let mut one = |value: Value<'_>| {
            if !value.is_open() {
                let line = line_of.line(at + value.span().start);
                import.value(super::import::At::line(line), None, value.raw());
            }
        };
        if root.is_array() {
            root.elements().for_each(&mut one);
        } else {
            one(root);
        }
        at += doc.end();
        if incomplete {
            return import.fault(line_of.line(at), at, 0, FaultKind::TornLast);
        }
    }
}
