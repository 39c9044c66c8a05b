//! Lines of text files, and the JSON in them.

use super::{FaultKind, Import};
use crate::wire::frame::Eol;
use crate::wire::json::{Parser, Value};

/// One line of a file.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: u32,
    /// Offset of its first byte.
    pub offset: usize,
    /// Its bytes without the line end.
    pub text: &'a [u8],
    /// How it ended.
    pub eol: Eol,
}

/// The lines of a file, without a byte-order mark.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut number = 0;
    std::iter::from_fn(move || {
        if at >= bytes.len() {
            return None;
        }
        number += 1;
        let offset = at;
        let (text, eol) = match memchr::memchr(b'\n', &bytes[at..]) {
            Some(end) => {
                at += end + 1;
                let text = &bytes[offset..offset + end];
                match text.strip_suffix(b"\r") {
                    Some(text) => (text, Eol::CrLf),
                    None => (text, Eol::Lf),
                }
            }
            None => {
                at = bytes.len();
                (&bytes[offset..], Eol::None)
            }
        };
        Some(Line { number, offset, text, eol })
    })
}

/// The complete JSON object or array at the beginning of a text.
pub fn json<'t>(parser: &mut Parser, text: &'t [u8]) -> Option<&'t [u8]> {
    let skipped = text.iter().take_while(|c| matches!(c, b' ' | b'\t')).count();
    let text = &text[skipped..];
    if !matches!(text.first(), Some(b'{' | b'[')) {
        return None;
    }
    let doc = parser.parse_first(text);
    let whole = doc.root().is_some_and(|r| !r.is_open()) && !doc.faults().incomplete && doc.faults().syntax.is_none();
    whole.then(|| &text[..doc.end()])
}

/// Reads JSON Lines: hands on each line that is an object, and notes what is none.
pub fn json_lines(bytes: &[u8], import: &mut Import, mut each: impl FnMut(&mut Import, Line<'_>, Value<'_>)) {
    let mut parser = Parser::new();
    for line in lines(bytes) {
        if line.text.iter().all(|c| *c <= b' ') {
            continue;
        }
        let doc = parser.parse(line.text);
        match doc.root() {
            Some(root) if root.is_object() && !doc.faults().incomplete => each(import, line, root),
            _ => {
                let torn =
                    if line.eol == Eol::None { FaultKind::TornLast } else { FaultKind::NoRecord("a JSON object") };
                import.fault(line.number, line.offset, line.text.len(), torn);
            }
        }
    }
}

/// Reads a file that is one JSON document.
pub fn document(bytes: &[u8], import: &mut Import, each: impl FnOnce(&mut Import, Value<'_>, &mut LineOf<'_>)) {
    let mut parser = Parser::new();
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let doc = parser.parse_first(bytes);
    let mut line_of = LineOf::new(bytes);
    if let Some(root) = doc.root() {
        each(import, root, &mut line_of);
    }
    if doc.faults().incomplete {
        let line = line_of.line(bytes.len());
        import.fault(line, bytes.len(), 0, FaultKind::TornLast);
    }
}

/// Numbers of lines for offsets that come in rising order.
pub struct LineOf<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
}

impl<'a> LineOf<'a> {
    /// Of a file.
    pub fn new(bytes: &'a [u8]) -> LineOf<'a> {
        LineOf { bytes, at: 0, line: 1 }
    }

    /// The line of an offset; an offset before the last one gets that one's line.
    pub fn line(&mut self, offset: usize) -> u32 {
        let offset = offset.min(self.bytes.len());
        if offset > self.at {
            self.line += memchr::memchr_iter(b'\n', &self.bytes[self.at..offset]).count() as u32;
            self.at = offset;
        }
        self.line
    }
}

/// UTF-16 with a byte-order mark (PowerShell writes it) as UTF-8.
pub fn from_utf16(bytes: &[u8]) -> Option<Vec<u8>> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    Some(text.into_bytes())
}
