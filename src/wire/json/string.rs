//! The inside of JSON strings: escapes, comparison without allocation, decoding.

use std::borrow::Cow;

/// A run of a string's inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece<'a> {
    /// Bytes as they are.
    Text(&'a [u8]),
    /// An escape that stands for a character.
    Char(char),
    /// A surrogate escape without its other half: no character.
    Lone(u16, &'a [u8]),
    /// A backslash that begins no escape of RFC 8259, as written.
    Bad(&'a [u8]),
}

/// Runs of the inside of a string (without its quotes).
#[derive(Clone, Debug)]
pub struct Pieces<'a> {
    rest: &'a [u8],
    offset: usize,
}

/// Takes the inside of a string apart.
pub fn pieces(inner: &[u8]) -> Pieces<'_> {
    Pieces { rest: inner, offset: 0 }
}

impl Pieces<'_> {
    /// Offset in the inside of the piece that comes next.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let rest = self.rest;
        let (piece, len) = match *rest.first()? {
            b'\\' => escape(rest),
            _ => {
                let len = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
                (Piece::Text(&rest[..len]), len)
            }
        };
        self.rest = &rest[len..];
        self.offset += len;
        Some(piece)
    }
}

/// Reads the escape at the start of `text` (a backslash), with its length. A surrogate pair is one escape.
pub fn escape(text: &[u8]) -> (Piece<'_>, usize) {
    let simple = match text.get(1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape(text),
        // A quote cannot follow here in a string that is whole; a lone backslash may end a torn one.
        Some(c) if c.is_ascii() => return (Piece::Bad(&text[..2]), 2),
        _ => return (Piece::Bad(&text[..1]), 1),
    };
    (Piece::Char(simple), 2)
}

fn unicode_escape(text: &[u8]) -> (Piece<'_>, usize) {
    let Some(unit) = hex4(text) else { return (Piece::Bad(&text[..2]), 2) };
    if let Some(c) = char::from_u32(u32::from(unit)) {
        return (Piece::Char(c), 6);
    }
    if unit < 0xDC00
        && let Some(low) = text.get(6..).and_then(hex4)
        && (0xDC00..0xE000).contains(&low)
        && let Some(c) = char::from_u32(0x10000 + ((u32::from(unit) - 0xD800) << 10) + (u32::from(low) - 0xDC00))
    {
        return (Piece::Char(c), 12);
    }
    (Piece::Lone(unit, &text[..6]), 6)
}

/// The code unit of `\uXXXX` at the start of `text`.
fn hex4(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.first_chunk::<4>()?;
    let mut unit = 0u16;
    for &d in digits {
        unit = unit << 4 | (d as char).to_digit(16)? as u16;
    }
    Some(unit)
}

/// The text of a string's inside: borrowed where nothing is escaped and all is UTF-8; what is no character becomes U+FFFD.
pub fn decode(inner: &[u8], escaped: bool) -> Cow<'_, str> {
    if !escaped {
        // Nearly all text is whole: the strict check is several times faster than the one that mends.
        return match std::str::from_utf8(inner) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(inner),
        };
    }
    let mut out = String::with_capacity(inner.len());
    for piece in pieces(inner) {
        match piece {
            Piece::Char(c) => out.push(c),
            Piece::Lone(..) => out.push('\u{FFFD}'),
            Piece::Text(t) | Piece::Bad(t) => out.push_str(&String::from_utf8_lossy(t)),
        }
    }
    Cow::Owned(out)
}

/// The unescaped bytes, distinct for distinct strings: broken UTF-8 stays, a lone surrogate is three bytes as UTF-8 would.
pub fn decode_bytes(inner: &[u8], out: &mut Vec<u8>) {
    for piece in pieces(inner) {
        match piece {
            Piece::Char(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Piece::Lone(u, _) => {
                out.extend_from_slice(&[0xE0 | (u >> 12) as u8, 0x80 | (u >> 6 & 0x3F) as u8, 0x80 | (u & 0x3F) as u8]);
            }
            Piece::Text(t) | Piece::Bad(t) => out.extend_from_slice(t),
        }
    }
}

/// Whether a string's inside stands for `text`, as [`decode`] has it; compares without allocation.
pub fn equals(inner: &[u8], escaped: bool, text: &str) -> bool {
    // What is no character decodes to U+FFFD: only a text that has one can equal something broken.
    equals_whole(inner, escaped, text) || (text.contains('\u{FFFD}') && decode(inner, escaped) == text)
}

/// Like [`equals`], but broken text equals nothing.
pub(super) fn equals_whole(inner: &[u8], escaped: bool, text: &str) -> bool {
    let mut rest = text.as_bytes();
    if !escaped {
        return inner == rest;
    }
    // No escape makes more bytes than it takes (`\uXXXX` six for at most three, a pair twelve for four).
    if inner.len() < rest.len() {
        return false;
    }
    for piece in pieces(inner) {
        let mut buf = [0; 4];
        let part = match piece {
            Piece::Char(c) => c.encode_utf8(&mut buf).as_bytes(),
            Piece::Text(t) | Piece::Bad(t) => t,
            Piece::Lone(..) => return false,
        };
        match rest.strip_prefix(part) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.is_empty()
}
