//! Rules of tools: names, schemas, arguments, results.

use super::rule::Rule;

/// The rules of this layer, by id.
pub static RULES: &[&Rule] = &[];
