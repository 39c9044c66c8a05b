//! Edits of bytes: ranges that do not overlap, each with what comes in its place.

use std::ops::Range;

/// One replacement. What comes in holds no quote, backslash or control character: it may stand in a JSON string as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Edit {
    /// What goes.
    pub range: Range<usize>,
    /// What comes.
    pub with: Vec<u8>,
}

/// Appends `bytes` with the edits made; they are sorted.
pub(super) fn apply(bytes: &[u8], edits: &[Edit], out: &mut Vec<u8>) {
    let mut from = 0;
    for edit in edits {
        out.extend_from_slice(&bytes[from..edit.range.start]);
        out.extend_from_slice(&edit.with);
        from = edit.range.end;
    }
    out.extend_from_slice(&bytes[from..]);
}

/// A JSON string's text with the place of each of its bytes in the source.
pub(super) struct Mapped {
    /// The text.
    pub text: Vec<u8>,
    /// For each byte of the text, and for its end, where it begins in the source.
    at: Vec<u32>,
}

impl Mapped {
    /// Unescapes the inside of a string.
    pub fn new(inner: &[u8]) -> Mapped {
        let mut text = Vec::with_capacity(inner.len());
        let mut at = Vec::with_capacity(inner.len() + 1);
        let mut i = 0;
        while i < inner.len() {
            let len = if inner[i] == b'\\' { escape_len(&inner[i..]) } else { 1 };
            if len == 1 {
                text.push(inner[i]);
            } else {
                crate::format::native::escape::unescape(&inner[i..i + len], &mut text);
            }
            at.resize(text.len(), i as u32);
            i += len;
        }
        at.push(inner.len() as u32);
        Mapped { text, at }
    }

    /// The range in the source. A range that begins or ends inside one escape takes the whole of it.
    pub fn source(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.at[range.start] as usize;
        let mut end = range.end;
        while end > 0 && end + 1 < self.at.len() && self.at[end] == self.at[end - 1] {
            end += 1;
        }
        start..self.at[end] as usize
    }
}

/// Length of the escape that a text begins with; a surrogate pair is one.
fn escape_len(bytes: &[u8]) -> usize {
    let is_unicode =
        |b: &[u8]| b.len() >= 6 && b[0] == b'\\' && b[1] == b'u' && b[2..6].iter().all(u8::is_ascii_hexdigit);
    if is_unicode(bytes) {
        let high = matches!(bytes[2], b'd' | b'D') && matches!(bytes[3], b'8' | b'9' | b'a' | b'A' | b'b' | b'B');
        let low = |b: &[u8]| is_unicode(b) && matches!(b[2], b'd' | b'D') && matches!(b[3], b'c'..=b'f' | b'C'..=b'F');
        return if high && low(&bytes[6..]) { 12 } else { 6 };
    }
    match bytes.get(1) {
        Some(b'n' | b'r' | b't' | b'b' | b'f' | b'"' | b'\\' | b'/') => 2,
        _ => 1,
    }
}
