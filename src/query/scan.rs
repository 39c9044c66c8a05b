//! The lexer: a cursor over the text of a query. What a piece is depends on where it stands (`12:03:04` is a value, and
//! `tool:search` a term), so the parser asks for what it needs.

use super::ast::{Op, Word, ends_word};

/// A cursor.
#[derive(Clone)]
pub(super) struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    pub fn new(text: &'a str) -> Scan<'a> {
        Scan { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Where it stands, in bytes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Column of a byte position, in characters from 1.
    pub fn column(&self, at: usize) -> usize {
        self.text[..at].chars().count() + 1
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    pub fn is_end(&self) -> bool {
        self.at == self.text.len()
    }

    pub fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    /// A keyword that is a whole word.
    pub fn keyword(&mut self, word: &str) -> bool {
        let rest = self.rest();
        let found = rest.get(..word.len()).is_some_and(|w| w.eq_ignore_ascii_case(word))
            && rest[word.len()..].chars().next().is_none_or(ends_word);
        if found {
            self.at += word.len();
        }
        found
    }

    /// An operator, if one stands here.
    pub fn op(&mut self) -> Option<Op> {
        let (op, text) = Op::ALL.into_iter().find(|(_, text)| self.rest().starts_with(text))?;
        self.at += text.len();
        Some(op)
    }

    /// A name: letters, digits, `_`, `-`, `.` and `$`, beginning with a letter or `_`.
    pub fn name(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let first = rest.chars().next()?;
        if !(first.is_alphabetic() || first == '_') {
            return None;
        }
        let end = rest.find(|c: char| !(super::path::is_plain(c) || c == '.')).unwrap_or(rest.len());
        self.at += end;
        Some(&rest[..end])
    }

    /// Characters that satisfy a test.
    pub fn run(&mut self, test: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !test(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Everything up to a blank, a parenthesis or a quote.
    pub fn bare(&mut self) -> &'a str {
        self.run(|c| !ends_word(c))
    }

    /// A text in quotes; the cursor stands on the first. `None` where the closing one is missing.
    pub fn quoted(&mut self) -> Option<Word> {
        if !self.eat('"') {
            return None;
        }
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += i + 1;
                    return Some(Word { text, quoted: true });
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => text.push('\n'),
                    Some('r') => text.push('\r'),
                    Some('t') => text.push('\t'),
                    Some(c @ ('"' | '\\')) => text.push(c),
                    // Kept as written, so that regular expressions need no second layer of escapes.
                    Some(c) => text.extend(['\\', c]),
                    None => return None,
                },
                c => text.push(c),
            }
        }
        None
    }

    pub fn back(&mut self, at: usize) {
        self.at = at;
    }
}
