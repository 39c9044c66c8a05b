//! The filter of the list. What it is made of is behind [`Matcher::compile`] and [`Matcher::matches`] alone.

use crate::trace::{NONE, Row, Store};
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

/// A compiled filter.
#[derive(Clone, Debug)]
pub struct Matcher {
    needle: Vec<u8>,
}

impl Matcher {
    /// Reads a filter; `None` for one that is empty.
    ///
    /// # Errors
    /// The first fault, with its column.
    pub fn compile(text: &str) -> Result<Option<Matcher>, Fault> {
        let text = text.trim();
        Ok((!text.is_empty()).then(|| Matcher { needle: text.to_ascii_lowercase().into_bytes() }))
    }

    /// Whether a row matches: it, or anything that belongs to it. May read payloads.
    pub fn matches(&self, data: &Data<'_>, row: Row) -> bool {
        match row {
            Row::Loose(record) => self.in_record(data, record),
            Row::Exchange(e) => {
                let Some(e) = data.store.exchanges.get(e as usize) else { return false };
                let words = e.outcome.as_str().replace('_', " ");
                let name = |t: Option<&str>| t.is_some_and(|t| contains(t.as_bytes(), &self.needle));
                name(Some(&words))
                    || name(data.store.method_of(e))
                    || name(data.store.target_of(e))
                    || [e.request, e.response].into_iter().any(|r| r != NONE && self.in_record(data, r))
            }
        }
    }

    /// Whether one record matches.
    pub fn in_record(&self, data: &Data<'_>, record: u32) -> bool {
        data.message(record).is_ok_and(|bytes| contains(&bytes, &self.needle))
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

/// Words that may stand where this one was begun: names seen in the trace.
pub fn complete(word: &str, store: &Store) -> Vec<String> {
    let mut found: Vec<String> = store
        .names
        .iter()
        .filter(|n| n.len() < 80 && n.starts_with(word) && *n != word)
        .map(str::to_owned)
        .take(50)
        .collect();
    found.sort();
    found
}

/// A filter for a field of a row.
pub fn term(_field: &str, text: &str) -> String {
    text.to_owned()
}

/// A filter for a value in a message.
pub fn value_term(value: Value<'_>) -> String {
    value.as_str().unwrap_or_else(|| value.raw_str()).chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_case() {
        assert!(contains(b"xxTimeOut", b"timeout"));
        assert!(!contains(b"xxTimeOu", b"timeout"));
        assert!(contains(b"aab", b"ab"));
        assert!(contains(b"", b""));
    }
}
