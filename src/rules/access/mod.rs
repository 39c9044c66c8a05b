//! Rules of access and secrets.

use super::rule::Rule;

/// The rules of this layer, by id.
pub static RULES: &[&Rule] = &[];
