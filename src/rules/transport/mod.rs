//! Rules of stdio framing, process life, HTTP and SSE.

use super::rule::Rule;

/// The rules of this layer, by id.
pub static RULES: &[&Rule] = &[];
