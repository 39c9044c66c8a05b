//! Rules of who may do what, and of secrets on the wire.

use super::rule::Rule;

/// The rules of this layer, by id.
pub static RULES: &[&Rule] = &[];
