//! Rules of the envelope and of pairing.

mod jsonrpc_version;

use super::rule::Rule;

/// The rules of this layer, by id.
pub static RULES: &[&Rule] = &[&jsonrpc_version::RULE];
