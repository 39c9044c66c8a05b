//! The filter of the list: the query language, behind [`Matcher`] alone.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use crate::query::{EvalCx, Query, Scratch};
use crate::trace::Row;
use crate::wire::json::Value;

use super::data::Data;

/// Why a filter cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Column of the fault, in characters from 0.
    pub column: usize,
    /// What is wrong and what was expected.
    pub message: String,
}

/// A compiled filter. Copies share their buffers.
#[derive(Clone)]
pub struct Matcher {
    query: Rc<Query>,
    /// Buffers and indices, kept from one look to the next.
    scratch: Rc<RefCell<Option<Scratch>>>,
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Matcher({})", self.query)
    }
}

/// Asks about row after row in one look.
pub struct Asker<'a> {
    query: &'a Query,
    cx: EvalCx<'a>,
}

impl Asker<'_> {
    /// Whether a row matches: it, or anything that belongs to it. May read payloads.
    pub fn matches(&self, row: Row) -> bool {
        match row {
            Row::Loose(record) => self.query.matches_record(&self.cx, record),
            row => self.query.matches_row(&self.cx, row),
        }
    }
}

impl Matcher {
    /// Reads a filter; `None` for one that is empty.
    ///
    /// # Errors
    /// The first fault, with its column.
    pub fn compile(text: &str) -> Result<Option<Matcher>, Fault> {
        let query = Query::parse(text).map_err(|e| {
            let column = e.column.saturating_sub(1);
            let message = match (&e.nearest, e.expected.is_empty()) {
                (Some(near), _) => format!("{}; did you mean {near}?", e.message),
                (None, false) => format!("{}; expected {}", e.message, e.expected),
                (None, true) => e.message,
            };
            Fault { column, message }
        })?;
        Ok((!query.is_empty()).then(|| Matcher { query: Rc::new(query), scratch: Rc::default() }))
    }

    /// Asks about many rows.
    pub fn ask<R>(&self, d: &Data<'_>, with: impl FnOnce(&Asker<'_>) -> R) -> R {
        let scratch = self.scratch.borrow_mut().take().unwrap_or_default();
        let header = d.facts.header.as_ref();
        let host = header.and_then(|h| h.host.as_ref()).and_then(|h| h.name.as_deref());
        let created = header.and_then(|h| h.created.as_deref());
        let mut cx = EvalCx::new(d.store, Some(d.bytes)).with_scratch(scratch).with_origin(host, created);
        cx.live = d.facts.live;
        let asker = Asker { query: &self.query, cx };
        let answer = with(&asker);
        *self.scratch.borrow_mut() = Some(asker.cx.into_scratch());
        answer
    }
}

/// Whether bytes hold a text, in any case of its ASCII letters. The needle is lower case.
pub fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    let Some(&first) = needle.first() else { return true };
    let upper = first.to_ascii_uppercase();
    let mut from = 0;
    while let Some(at) = memchr::memchr2(first, upper, &bytes[from..]) {
        let start = from + at;
        match bytes.get(start..start + needle.len()) {
            Some(window) if window.eq_ignore_ascii_case(needle) => return true,
            Some(_) => from = start + 1,
            None => return false,
        }
    }
    false
}

/// A term of the query language for a field.
pub fn term(field: &str, text: &str) -> String {
    format!("{field} = {}", quoted(text))
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// A term for a value in a message: its path from `params`, `result` or `error` on, else its text.
pub fn value_term(value: Value<'_>) -> String {
    let mut steps = Vec::new();
    let mut at = value;
    while let Some(parent) = at.parent() {
        steps.push(match at.key() {
            Some(key) => {
                let key = key.as_str();
                let plain = !key.is_empty()
                    && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                    && !key.starts_with(|c: char| c.is_ascii_digit());
                if plain { format!(".{key}") } else { format!("[{}]", quoted(&key)) }
            }
            None => format!("[{}]", at.position().unwrap_or(0)),
        });
        at = parent;
    }
    steps.reverse();
    let path = steps.concat();
    let path = path.strip_prefix('.').unwrap_or(&path);
    let known = ["params", "result", "error"].iter().any(|root| path.starts_with(root));
    let short = value.raw().len() < 200 && !value.kind().is_container();
    match (known, short) {
        (true, true) => {
            let text = value.as_str().map_or_else(|| value.raw_str().into_owned(), |s| quoted(&s));
            format!("{path} = {text}")
        }
        _ => quoted(&value.as_str().unwrap_or_else(|| value.raw_str()).chars().take(80).collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::wire::json::Document;

    #[test]
    fn any_case() {
        assert!(contains(b"xxTimeOut", b"timeout"));
        assert!(!contains(b"xxTimeOu", b"timeout"));
        assert!(contains(b"aab", b"ab"));
        assert!(contains(b"", b""));
    }

    #[test]
    fn terms_from_values_are_read_again() {
        let doc = Document::new(&br#"{"params":{"arguments":{"city":"O \"x\"","odd name":[1]}}}"#[..]);
        let root = doc.doc().root().unwrap();
        let term = value_term(root.at("/params/arguments/city").unwrap());
        assert_eq!(term, r#"params.arguments.city = "O \"x\"""#);
        assert!(Matcher::compile(&term).is_ok());
        let term = value_term(root.at("/params/arguments/odd name/0").unwrap());
        assert_eq!(term, r#"params.arguments["odd name"][0] = 1"#);
        assert!(Matcher::compile(&term).is_ok());
        assert!(Matcher::compile(&super::term("tool", "a\"b")).is_ok());
    }
}
