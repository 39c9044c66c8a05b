//! May a payload stand in a line of the trace as it came?
//!
//! Only if it is exactly one JSON value by the grammar of RFC 8259, in UTF-8, and holds no line feed. Everything that the
//! grammar allows is allowed: duplicate keys, `1e400`, lone surrogate escapes, any depth. This runs over every byte that
//! is recorded, so it makes nothing but the answer.

/// Whether `bytes` are one JSON value (blanks around it allowed) without a line feed.
pub fn is_one_value(bytes: &[u8]) -> bool {
    // A line feed is nowhere accepted below: in a string it is a control character, between tokens it is no blank of ours.
    std::str::from_utf8(bytes).is_ok_and(is_one_value_str)
}

/// The same for what is known to be UTF-8.
pub fn is_one_value_str(text: &str) -> bool {
    Check { b: text.as_bytes(), i: 0 }.value()
}

struct Check<'a> {
    b: &'a [u8],
    i: usize,
}

/// The kinds of the open brackets, one bit each, so that any depth costs an eighth of a byte a level.
#[derive(Default)]
struct Open {
    bits: Vec<u64>,
    now: u64,
    depth: usize,
}

impl Open {
    fn push(&mut self, object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.bits.push(self.now);
        }
        self.now = self.now << 1 | u64::from(object);
        self.depth += 1;
    }

    /// The kind of the innermost bracket that stays open, after one was closed.
    fn pop(&mut self) {
        self.depth -= 1;
        self.now >>= 1;
        if self.depth > 0
            && self.depth.is_multiple_of(64)
            && let Some(word) = self.bits.pop()
        {
            self.now = word;
        }
    }

    fn in_object(&self) -> bool {
        self.now & 1 == 1
    }
}

impl Check<'_> {
    fn peek(&mut self) -> Option<u8> {
        while let Some(&c) = self.b.get(self.i) {
            if !matches!(c, b' ' | b'\t' | b'\r') {
                return Some(c);
            }
            self.i += 1;
        }
        None
    }

    fn take(&mut self, want: u8) -> bool {
        let found = self.peek() == Some(want);
        self.i += usize::from(found);
        found
    }

    fn value(mut self) -> bool {
        let mut open = Open::default();
        loop {
            // A value begins here.
            let Some(c) = self.peek() else { return false };
            let fine = match c {
                b'{' => {
                    self.i += 1;
                    if !self.take(b'}') {
                        open.push(true);
                        if !self.key() {
                            return false;
                        }
                        continue;
                    }
                    true
                }
                b'[' => {
                    self.i += 1;
                    if !self.take(b']') {
                        open.push(false);
                        continue;
                    }
                    true
                }
                b'"' => self.string(),
                b't' => self.word(b"true"),
                b'f' => self.word(b"false"),
                b'n' => self.word(b"null"),
                _ => self.number(),
            };
            if !fine {
                return false;
            }
            // A value has ended here: what follows it?
            loop {
                if open.depth == 0 {
                    return self.peek().is_none();
                }
                let close = if open.in_object() { b'}' } else { b']' };
                match self.peek() {
                    Some(b',') => {
                        self.i += 1;
                        if open.in_object() && !self.key() {
                            return false;
                        }
                        break;
                    }
                    Some(c) if c == close => {
                        self.i += 1;
                        open.pop();
                    }
                    _ => return false,
                }
            }
        }
    }

    fn key(&mut self) -> bool {
        self.peek() == Some(b'"') && self.string() && self.take(b':')
    }

    fn string(&mut self) -> bool {
        self.i += 1;
        loop {
            self.plain();
            match self.b.get(self.i) {
                Some(b'"') => {
                    self.i += 1;
                    return true;
                }
                Some(b'\\') => match self.b.get(self.i + 1) {
                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.i += 2,
                    Some(b'u') => {
                        let digits = self.b.get(self.i + 2..self.i + 6);
                        if !digits.is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit)) {
                            return false;
                        }
                        self.i += 6;
                    }
                    _ => return false,
                },
                _ => return false,
            }
        }
    }

    /// Goes on to the next byte that is a quote, a backslash or a control character: in steps that a compiler makes into
    /// wide ones, then eight bytes a step.
    #[inline]
    fn plain(&mut self) {
        while let Some(block) = self.b.get(self.i..).and_then(|rest| rest.first_chunk::<64>()) {
            let hit = |c: &u8| *c == b'"' || *c == b'\\' || *c < b' ';
            if block.iter().fold(false, |any, c| any | hit(c)) {
                break;
            }
            self.i += 64;
        }
        const ONES: u64 = 0x0101_0101_0101_0101;
        const HIGH: u64 = 0x8080_8080_8080_8080;
        // A byte equal to `c` makes its high bit in this word; borrows may mark a byte too many behind the first hit only.
        let equal = |word: u64, c: u8| {
            let x = word ^ (ONES * u64::from(c));
            x.wrapping_sub(ONES) & !x
        };
        while let Some(word) = self.b.get(self.i..).and_then(|rest| rest.first_chunk::<8>()) {
            let word = u64::from_le_bytes(*word);
            let control = word.wrapping_sub(ONES * 0x20) & !word;
            let hits = (equal(word, b'"') | equal(word, b'\\') | control) & HIGH;
            if hits != 0 {
                self.i += (hits.trailing_zeros() / 8) as usize;
                return;
            }
            self.i += 8;
        }
        while let Some(&c) = self.b.get(self.i) {
            if c == b'"' || c == b'\\' || c < b' ' {
                return;
            }
            self.i += 1;
        }
    }

    fn word(&mut self, word: &[u8]) -> bool {
        let fine = self.b[self.i..].starts_with(word);
        self.i += word.len();
        fine
    }

    fn digits(&mut self) -> usize {
        let from = self.i;
        while self.b.get(self.i).is_some_and(u8::is_ascii_digit) {
            self.i += 1;
        }
        self.i - from
    }

    fn number(&mut self) -> bool {
        self.i += usize::from(self.b[self.i] == b'-');
        let zero = self.b.get(self.i) == Some(&b'0');
        let whole = self.digits();
        if whole == 0 || (zero && whole > 1) {
            return false;
        }
        if self.b.get(self.i) == Some(&b'.') {
            self.i += 1;
            if self.digits() == 0 {
                return false;
            }
        }
        if matches!(self.b.get(self.i), Some(b'e' | b'E')) {
            self.i += 1;
            self.i += usize::from(matches!(self.b.get(self.i), Some(b'+' | b'-')));
            return self.digits() > 0;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_the_grammar_allows() {
        let deep = format!("{}{}", "[{\"a\":".repeat(200) + "1", "}]".repeat(200));
        let deeper = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for text in [
            "{}",
            " [ ] ",
            "0",
            "-0",
            "1e400",
            "1.10",
            "-1.5E+7",
            "\"\\ud800\"",
            "null",
            "\ttrue\r",
            "\"\u{2028}\u{7f}é\"",
            r#"{"a":1,"a":[{"b":{}},[],"\u0041\/"]}"#,
            "{\"jsonrpc\":\"2.0\",\"id\":1}\r",
            &deep,
            &deeper,
        ] {
            assert!(is_one_value(text.as_bytes()), "{:.80}", text);
        }
    }

    #[test]
    fn what_it_does_not() {
        let wrong_close = format!("{}1{}", "[".repeat(130), "]".repeat(64) + "}" + &"]".repeat(65));
        for text in [
            "",
            " ",
            "{",
            "}",
            "[1,]",
            "{\"a\":1,}",
            "{\"a\"}",
            "{a:1}",
            "01",
            "+1",
            "1.",
            ".5",
            "1e",
            "-",
            "NaN",
            "tru",
            "nullx",
            "\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\t\"",
            "{}{}",
            "{} x",
            "[1 2]",
            "[}",
            "{\n}",
            "\n1",
            "\u{feff}{}",
            "\u{a0}1",
            &wrong_close,
        ] {
            assert!(!is_one_value(text.as_bytes()), "{:.80}", text);
        }
        assert!(!is_one_value(b"\"\xff\""));
        assert!(!is_one_value(b"\"\xed\xa0\x80\""));
    }

    proptest! {
        /// serde_json's raw value reads the same grammar; only the line feed is our own addition.
        #[test]
        fn agrees_with_serde(text in r#"[\[\]{}:," \\/u0-9aeE+.\-tfnrulsé\t]{0,24}"#) {
            let theirs = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
            prop_assert_eq!(is_one_value(text.as_bytes()), theirs, "{}", text);
        }

        #[test]
        fn agrees_with_serde_on_values(value in crate::format::native::tests::json(), cut in 0usize..400) {
            let text = value.to_string();
            prop_assert!(is_one_value(text.as_bytes()));
            if cut < text.len() && text.is_char_boundary(cut) {
                let part = &text[..cut];
                prop_assert_eq!(is_one_value(part.as_bytes()),
                    serde_json::from_str::<&serde_json::value::RawValue>(part).is_ok());
            }
        }
    }
}
