//! Places in messages: RFC 6901 pointers in which `*` stands for any one token. They name what lies below too.

use crate::wire::json::pointer;

/// A place, or many of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern(Vec<String>);

impl Pattern {
    /// Reads a pointer: empty, or beginning with `/`.
    pub fn parse(text: &str) -> Option<Pattern> {
        Some(Pattern(pointer::tokens(text)?.map(|t| t.into_owned()).collect()))
    }

    /// Whether a place is one of these, or below one.
    pub fn covers(&self, path: &[String]) -> bool {
        path.len() >= self.0.len() && self.0.iter().zip(path).all(|(p, t)| p == "*" || p == t)
    }

    /// Whether a place is above one of these.
    pub fn leads_to(&self, path: &[String]) -> bool {
        path.len() < self.0.len() && self.0.iter().zip(path).all(|(p, t)| p == "*" || p == t)
    }
}

/// A path as a pointer.
pub(super) fn text(path: &[String]) -> String {
    let mut out = String::new();
    path.iter().for_each(|t| pointer::push(&mut out, t));
    out
}

/// A path as a pointer, with `*` for positions.
pub(super) fn general(path: &[String]) -> String {
    let mut out = String::new();
    for token in path {
        pointer::push(&mut out, if pointer::array_index(token).is_some() { "*" } else { token });
    }
    out
}
