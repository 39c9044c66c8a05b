//! Rules inside the text of one message: syntax, encoding, numbers.

mod bom;

use super::rule::Rule;

/// The rules of this layer, by id.
pub static RULES: &[&Rule] = &[&bom::RULE];
