//! Request ids: the JSON text and its type, because `7`, `7.0` and `"7"` are three different ids on the wire.

use std::borrow::Cow;
use std::fmt;

use super::json::{Kind, Value};

/// What kind of JSON value stands where an id belongs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IdKind {
    /// A number. MCP wants an integer; `1.5` is one here too and a rule says more.
    Number,
    /// A string.
    String,
    /// `null`, which JSON-RPC tolerates and MCP forbids for requests.
    Null,
    /// A boolean, array or object.
    Other,
}

/// An id as it stood on the wire.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Id<'a> {
    /// Its JSON type.
    pub kind: IdKind,
    /// Its JSON text: `7`, `"7"`, `null`. Escapes in strings are normalised, so that equal ids have equal texts.
    pub text: Cow<'a, str>,
}

impl<'a> Id<'a> {
    /// Reads an id from a JSON value.
    pub fn read(value: Value<'a>) -> Id<'a> {
        let kind = match value.kind() {
            Kind::Number => IdKind::Number,
            Kind::String => IdKind::String,
            Kind::Null => IdKind::Null,
            Kind::Bool | Kind::Array | Kind::Object => IdKind::Other,
        };
        let raw = value.raw();
        let text = match std::str::from_utf8(raw) {
            Ok(text) if kind != IdKind::String || !raw.contains(&b'\\') => Cow::Borrowed(text),
            _ if kind == IdKind::String => Cow::Owned(quote(&value.as_str().unwrap_or_default())),
            _ => String::from_utf8_lossy(raw),
        };
        Id { kind, text }
    }

    /// The value as a canonical integer (`7`, not `7.0` nor `07`), which most ids are.
    pub fn as_integer(&self) -> Option<i64> {
        if self.kind != IdKind::Number {
            return None;
        }
        let n: i64 = self.text.parse().ok()?;
        (self.text.len() <= 20 && !self.text.starts_with('+') && !self.text.starts_with("-0")).then_some(n)
    }

    /// Whether the two would be equal if their types were ignored: `1` and `"1"`.
    pub fn same_but_type(&self, other: &Id<'_>) -> bool {
        self.kind != other.kind && self.text.trim_matches('"') == other.text.trim_matches('"')
    }

    /// Whether a response can be paired by it.
    pub fn is_usable(&self) -> bool {
        matches!(self.kind, IdKind::Number | IdKind::String)
    }

    /// Copies the text.
    pub fn into_owned(self) -> Id<'static> {
        Id { kind: self.kind, text: Cow::Owned(self.text.into_owned()) }
    }
}

impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn quote(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
