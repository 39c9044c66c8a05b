//! Cutting text to terminal columns, never within a grapheme.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::visible::{Visible, visible, visible_bytes_marked, visible_marked};

/// The beginning of a text, cut to a number of terminal columns.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fitted<'a> {
    /// Safe to print, at most as wide as asked, with the ellipsis where it was cut.
    pub visible: Visible<'a>,
    /// Columns that it takes.
    pub columns: usize,
    /// Something did not fit; the text ends in `…`.
    pub cut: bool,
    /// Bytes of the source that are not shown.
    pub rest: usize,
}

/// Bytes of source that fill one column at worst: a character with all its marks, or joined emoji.
const BYTES_A_COLUMN: usize = 64;

/// Makes text visible and cuts it to `columns`, never within a grapheme. Looks only at as much of it as can be shown.
pub fn fit(text: &str, columns: usize) -> Fitted<'_> {
    let enough = columns.saturating_add(4).saturating_mul(BYTES_A_COLUMN);
    let head = if text.len() > enough { &text[..text.floor_char_boundary(enough)] } else { text };
    fit_visible(visible_marked(head), columns, text.len() - head.len())
}

/// Like [`fit`], of bytes.
pub fn fit_bytes(bytes: &[u8], columns: usize) -> Fitted<'_> {
    let enough = columns.saturating_add(4).saturating_mul(BYTES_A_COLUMN);
    let head = match bytes.get(..enough) {
        // A character that is cut here would look like broken bytes; it is beyond what is shown anyway.
        Some(head) => &head[..whole_chars(head)],
        None => bytes,
    };
    fit_visible(visible_bytes_marked(head), columns, bytes.len() - head.len())
}

/// Length without a character that is torn at the end.
fn whole_chars(bytes: &[u8]) -> usize {
    let tail = bytes.iter().rev().take(4).position(|b| b & 0xC0 != 0x80);
    match tail {
        Some(back) => {
            let start = bytes.len() - 1 - back;
            match std::str::from_utf8(&bytes[start..]) {
                Err(e) if e.error_len().is_none() => start,
                _ => bytes.len(),
            }
        }
        None => bytes.len(),
    }
}

/// Cuts visible text to `columns`; `more` bytes of the source follow what is given.
fn fit_visible(visible: Visible<'_>, columns: usize, more: usize) -> Fitted<'_> {
    let mut used = 0;
    // Where to cut so that the ellipsis still fits.
    let mut cut = (0, 0);
    let mut fits = more == 0;
    for (at, grapheme) in visible.text.grapheme_indices(true) {
        let width = grapheme.width();
        if used + width > columns {
            fits = false;
            break;
        }
        used += width;
        if used < columns {
            cut = (at + grapheme.len(), used);
        }
    }
    if fits {
        return Fitted { visible, columns: used, cut: false, rest: 0 };
    }
    let (keep, used) = cut;
    let rest = more + source_len(&visible, keep);
    if columns == 0 {
        return Fitted { columns: 0, cut: true, rest, ..Fitted::default() };
    }
    let mut text = visible.text.into_owned();
    text.truncate(keep);
    text.push('…');
    let mut marks = visible.marks;
    marks.retain_mut(|m| {
        m.end = m.end.min(keep);
        m.start < m.end
    });
    Fitted { visible: Visible { text: Cow::Owned(text), marks }, columns: used + 1, cut: true, rest }
}

/// Bytes of the source behind the part of the output from `from` on.
fn source_len(visible: &Visible<'_>, from: usize) -> usize {
    let substitutes = visible.marks.iter().filter(|m| m.start >= from).map(|m| {
        let text = &visible.text[m.clone()];
        let code = text.strip_prefix("\\u{").and_then(|t| t.strip_suffix('}'));
        let char = code.and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
        text.len() - char.map_or(1, char::len_utf8)
    });
    let extra: usize = substitutes.sum();
    visible.text.len() - from - extra
}

/// Columns that a text takes once it is visible.
pub fn width(text: &str) -> usize {
    visible(text).graphemes(true).map(UnicodeWidthStr::width).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cutting_keeps_graphemes_whole() {
        let cut = |text: &'static str, columns| {
            let f = fit(text, columns);
            (f.visible.text.into_owned(), f.columns, f.cut)
        };
        assert_eq!(cut("hello", 5), ("hello".into(), 5, false));
        assert_eq!(cut("hello", 4), ("hel…".into(), 4, true));
        assert_eq!(cut("日本語", 6), ("日本語".into(), 6, false));
        assert_eq!(cut("日本語", 5), ("日本…".into(), 5, true));
        assert_eq!(cut("日本語", 4), ("日…".into(), 3, true));
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 2), ("e\u{301}…".into(), 2, true));
        assert_eq!(cut("👩‍👩‍👧‍👦x", 2), ("…".into(), 1, true));
        assert_eq!(cut("👩‍👩‍👧‍👦", 2), ("👩‍👩‍👧‍👦".into(), 2, false));
        assert_eq!(cut("abc", 0), (String::new(), 0, true));
        assert_eq!(cut("", 0), (String::new(), 0, false));
        assert_eq!(cut("abc", 1), ("…".into(), 1, true));
    }

    #[test]
    fn what_is_not_shown_is_counted_in_bytes_of_the_source() {
        assert_eq!(fit("hello", 4).rest, 2);
        assert_eq!(fit("日本語", 4).rest, 6);
        assert_eq!(fit("ab\n\u{202E}\u{1b}c", 3).rest, 6);
        assert_eq!(fit_bytes(b"ab\xff\xffc", 3).rest, 3);
        assert_eq!(fit(&"x".repeat(100_000), 21).rest, 99_980);
    }

    #[test]
    fn cutting_looks_only_at_the_beginning() {
        let long = "ä".repeat(20_000_000);
        let started = std::time::Instant::now();
        let f = fit(&long, 80);
        assert_eq!((f.columns, f.cut), (80, true));
        let b = fit_bytes(long.as_bytes(), 80);
        assert_eq!(f, b);
        assert!(started.elapsed().as_millis() < 500, "{:?}", started.elapsed());
    }

    proptest! {
        #[test]
        fn fits_and_is_a_beginning(text in "\\PC{0,40}|[a\u{301}日👩\u{200d}\u{1b}]{0,40}", columns in 0usize..30) {
            let f = fit(&text, columns);
            let whole = visible(&text);
            let total: usize = whole.graphemes(true).map(UnicodeWidthStr::width).sum();
            prop_assert!(f.columns <= columns);
            prop_assert_eq!(f.visible.text.graphemes(true).map(UnicodeWidthStr::width).sum::<usize>(), f.columns);
            prop_assert_eq!(f.cut, total > columns);
            prop_assert_eq!(f.rest == 0, !f.cut || text.is_empty());
            let kept = f.visible.text.strip_suffix('…').filter(|_| f.cut).unwrap_or(&f.visible.text);
            prop_assert!(whole.starts_with(kept));
            for m in &f.visible.marks {
                prop_assert!(f.visible.text.get(m.clone()).is_some());
            }
        }

        #[test]
        fn any_bytes_fit(bytes in proptest::collection::vec(any::<u8>(), 0..100), columns in 0usize..40) {
            prop_assert!(fit_bytes(&bytes, columns).columns <= columns);
        }
    }
}
