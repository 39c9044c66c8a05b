//! Limits that a user may change (`defaults` of the catalogue; `mcpscope.toml`).

use std::sync::Arc;

use super::known::KnownTools;
use crate::mcp::Revision;
use crate::trace::Missing;

/// Limits and switches of the rules. Times in milliseconds, sizes in bytes.
#[derive(Clone, Debug)]
pub struct Options {
    /// Judge everything by this revision instead of what each message shows.
    pub revision: Option<Revision>,
    /// `request-slow`.
    pub slow_ms: i64,
    /// `request-abandoned`.
    pub min_wait_ms: i64,
    /// `json-too-deep`.
    pub max_depth: u32,
    /// `message-oversize`.
    pub max_bytes: usize,
    /// `content-large-blob`.
    pub blob_bytes: usize,
    /// `schema-too-complex`: depth.
    pub schema_max_depth: u32,
    /// `schema-too-complex`: number of subschemas.
    pub schema_max_subschemas: u32,
    /// `input-loop`.
    pub repeats: u32,
    /// `tool-error-text`.
    pub error_prefixes: Vec<String>,
    /// `schema-dialect-unsupported`.
    pub dialects: Vec<String>,
    /// Tools from outside the trace, for calls on a wire that shows no list.
    pub tools: Option<Arc<KnownTools>>,
    /// What the source of the trace does not hold: rules that need it are left out.
    pub missing: Missing,
}

impl Default for Options {
    fn default() -> Options {
        let all = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect();
        Options {
            revision: None,
            tools: None,
            missing: Missing::NONE,
            slow_ms: 10_000,
            min_wait_ms: 5_000,
            max_depth: 128,
            max_bytes: 1 << 20,
            blob_bytes: 262_144,
            schema_max_depth: 32,
            schema_max_subschemas: 1000,
            repeats: 2,
            error_prefixes: all(&["error:", "exception", "traceback (most recent call last)", "failed to ", "fatal:"]),
            dialects: all(&[
                "https://json-schema.org/draft/2020-12/schema",
                "https://json-schema.org/draft/2019-09/schema",
                "http://json-schema.org/draft-07/schema#",
            ]),
        }
    }
}
