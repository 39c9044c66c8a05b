//! The lines of a trace file.

use super::Mode;
use super::edit::{self, Edit};
use super::json::Found;
use super::pseudonym::{self, Form};
use super::text::Finder;
use crate::wire::json::{Parser, Value};

/// A private key over more lines than this is none.
const MAX_PEM_LINES: u32 = 400;

/// Where something was replaced.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// Line of the file, from 1.
    pub line: u32,
    /// JSON pointer in that line; empty for a line that is no JSON.
    pub pointer: String,
}

/// Something that was replaced. Never holds the value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Replaced {
    /// What it was: `github-token`, `email`.
    pub kind: String,
    /// Where.
    pub place: Place,
}

/// Sanitizes a trace line by line. For a whole file, [`Sanitizer::learn`] each line first: a secret that is known by its
/// surroundings in one place is then found without them in all others.
pub struct Sanitizer {
    mode: Mode,
    finder: Finder,
    line: u32,
    learning: bool,
    replaced: Vec<Replaced>,
    /// Streams (direction and connection) in the middle of a private key, and for how many lines.
    pem: Vec<(Vec<u8>, u32)>,
}

impl Sanitizer {
    /// A sanitizer for one file. With a `key` the numbers of replacements are the same in all files with that key.
    pub fn new(mode: Mode, key: Option<&[u8]>) -> Sanitizer {
        Sanitizer {
            mode,
            finder: Finder::new(mode, key),
            line: 0,
            learning: false,
            replaced: Vec::new(),
            pem: Vec::new(),
        }
    }

    /// Looks at a line (without its line feed) before any is sanitized.
    pub fn learn(&mut self, line: &[u8]) {
        self.finder.names.skip_to(pseudonym::highest(line));
        self.learning = true;
        let mut out = Vec::new();
        self.line(line, &mut out);
    }

    /// All lines have been learned.
    pub fn learned(&mut self) {
        self.finder.seal();
        self.learning = false;
        self.line = 0;
        self.replaced.clear();
        self.pem.clear();
    }

    /// Appends a line (without its line feed) with its secrets replaced. All else stays as it is.
    pub fn line(&mut self, line: &[u8], out: &mut Vec<u8>) {
        self.line += 1;
        self.finder.kinds.clear();
        if let Some(edits) = self.key_line(line) {
            edit::apply(line, &edits, out);
            return;
        }
        let mut found: Vec<Found> = Vec::new();
        let mut edits = self.finder.located(line, &mut found);
        self.finder.kinds.clear();
        if !self.learning {
            for Found { pointer, kinds } in found {
                let place = Place { line: self.line, pointer: self.shown(&pointer) };
                self.replaced.extend(
                    kinds.into_iter().map(|kind| Replaced { kind: pseudonym::slug(kind), place: place.clone() }),
                );
            }
        }
        self.mark(line, &mut edits);
        edit::apply(line, &edits, out);
    }

    /// What was replaced so far, in order.
    pub fn replaced(&self) -> &[Replaced] {
        &self.replaced
    }

    /// A key in a pointer may hold a secret itself.
    fn shown(&mut self, pointer: &str) -> String {
        let edits = self.finder.text(pointer.as_bytes(), 0);
        self.finder.kinds.clear();
        let mut out = Vec::new();
        edit::apply(pointer.as_bytes(), &edits, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// A private key that a program prints comes in many lines, each a frame of its own. Gives the edits of a line in
    /// the middle of one.
    fn key_line(&mut self, line: &[u8]) -> Option<Vec<Edit>> {
        let begins = memchr::memmem::find(line, b"PRIVATE KEY").is_some();
        if self.pem.is_empty() && !begins {
            return None;
        }
        let mut parser = Parser::new();
        let root = parser.parse(line).root()?;
        let text = root.get("text").or_else(|| root.get("raw")).filter(|v| v.is_string())?;
        let inner = text.inner()?;
        let stream =
            [root.get("dir").map(Value::raw).unwrap_or_default(), root.get("conn").map(Value::raw).unwrap_or_default()]
                .concat();
        let end = memchr::memmem::find(inner, b"-----END ").is_some();
        if let Some(at) = self.pem.iter().position(|(s, _)| *s == stream) {
            self.pem[at].1 += 1;
            let over = self.pem[at].1 > MAX_PEM_LINES || inner.contains(&b' ') && !inner.contains(&b':') && !end;
            if end || over {
                self.pem.swap_remove(at);
            }
            if over {
                return None;
            }
            if end || inner.is_empty() || pseudonym::is_replaced(inner) {
                return Some(Vec::new());
            }
            let place = Place { line: self.line, pointer: text.pointer() };
            if !self.learning {
                self.replaced.push(Replaced { kind: "private-key".into(), place });
            }
            let with = self.finder.names.name("private-key", inner, Form::Marked);
            let range = text.span();
            return Some(vec![Edit { range: range.start + 1..range.end - 1, with }]);
        }
        let opens = memchr::memmem::rfind(inner, b"-----BEGIN ").filter(|_| begins && !end);
        // In JSON the whole key stands in one message.
        if opens.is_some() && !inner.trim_ascii_start().starts_with(b"{") {
            self.pem.push((stream, 0));
        }
        None
    }

    /// Says in the header line that the trace is sanitized.
    fn mark(&mut self, line: &[u8], edits: &mut Vec<Edit>) {
        if memchr::memmem::find(&line[..line.len().min(4096)], b"\"mcpscope_trace\"").is_none() {
            return;
        }
        let mut parser = Parser::new();
        let doc = parser.parse(line);
        let Some(root) = doc.root().filter(|r| r.get("mcpscope_trace").is_some() && r.get("dir").is_none()) else {
            return;
        };
        let word = format!("\"{}\"", self.mode.as_str());
        match root.get("sanitized") {
            // What was sanitized more than this stays so.
            Some(said) if said.str_eq("values") || said.str_eq(self.mode.as_str()) => {}
            Some(said) => edits.push(Edit { range: said.span(), with: word.into_bytes() }),
            None => {
                let at = root.span().end.saturating_sub(1);
                let comma = if root.is_empty() { "" } else { "," };
                edits.push(Edit { range: at..at, with: format!("{comma}\"sanitized\":{word}").into_bytes() });
            }
        }
        edits.sort_by_key(|e| e.range.start);
    }
}
