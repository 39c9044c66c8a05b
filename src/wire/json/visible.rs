//! Hostile text made visible: what a terminal would execute, reorder or hide is written out instead.
//!
//! Every byte of a payload that reaches a screen passes through here. Characters are written as `\n`, `\r`, `\t` or
//! `\u{1b}`, bytes that are no UTF-8 as `\xff`. Normal text stays as it is, in every script: joiners that Persian,
//! Indic scripts and emoji need are kept where they stand so, and shown anywhere else.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

/// Combining marks that may follow one character. Vietnamese, Hebrew and Tibetan need up to five or so.
const MARKS: usize = 8;
/// Joiners in one emoji sequence: the longest in use has three.
const JOINERS: usize = 8;

/// Text that is safe to print, with the places where something was written out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Visible<'a> {
    /// The text; borrowed where nothing had to change.
    pub text: Cow<'a, str>,
    /// Byte ranges of `text` that stand for something else, in order, so that a screen can style them.
    pub marks: Vec<Range<usize>>,
}

/// Makes text safe to print on one line.
pub fn visible(text: &str) -> Cow<'_, str> {
    visible_marked(text).text
}

/// Makes bytes safe to print on one line.
pub fn visible_bytes(bytes: &[u8]) -> Cow<'_, str> {
    visible_bytes_marked(bytes).text
}

/// Like [`visible`], and says which ranges of the output are written out.
pub fn visible_marked(text: &str) -> Visible<'_> {
    let mut out = Visible { text: Cow::Borrowed(""), marks: Vec::new() };
    append(&mut out, text);
    out
}

/// Like [`visible_bytes`], and says which ranges of the output are written out.
pub fn visible_bytes_marked(bytes: &[u8]) -> Visible<'_> {
    let mut out = Visible { text: Cow::Borrowed(""), marks: Vec::new() };
    for chunk in bytes.utf8_chunks() {
        append(&mut out, chunk.valid());
        for byte in chunk.invalid() {
            let text = out.text.to_mut();
            let start = text.len();
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
            out.marks.push(start..text.len());
        }
    }
    out
}

/// Whether [`visible`] would change the text.
pub fn is_hostile(text: &str) -> bool {
    !is_plain(text.as_bytes()) && Scan::new(text).next().is_some()
}

fn is_plain(bytes: &[u8]) -> bool {
    // Without an early end the loop becomes vector code.
    bytes.iter().fold(true, |plain, b| plain & matches!(b, 0x20..=0x7E))
}

fn append<'a>(out: &mut Visible<'a>, text: &'a str) {
    let mut done = 0;
    if !is_plain(text.as_bytes()) {
        for (at, c) in Scan::new(text) {
            let buffer = out.text.to_mut();
            buffer.push_str(&text[done..at]);
            let start = buffer.len();
            write_out(buffer, c);
            out.marks.push(start..buffer.len());
            done = at + c.len_utf8();
        }
    }
    if done == 0 && out.text.is_empty() {
        out.text = Cow::Borrowed(text);
    } else if done < text.len() {
        out.text.to_mut().push_str(&text[done..]);
    }
}

fn write_out(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        // Writing to a string cannot fail.
        _ => _ = write!(out, "\\u{{{:x}}}", c as u32),
    }
}

/// Finds the characters that have to be written out.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// The character before, if it is shown as it is.
    before: Option<char>,
    /// Marks since the last character that takes place.
    marks: usize,
    /// Joiners since the sequence began.
    joiners: usize,
    /// A flag made of tag characters goes up to here.
    flag_end: usize,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Scan<'a> {
        Scan { text, at: 0, before: None, marks: 0, joiners: 0, flag_end: 0 }
    }

    fn keeps(&mut self, at: usize, c: char) -> bool {
        let after = || self.text[at + c.len_utf8()..].chars().next();
        match class(c) {
            Class::Plain => {
                if c.width() == Some(0) {
                    self.marks += 1;
                    self.marks <= MARKS
                } else {
                    self.marks = 0;
                    if self.before != Some(ZWJ) {
                        self.joiners = 0;
                    }
                    if c == BLACK_FLAG {
                        self.flag_end = at + c.len_utf8() + flag_tags(&self.text[at + c.len_utf8()..]);
                    }
                    true
                }
            }
            Class::Joiner => {
                self.joiners += 1;
                self.joiners <= JOINERS && joins(self.before, c, after())
            }
            Class::Selector => selects(self.before, c),
            Class::Tag => at < self.flag_end,
            Class::Hostile => false,
        }
    }
}

impl Iterator for Scan<'_> {
    type Item = (usize, char);

    fn next(&mut self) -> Option<(usize, char)> {
        loop {
            let c = self.text[self.at..].chars().next()?;
            let at = self.at;
            self.at += c.len_utf8();
            if matches!(c, ' '..='~') {
                self.before = Some(c);
                self.marks = 0;
                self.joiners = 0;
            } else if self.keeps(at, c) {
                self.before = Some(c);
            } else {
                self.before = None;
                return Some((at, c));
            }
        }
    }
}

const ZWNJ: char = '\u{200C}';
const ZWJ: char = '\u{200D}';
const BLACK_FLAG: char = '\u{1F3F4}';

#[derive(PartialEq)]
enum Class {
    /// Shown as it is (combining marks up to a limit).
    Plain,
    /// Zero width joiner and non-joiner: depends on both neighbours.
    Joiner,
    /// Variation selectors: depend on the character before.
    Selector,
    /// Tag characters: only in the flags of England, Scotland and Wales.
    Tag,
    /// Written out wherever it stands.
    Hostile,
}

fn class(c: char) -> Class {
    match c {
        // Controls: C0, DEL, C1.
        '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' => Class::Hostile,
        ' '..='~' => Class::Plain,
        // Invisible: soft hyphen, grapheme joiner, fillers, Khmer inherent vowels, Mongolian separator, zero width space.
        '\u{AD}' | '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180E}' | '\u{200B}'
        | '\u{3164}' | '\u{FFA0}' => Class::Hostile,
        // Reorder the text around them: marks, embeddings, overrides, isolates.
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Class::Hostile,
        // Line and paragraph separator, word joiner and invisible operators, deprecated formats, byte-order mark.
        '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{206A}'..='\u{206F}' | '\u{FEFF}' => Class::Hostile,
        // Specials and annotations, shorthand and musical formats.
        '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' => Class::Hostile,
        ZWNJ | ZWJ => Class::Joiner,
        '\u{FE00}'..='\u{FE0F}' | '\u{180B}'..='\u{180D}' | '\u{180F}' | '\u{E0100}'..='\u{E01EF}' => Class::Selector,
        '\u{E0020}'..='\u{E007F}' => Class::Tag,
        '\u{E0000}'..='\u{E0FFF}' => Class::Hostile,
        // Private use: each terminal shows something else, of any width.
        '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFF}' => Class::Hostile,
        '\u{FDD0}'..='\u{FDEF}' => Class::Hostile,
        c if c as u32 & 0xFFFE == 0xFFFE => Class::Hostile,
        _ => Class::Plain,
    }
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21FF}'
        | '\u{2300}'..='\u{27BF}' | '\u{2900}'..='\u{297F}' | '\u{2B00}'..='\u{2BFF}' | '\u{3030}' | '\u{303D}'
        | '\u{3297}' | '\u{3299}' | '\u{1F000}'..='\u{1FAFF}')
}

/// Letters of scripts that join: Arabic, Syriac, N'Ko, Mongolian and the like, with their marks.
fn is_cursive(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{6FF}' | '\u{700}'..='\u{77F}' | '\u{7C0}'..='\u{8FF}' | '\u{1820}'..='\u{18AA}'
        | '\u{FB50}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

/// Letters and marks of the scripts of India, Sri Lanka, Tibet and South-East Asia.
fn is_indic(c: char) -> bool {
    matches!(c, '\u{900}'..='\u{DFF}' | '\u{E00}'..='\u{109F}' | '\u{1780}'..='\u{17B3}' | '\u{17B6}'..='\u{17FF}'
        | '\u{1900}'..='\u{1AFF}' | '\u{1B00}'..='\u{1CFF}' | '\u{A800}'..='\u{AADF}' | '\u{ABC0}'..='\u{ABFF}'
        | '\u{11000}'..='\u{11FFF}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{2FDF}' | '\u{3001}'..='\u{3002}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{FF01}'..='\u{FF1F}' | '\u{20000}'..='\u{3FFFD}')
}

/// Whether a joiner between these two is how the script is written.
fn joins(before: Option<char>, joiner: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    let emoji_before = is_emoji(before) || matches!(before, '\u{FE0F}' | '\u{20E3}');
    if joiner == ZWJ && emoji_before && after.is_some_and(is_emoji) {
        return true;
    }
    // A word may end in a joiner to show a letter's form: what follows must only be no other hidden character.
    let same = |script: fn(char) -> bool| script(before) && after.is_none_or(|c| script(c) || matches!(c, ' '..='~'));
    same(is_cursive) || same(is_indic)
}

/// Whether a variation selector after this character is a known use. Runs of selectors carry hidden data.
fn selects(before: Option<char>, selector: char) -> bool {
    let Some(before) = before else { return false };
    match selector {
        '\u{FE0E}' | '\u{FE0F}' => is_emoji(before) || matches!(before, '0'..='9' | '#' | '*'),
        '\u{FE00}'..='\u{FE0D}' => {
            is_ideograph(before)
                || matches!(before, '\u{2200}'..='\u{22FF}' | '\u{2A00}'..='\u{2AFF}' | '\u{1000}'..='\u{109F}')
        }
        '\u{180B}'..='\u{180F}' => matches!(before, '\u{1820}'..='\u{18AA}'),
        _ => is_ideograph(before),
    }
}

/// Length of the tags after a black flag that make it one of the three flags in use.
fn flag_tags(after: &str) -> usize {
    const LEN: usize = 6 * 4;
    let tags: String = after
        .chars()
        .take(6)
        .map(|c| (c as u32).wrapping_sub(0xE0000))
        .map(|c| if c < 0x80 { c as u8 as char } else { ' ' })
        .collect();
    if matches!(tags.as_str(), "gbeng\u{7F}" | "gbsct\u{7F}" | "gbwls\u{7F}") { LEN } else { 0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hostile_text_is_written_out() {
        for (text, want) in [
            ("a\nb\r\t", r"a\nb\r\t"),
            ("\u{1b}[31mred\u{1b}]52;c;Zm9v\u{7}", r"\u{1b}[31mred\u{1b}]52;c;Zm9v\u{7}"),
            ("\u{9b}31m\u{7f}\0", r"\u{9b}31m\u{7f}\u{0}"),
            ("user\u{202E}nimda\u{2066}x\u{2069}", r"user\u{202e}nimda\u{2066}x\u{2069}"),
            ("pay\u{200B}pal a\u{200D}b a\u{200C}b", r"pay\u{200b}pal a\u{200d}b a\u{200c}b"),
            ("\u{FEFF}x\u{2028}y\u{2029}z\u{AD}", r"\u{feff}x\u{2028}y\u{2029}z\u{ad}"),
            ("hi\u{E0041}\u{E0042}", r"hi\u{e0041}\u{e0042}"),
            ("\u{1F3F4}\u{E0041}\u{E0042}", "\u{1F3F4}\\u{e0041}\\u{e0042}"),
            ("x\u{FE01}\u{FE0F}\u{E0101}", r"x\u{fe01}\u{fe0f}\u{e0101}"),
            ("😀\u{FE0F}\u{FE0F}", "😀\u{FE0F}\\u{fe0f}"),
            ("\u{E0B0}\u{FFFE}\u{FDD0}\u{10FFFF}", r"\u{e0b0}\u{fffe}\u{fdd0}\u{10ffff}"),
            ("\u{200D}👩", "\\u{200d}👩"),
            ("👩\u{200D}\u{200D}👩", "👩\\u{200d}\\u{200d}👩"),
        ] {
            assert_eq!(visible(text), want, "{text:?}");
            assert!(is_hostile(text));
        }
    }

    #[test]
    fn normal_text_stays_as_it_is() {
        for text in [
            "plain ascii ~ \"quoted\" \\n",
            "Grüße, São Paulo, naïve, Ελλάδα, Привет, 日本語、中文，한국어",
            "👩‍👩‍👧‍👦 🏳️‍🌈 👨🏽‍💻 ❤️ 1️⃣ 🇳🇴 🏴󠁧󠁢󠁳󠁣󠁴󠁿 👁️‍🗨️ 🧑‍🚀",
            "می‌خواهم نمی‌شود",
            "क्‍ष श्री র‌্য ක්‍ෂ",
            "שָׁלוֹם عَلَيْكُمْ tiếng Việt e\u{301}",
            "葛\u{E0100}城 a\u{A0}b\u{2009}c",
            "\u{FFFD}",
        ] {
            let out = visible_marked(text);
            assert_eq!(out.text, text);
            assert!(matches!(out.text, Cow::Borrowed(_)) && out.marks.is_empty());
            assert!(!is_hostile(text));
        }
    }

    #[test]
    fn bytes_that_are_no_text() {
        let out = visible_bytes_marked(b"ok \xff\xfe \xc3 \xed\xa0\x80");
        assert_eq!(out.text, r"ok \xff\xfe \xc3 \xed\xa0\x80");
        assert_eq!(out.marks.len(), 6);
        assert_eq!(&out.text[out.marks[0].clone()], r"\xff");
        assert_eq!(visible_bytes(br#""\ud800""#), r#""\ud800""#);
    }

    #[test]
    fn marks_say_what_is_a_substitute() {
        let out = visible_marked("a\u{1b}b\u{202E}");
        assert_eq!(out.marks.iter().map(|m| &out.text[m.clone()]).collect::<Vec<_>>(), [r"\u{1b}", r"\u{202e}"]);
    }

    #[test]
    fn a_bomb_of_marks_is_capped() {
        let bomb = format!("a{}b", "\u{301}".repeat(1000));
        let out = visible(&bomb);
        assert_eq!(out.matches('\u{301}').count(), MARKS);
        assert_eq!(out.matches(r"\u{301}").count(), 1000 - MARKS);
        let joined = ["👩"; 100].join("\u{200D}");
        assert!(visible(&joined).contains(r"\u{200d}"));
    }

    proptest! {
        #[test]
        fn nothing_hostile_comes_out(text in "\\PC{0,40}|[\u{0}-\u{a0}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{fe00}-\u{fe0f}a👩\u{e0020}-\u{e007f}]{0,40}") {
            let out = visible(&text);
            prop_assert!(!out.chars().any(|c| class(c) == Class::Hostile), "{:?}", out);
            let again = visible(&out);
            prop_assert_eq!(&again, &out);
        }

        #[test]
        fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let out = visible_bytes_marked(&bytes);
            prop_assert!(!out.text.chars().any(|c| class(c) == Class::Hostile));
        }
    }
}
