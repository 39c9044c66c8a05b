//! Tokens of a document as a screen shows them: the wire's own text, made visible, with a kind for its colour.

use super::fit::{Fitted, fit_bytes};
use super::visible::Visible;
use super::{Kind, Value};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenKind {
    /// An object's key, with its quotes.
    Key,
    /// A string, with its quotes.
    String,
    /// A number.
    Number,
    /// `true`, `false` or `null`.
    Literal,
    /// Brackets, commas, colons and the blanks after them.
    Punct,
    /// Not on the wire: says how much is not shown.
    Note,
}

/// A piece of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token<'a> {
    /// For its colour.
    pub kind: TokenKind,
    /// Safe to print, with the places of substitutes.
    pub text: Visible<'a>,
    /// Columns that it takes.
    pub columns: usize,
}

/// Tokens of one line, no wider than was asked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tokens<'a> {
    /// From left to right.
    pub tokens: Vec<Token<'a>>,
    /// Columns used.
    pub columns: usize,
    /// Something did not fit.
    pub cut: bool,
    limit: usize,
}

impl<'a> Tokens<'a> {
    /// No tokens yet, and room for `columns`.
    pub fn new(columns: usize) -> Tokens<'a> {
        Tokens { limit: columns, ..Tokens::default() }
    }

    /// Whether more would be shown.
    pub fn is_full(&self) -> bool {
        self.cut || self.columns >= self.limit
    }

    /// Columns that are left.
    pub fn room(&self) -> usize {
        self.limit - self.columns
    }

    pub(super) fn punct(&mut self, text: &'static str) {
        self.bytes(TokenKind::Punct, text.as_bytes());
    }

    /// Adds text of the program's own.
    pub fn note(&mut self, text: &str) {
        let fitted = fit_bytes(text.as_bytes(), self.room());
        let owned = Visible { text: fitted.visible.text.into_owned().into(), marks: fitted.visible.marks };
        self.add(TokenKind::Note, Fitted { visible: owned, ..fitted });
    }

    /// Adds source bytes.
    pub fn bytes(&mut self, kind: TokenKind, bytes: &'a [u8]) {
        if self.cut || bytes.is_empty() {
            return;
        }
        if self.room() == 0 {
            self.cut = true;
            return;
        }
        let fitted = fit_bytes(bytes, self.room());
        let cut = fitted.cut;
        let rest = fitted.rest;
        self.add(kind, fitted);
        // How much is missing of a long value is worth more than its last few characters.
        if cut && rest > LONG && self.limit >= 40 {
            let note = |rest| format!(" {} bytes more", thousands(rest));
            let last = self.tokens.pop().map_or(0, |t| t.columns);
            self.columns -= last;
            // The count may get a digit and a comma longer by what makes room for it.
            let shorter = fit_bytes(bytes, self.room().saturating_sub(note(rest).len() + 2));
            let rest = shorter.rest;
            self.add(kind, shorter);
            self.note(&note(rest));
        }
        self.cut |= cut;
    }

    fn add(&mut self, kind: TokenKind, fitted: Fitted<'a>) {
        self.columns += fitted.columns;
        if fitted.columns > 0 {
            self.tokens.push(Token { kind, text: fitted.visible, columns: fitted.columns });
        }
    }

    /// Adds a value that has nothing below it.
    pub(super) fn scalar(&mut self, value: Value<'a>) {
        let kind = match value.kind() {
            Kind::String => TokenKind::String,
            Kind::Number => TokenKind::Number,
            Kind::Null | Kind::Bool => TokenKind::Literal,
            Kind::Array | Kind::Object => TokenKind::Punct,
        };
        self.bytes(kind, value.raw());
    }

    /// The text without kinds.
    pub fn text(&self) -> String {
        self.tokens.iter().map(|t| &*t.text.text).collect()
    }
}

/// Bytes that must be missing before it is said how many.
const LONG: usize = 200;

/// A value on one line, compact, up to `columns`: `{"city": "Oslo", "days": 3}`. Looks at no more than it shows.
pub fn inline(value: Value<'_>, columns: usize) -> Tokens<'_> {
    let mut out = Tokens::new(columns);
    let mut cursor = Some(Cursor::new(value));
    while let Some(at) = cursor {
        if out.is_full() {
            out.cut = true;
            break;
        }
        at.line(&mut out);
        if at.comma {
            out.punct(" ");
        }
        cursor = at.next();
    }
    out
}

/// A place in the pretty form of a value: one line of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    pub(super) value: Value<'a>,
    root: u32,
    /// The line of the closing bracket.
    pub(super) closing: bool,
    /// A comma follows.
    pub(super) comma: bool,
    pub(super) depth: u32,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(root: Value<'a>) -> Cursor<'a> {
        Cursor { value: root, root: root.node(), closing: false, comma: false, depth: 0 }
    }

    /// Continues from parts that were kept.
    pub(super) fn at(value: Value<'a>, root: u32, closing: bool, depth: u32) -> Cursor<'a> {
        let mut cursor = Cursor { value, root, closing, comma: false, depth };
        cursor.set_comma();
        cursor
    }

    pub(super) fn opens(&self) -> bool {
        !self.closing && self.value.kind().is_container() && !self.value.is_empty()
    }

    fn set_comma(&mut self) {
        let last = self.value.node() == self.root
            || self.value.parent().is_none_or(|p| self.value.next_node() >= p.next_node());
        self.comma = !last && (self.closing || !self.opens());
    }

    /// The next line; none after the root's last.
    pub(super) fn next(self) -> Option<Cursor<'a>> {
        let doc = self.value.doc();
        let (node, closing, depth) = if self.opens() {
            (self.value.node() + 1, false, self.depth + 1)
        } else if self.value.node() == self.root {
            return None;
        } else {
            let parent = self.value.parent()?;
            let next = self.value.next_node();
            if next < parent.next_node() { (next, false, self.depth) } else { (parent.node(), true, self.depth - 1) }
        };
        Some(Cursor::at(doc.node(node)?, self.root, closing, depth))
    }

    /// The tokens of the line, without indent.
    pub(super) fn line(&self, out: &mut Tokens<'a>) {
        let object = self.value.is_object();
        if self.closing {
            // A container that the payload does not close gets no bracket: it is not on the wire.
            if !self.value.is_open() {
                out.punct(if object { "}" } else { "]" });
            }
        } else {
            if let Some(key) = self.value.key().filter(|_| self.value.node() != self.root) {
                out.bytes(TokenKind::Key, key.raw());
                out.punct(": ");
            }
            match self.value.kind() {
                Kind::Object | Kind::Array if self.value.is_empty() && !self.value.is_open() => {
                    out.punct(if object { "{}" } else { "[]" });
                }
                Kind::Object => out.punct("{"),
                Kind::Array => out.punct("["),
                _ => out.scalar(self.value),
            }
        }
        if self.comma {
            out.punct(",");
        }
    }
}

/// A count with a comma after each three digits.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, d) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(d);
    }
    out
}
