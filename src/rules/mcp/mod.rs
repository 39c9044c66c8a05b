//! Rules of methods, shapes, `_meta`, lifecycle and capabilities.

use super::rule::Rule;

/// The rules of this layer, by id.
pub static RULES: &[&Rule] = &[];
