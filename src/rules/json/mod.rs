//! Rules inside the text of one message: syntax, encoding, numbers.

use super::rule::Rule;

/// The rules of this layer, by id.
pub static RULES: &[&Rule] = &[];
