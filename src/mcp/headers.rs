//! The HTTP headers of the protocol: which mirror what of the body, and how values are written in them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::methods::Method;
use super::revision::Revision;

/// Version of the protocol; since 2025-06-18, and in 2026-07-28 on every POST.
pub const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// Session of the legacy Streamable HTTP transport.
pub const SESSION_ID: &str = "mcp-session-id";
/// Resumes an SSE stream (legacy).
pub const LAST_EVENT_ID: &str = "last-event-id";
/// Mirrors `method` (2026-07-28).
pub const METHOD: &str = "mcp-method";
/// Mirrors the name, uri or task id of the params (2026-07-28).
pub const NAME: &str = "mcp-name";
/// Begins the headers that mirror arguments of a tool (2026-07-28).
pub const PARAM_PREFIX: &str = "mcp-param-";
/// Annotation in a tool's `inputSchema` that asks for such a header.
pub const ANNOTATION: &str = "x-mcp-header";

const OPEN: &str = "=?base64?";
const CLOSE: &str = "?=";

/// The member of `params` that `Mcp-Name` mirrors; `None` where the method has no such header.
pub fn name_member(method: Method, revision: Revision) -> Option<&'static str> {
    if !revision.is_modern() {
        return None;
    }
    Some(match method {
        Method::ToolsCall | Method::PromptsGet => "name",
        Method::ResourcesRead => "uri",
        Method::TasksGet | Method::TasksUpdate | Method::TasksCancel => "taskId",
        _ => return None,
    })
}

/// Can the text stand in a header as it is? Printable ASCII and tab, no blank at either end, and not the look of an
/// encoded value.
pub fn is_plain(text: &str) -> bool {
    let blank = |c: u8| c == b' ' || c == b'\t';
    let b = text.as_bytes();
    b.iter().all(|c| matches!(c, 0x20..=0x7e | b'\t'))
        && !b.first().copied().is_some_and(blank)
        && !b.last().copied().is_some_and(blank)
        && !looks_encoded(text)
}

fn looks_encoded(text: &str) -> bool {
    text.len() >= OPEN.len() + CLOSE.len() && text.starts_with(OPEN) && text.ends_with(CLOSE)
}

/// Writes a value for `Mcp-Name` or `Mcp-Param-*`.
pub fn encode(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { format!("{OPEN}{}{CLOSE}", STANDARD.encode(text)) }
}

/// Why a header value cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueFault {
    /// Between the markers stands no standard Base64 with padding.
    Base64,
    /// It decodes to bytes that are not UTF-8.
    Utf8,
    /// A character that has to be encoded stands there plain.
    Character,
}

/// Reads a header value: blanks around it do not count, and the Base64 form is undone. The markers count only in
/// exactly their case.
pub fn decode(value: &str) -> Result<String, ValueFault> {
    let value = value.trim_matches([' ', '\t']);
    if looks_encoded(value) {
        let bytes = STANDARD.decode(&value[OPEN.len()..value.len() - CLOSE.len()]).map_err(|_| ValueFault::Base64)?;
        return String::from_utf8(bytes).map_err(|_| ValueFault::Utf8);
    }
    if value.bytes().all(|c| matches!(c, 0x20..=0x7e | b'\t')) {
        Ok(value.to_owned())
    } else {
        Err(ValueFault::Character)
    }
}

/// Can it name a header (a `token` of RFC 9110 section 5.6.2)? The rule for the value of `x-mcp-header`.
pub fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&c))
}

/// The largest integer that a mirrored argument may have, either way: 2^53 - 1.
pub const MAX_INTEGER: i64 = (1 << 53) - 1;

/// A session id may hold visible ASCII only.
pub fn is_session_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| matches!(c, 0x21..=0x7e))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn values_survive() {
        for (text, written) in [
            ("plain name", "plain name"),
            ("", ""),
            (" lead", "=?base64?IGxlYWQ=?="),
            ("größe", "=?base64?Z3LDtsOfZQ==?="),
            ("=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="),
            ("a\nb", "=?base64?YQpi?="),
            ("=?BASE64?eA==?=", "=?BASE64?eA==?="),
        ] {
            assert_eq!(encode(text), written);
            assert_eq!(decode(written).unwrap(), text);
        }
        assert_eq!(decode("add  ").unwrap(), "add");
        assert_eq!(decode("=?base64?eA?="), Err(ValueFault::Base64));
        assert_eq!(decode("=?base64?/w==?="), Err(ValueFault::Utf8));
        assert_eq!(decode("größe"), Err(ValueFault::Character));
        assert_eq!(decode("=?base64?=").unwrap(), "=?base64?=");
    }

    #[test]
    fn names() {
        assert!(is_token("Region") && is_token("x-1") && !is_token("") && !is_token("a b") && !is_token("a:b"));
        assert_eq!(name_member(Method::ResourcesRead, Revision::V2026_07_28), Some("uri"));
        assert_eq!(name_member(Method::ResourcesRead, Revision::V2025_11_25), None);
        assert_eq!(name_member(Method::ToolsList, Revision::V2026_07_28), None);
        assert!(is_session_id("a-1") && !is_session_id("a b") && !is_session_id(""));
    }
}
