//! Breaks text and bytes into rows that fit a width.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::wire::json::visible::visible;

/// Byte ranges of the lines of a text, without their ends. An empty text has one empty line.
pub(super) fn lines_of(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut from = 0;
    let mut done = bytes.is_empty();
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        let rest = &bytes[from..];
        let (end, next) = match memchr::memchr(b'\n', rest) {
            Some(n) => (from + n, from + n + 1),
            None => (bytes.len(), bytes.len() + 1),
        };
        let cut = if bytes[from..end].ends_with(b"\r") { end - 1 } else { end };
        let range = from..cut.max(from);
        from = next;
        done = from >= bytes.len();
        Some(range)
    })
}

/// Breaks a line of text into ranges no wider than `width` columns once visible, at blanks where it can.
pub(super) fn wrap_text(text: &str, line: Range<usize>, width: usize, mut row: impl FnMut(Range<usize>)) {
    let slice = &text[line.clone()];
    if slice.len() <= width && slice.bytes().all(|b| (0x20..0x7f).contains(&b)) {
        row(line);
        return;
    }
    let (mut start, mut used) = (0, 0);
    let mut blank: Option<(usize, usize)> = None;
    for (at, grapheme) in slice.grapheme_indices(true) {
        let columns = match grapheme.as_bytes() {
            [b] if (0x20..0x7f).contains(b) => 1,
            _ => visible(grapheme).width(),
        };
        if used + columns > width && at > start {
            match blank.filter(|(b, _)| *b > start + (at - start) / 2) {
                Some((b, columns_after)) => {
                    row(line.start + start..line.start + b);
                    start = b;
                    used -= columns_after;
                }
                None => {
                    row(line.start + start..line.start + at);
                    start = at;
                    used = 0;
                }
            }
            blank = None;
        }
        used += columns;
        if grapheme == " " {
            blank = Some((at + 1, used));
        }
    }
    row(line.start + start..line.end);
}

/// The same as [`wrap_text`] for bytes as they came; never breaks a character.
pub(super) fn wrap_bytes(bytes: &[u8], line: Range<usize>, width: usize, mut row: impl FnMut(Range<usize>)) {
    let (mut at, mut start, mut used) = (line.start, line.start, 0);
    while at < line.end {
        let len = match bytes[at] {
            0x20..0x7f => 1,
            _ => char_len(&bytes[at..line.end]),
        };
        let columns = match bytes[at] {
            0x20..0x7f => 1,
            _ => crate::wire::json::visible_bytes(&bytes[at..at + len]).width().max(1),
        };
        if used + columns > width && at > start {
            row(start..at);
            start = at;
            used = 0;
        }
        used += columns;
        at += len;
    }
    row(start..line.end);
}

/// Length of the character that bytes begin with; 1 for what is none.
fn char_len(bytes: &[u8]) -> usize {
    let len = match bytes.first() {
        Some(0xC2..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF4) => 4,
        _ => 1,
    };
    if bytes.get(..len).is_some_and(|b| std::str::from_utf8(b).is_ok()) { len } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_at_blanks() {
        let text = "one two three four";
        let mut rows = Vec::new();
        wrap_text(text, 0..text.len(), 9, |r| rows.push(&text[r]));
        assert_eq!(rows, ["one two ", "three ", "four"]);
        let wide = "日本語日本語";
        let mut rows = Vec::new();
        wrap_text(wide, 0..wide.len(), 5, |r| rows.push(&wide[r]));
        assert_eq!(rows, ["日本", "語日", "本語"]);
    }
}
