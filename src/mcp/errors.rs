//! Error codes: their names by revision, and the ranges that are spoken for.

use super::revision::{Revision, Revisions};

/// JSON could not be parsed.
pub const PARSE_ERROR: i64 = -32700;
/// Not a valid request object.
pub const INVALID_REQUEST: i64 = -32600;
/// Unknown method, or its capability was not announced.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// Bad params: unknown tool, prompt, cursor, level or task; 2026-07-28 also missing `_meta` and unknown resource.
pub const INVALID_PARAMS: i64 = -32602;
/// Failure inside the receiver.
pub const INTERNAL_ERROR: i64 = -32603;
/// Resource not found, up to 2025-11-25; [`INVALID_PARAMS`] later.
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// URL elicitation required, 2025-11-25 only.
pub const URL_ELICITATION_REQUIRED: i64 = -32042;
/// HTTP headers missing, malformed or different from the body (2026-07-28).
pub const HEADER_MISMATCH: i64 = -32020;
/// The request needs a client capability that it did not declare (2026-07-28).
pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
/// The version of the request is not served (2026-07-28).
pub const UNSUPPORTED_VERSION: i64 = -32022;
/// The user rejected a sampling request: a convention of the legacy texts.
pub const USER_REJECTED: i64 = -1;

/// A code with a meaning.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// The number.
    pub code: i64,
    /// The name that the texts give it.
    pub name: &'static str,
    /// Where it has that meaning.
    pub revisions: Revisions,
    /// HTTP status that 2026-07-28 fixes for it, where it does.
    pub status: Option<u16>,
    /// Member of `data` that the revision asks for, if any.
    pub data: &'static [&'static str],
    /// What it says, for people.
    pub note: &'static str,
}

/// Every code that a revision names.
pub const CODES: &[Code] = &[
    code(PARSE_ERROR, "parse error", Revisions::ALL, None, &[], "the JSON could not be parsed"),
    code(INVALID_REQUEST, "invalid request", Revisions::ALL, None, &[], "not a valid request object"),
    code(
        METHOD_NOT_FOUND,
        "method not found",
        Revisions::ALL,
        Some(404),
        &[],
        "unknown method, or its capability was not announced",
    ),
    code(
        INVALID_PARAMS,
        "invalid params",
        Revisions::ALL,
        None,
        &[],
        "bad params: an unknown tool, prompt, cursor, level or task; in 2026-07-28 also missing _meta and an unknown resource",
    ),
    code(INTERNAL_ERROR, "internal error", Revisions::ALL, None, &[], "failure inside the receiver"),
    code(
        RESOURCE_NOT_FOUND,
        "resource not found",
        Revisions::LEGACY,
        None,
        &["uri"],
        "retired in 2026-07-28, which uses -32602",
    ),
    code(
        URL_ELICITATION_REQUIRED,
        "URL elicitation required",
        Revisions::of(&[Revision::V2025_11_25]),
        None,
        &["elicitations"],
        "the client does the URL elicitations listed in data first; retired in 2026-07-28",
    ),
    code(
        HEADER_MISMATCH,
        "header mismatch",
        Revisions::MODERN,
        Some(400),
        &[],
        "HTTP headers missing, malformed or different from the body",
    ),
    code(
        MISSING_CLIENT_CAPABILITY,
        "missing required client capability",
        Revisions::MODERN,
        Some(400),
        &["requiredCapabilities"],
        "the request needs a client capability that it did not declare",
    ),
    code(
        UNSUPPORTED_VERSION,
        "unsupported protocol version",
        Revisions::MODERN,
        Some(400),
        &["supported", "requested"],
        "the version of the request is not served",
    ),
    code(USER_REJECTED, "user rejected", Revisions::LEGACY, None, &[], "the user rejected a sampling request"),
];

const fn code(
    code: i64,
    name: &'static str,
    revisions: Revisions,
    status: Option<u16>,
    data: &'static [&'static str],
    note: &'static str,
) -> Code {
    Code { code, name, revisions, status, data, note }
}

/// What a number may mean in a revision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// It has a meaning there.
    Named(&'static str),
    /// It had one in another revision; the name it has there.
    Elsewhere(&'static str),
    /// A draft of 2026-07-28 used it for what is now this code.
    Draft(i64),
    /// -32000 to -32099 before 2026-07-28, or -32000 to -32019 in it: made up by an implementation; no meaning can be
    /// read into it.
    Implementation,
    /// -32020 to -32099 in 2026-07-28: only the specification may define them, and it has not.
    ReservedMcp,
    /// The rest of -32768 to -32000: reserved by JSON-RPC.
    ReservedJsonRpc,
    /// Outside: free for applications.
    Application,
}

/// The code's row, whatever the revision.
pub fn find(code: i64) -> Option<&'static Code> {
    CODES.iter().find(|c| c.code == code)
}

/// The name that a code has in this revision.
pub fn name(code: i64, revision: Revision) -> Option<&'static str> {
    find(code).filter(|c| c.revisions.has(revision)).map(|c| c.name)
}

/// What a number may mean in this revision.
pub fn class(code: i64, revision: Revision) -> Class {
    if let Some(known) = find(code) {
        return if known.revisions.has(revision) { Class::Named(known.name) } else { Class::Elsewhere(known.name) };
    }
    if revision.is_modern() {
        match code {
            -32001 => return Class::Draft(HEADER_MISMATCH),
            -32003 => return Class::Draft(MISSING_CLIENT_CAPABILITY),
            -32004 => return Class::Draft(UNSUPPORTED_VERSION),
            -32099..=-32020 => return Class::ReservedMcp,
            _ => {}
        }
    }
    match code {
        -32099..=-32000 => Class::Implementation,
        -32768..=-32000 => Class::ReservedJsonRpc,
        _ => Class::Application,
    }
}

/// The codes by which a server shows that it speaks 2026-07-28 or later.
pub fn is_modern_sign(code: i64) -> bool {
    matches!(code, HEADER_MISMATCH | MISSING_CLIENT_CAPABILITY | UNSUPPORTED_VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Revision::*;

    #[test]
    fn the_same_number_by_revision() {
        assert_eq!(class(-32002, V2025_06_18), Class::Named("resource not found"));
        assert_eq!(class(-32002, V2026_07_28), Class::Elsewhere("resource not found"));
        assert_eq!(class(-32021, V2025_11_25), Class::Elsewhere("missing required client capability"));
        assert_eq!(class(-32003, V2026_07_28), Class::Draft(-32021));
        assert_eq!(class(-32003, V2025_11_25), Class::Implementation);
        assert_eq!(class(-32050, V2026_07_28), Class::ReservedMcp);
        assert_eq!(class(-32050, V2025_11_25), Class::Implementation);
        assert_eq!(class(-32500, V2025_11_25), Class::ReservedJsonRpc);
        assert_eq!(class(404, V2026_07_28), Class::Application);
        assert_eq!(name(-32601, V2024_11_05), Some("method not found"));
        assert_eq!(name(-1, V2026_07_28), None);
    }

    #[test]
    fn codes_are_unique() {
        for (i, c) in CODES.iter().enumerate() {
            assert!(CODES[i + 1..].iter().all(|d| d.code != c.code));
        }
    }
}
