//! Making a trace safe to share.
//!
//! A [`Sanitizer`] takes the lines of a trace file one by one and gives them back with the secrets replaced. Only the
//! bytes of a secret are cut out: everything else, the spelling of numbers and the order of keys included, stays byte for
//! byte, so that what the analysis says of the trace stays the same.
//!
//! A replacement is `<<secret:KIND:N>>`; inside a URL, a path or an e-mail address `secret-KIND-N`, which is allowed there.
//! `N` counts the secrets of the file in the order of their first appearance: equal values stay equal, and nothing can be
//! learned from it about the value. With a key, `N` is taken from a keyed hash of the value, so that it stays equal across
//! files too. What is replaced already is left alone.

mod assign;
mod credential;
mod edit;
mod json;
mod keys;
mod known;
mod line;
mod pseudonym;
mod text;
mod values;

pub use line::{Place, Replaced, Sanitizer};

/// How much goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mode {
    /// Tokens, keys, passwords, cookies, private keys, e-mail addresses and the names in home paths.
    Secrets,
    /// Also every value in arguments and content: a placeholder of the same type, length and shape stands in its place.
    Values,
}

impl Mode {
    /// The word in the trace's header and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Secrets => "secrets",
            Mode::Values => "values",
        }
    }
}
