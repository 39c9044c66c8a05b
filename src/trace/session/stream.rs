//! HTTP exchanges as they go on: heads, what was asked on them, how they ended.

use crate::trace::record::NONE;
use crate::wire::frame::{Http, HttpEnd, Micros};

/// One HTTP exchange.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Its number.
    pub number: u32,
    /// Connection.
    pub conn: u32,
    /// Session of the request: index into the store's sessions.
    pub session: u32,
    /// When the request came.
    pub t: Micros,
    /// Request head.
    pub request: Option<Box<Http<'static>>>,
    /// Record of the request.
    pub request_record: u32,
    /// Number of bytes of the request's body.
    pub request_len: usize,
    /// Exchanges that were begun by its body.
    pub exchanges: Vec<u32>,
    /// Records of the messages in the request's body.
    pub messages: Vec<u32>,
    /// Response head.
    pub response: Option<Box<Http<'static>>>,
    /// Record of the response head.
    pub response_record: u32,
    /// Events (not comments) that came on it.
    pub events: u32,
    /// A `retry:` field came on it.
    pub has_retry: bool,
    /// Events that carried an id.
    pub event_ids: u32,
    /// How it ended.
    pub ended: Option<HttpEnd>,
    /// It belongs to the two-endpoint transport of 2024-11-05: a stream with an `endpoint` event, or a POST to the
    /// address that such an event announced.
    pub two_endpoints: bool,
    /// What came before it on its connection.
    pub before: Before,
}

/// What came before an HTTP request on its connection, as far as rules ask.
#[derive(Clone, Debug, Default)]
pub struct Before {
    /// Its path got a POST (this one counts): it is an MCP endpoint, not a metadata look-up.
    pub posted: bool,
    /// An earlier request to its path carried `Authorization`, and that was not refused.
    pub token: bool,
    /// It goes where the redirect of a POST pointed: record of that redirect.
    pub redirect: Option<u32>,
    /// Its session id was answered by 404 or ended by DELETE: record of that answer.
    pub expired: Option<u32>,
    /// The session that it belongs to has ended.
    pub session_over: bool,
    /// The address that the last `endpoint` event announced, for a POST that goes elsewhere.
    pub endpoint: Option<Box<str>>,
}

impl Stream {
    /// An exchange about which nothing is known.
    pub fn new(number: u32, conn: u32, session: u32, t: Micros) -> Stream {
        Stream {
            number,
            conn,
            session,
            t,
            request: None,
            request_record: NONE,
            request_len: 0,
            exchanges: Vec::new(),
            messages: Vec::new(),
            response: None,
            response_record: NONE,
            events: 0,
            has_retry: false,
            event_ids: 0,
            ended: None,
            two_endpoints: false,
            before: Before::default(),
        }
    }

    /// Whether the request's method is this one.
    pub fn is_method(&self, method: &str) -> bool {
        self.method().is_some_and(|m| m.eq_ignore_ascii_case(method))
    }

    /// The request's method (`POST`), upper case as sent.
    pub fn method(&self) -> Option<&str> {
        self.request.as_deref()?.method.as_deref()
    }

    /// A request header.
    pub fn request_header(&self, name: &str) -> Option<&str> {
        self.request.as_deref()?.header(name)
    }

    /// A response header.
    pub fn response_header(&self, name: &str) -> Option<&str> {
        self.response.as_deref()?.header(name)
    }

    /// The response's status.
    pub fn status(&self) -> Option<u16> {
        self.response.as_deref()?.status
    }

    /// Whether the response is an event stream.
    pub fn is_sse(&self) -> bool {
        self.response_header("content-type").is_some_and(|v| media_type(v).eq_ignore_ascii_case("text/event-stream"))
    }

    /// The path without its query.
    pub fn path(&self) -> Option<&str> {
        self.request.as_deref()?.path.as_deref().map(path_only)
    }

    /// Whether the response is JSON by its type.
    pub fn is_json(&self) -> bool {
        self.response_header("content-type").is_some_and(is_json_type)
    }
}

/// A request target without scheme and authority (some tools record whole URLs).
pub fn target(url: &str) -> &str {
    let Some(rest) = url.split_once("://").map(|(_, rest)| rest) else { return url };
    match rest.find(['/', '?', '#']) {
        Some(i) => &rest[i..],
        None => "/",
    }
}

/// The path of a request target: without scheme, authority, query and fragment.
pub fn path_only(url: &str) -> &str {
    let target = target(url);
    target.split(['?', '#']).next().unwrap_or(target)
}

/// Resolves a URI reference against the target of the request that it came from (RFC 3986 section 5.2, as far as
/// servers use it). The result has no scheme and authority.
pub fn resolve(base: &str, reference: &str) -> String {
    let reference = reference.trim().split('#').next().unwrap_or_default();
    let path = path_only(base);
    if reference.contains("://") || reference.starts_with('/') {
        return match reference.strip_prefix("//") {
            Some(rest) => rest.find('/').map_or("/", |i| &rest[i..]).to_owned(),
            None => target(reference).to_owned(),
        };
    }
    if reference.is_empty() || reference.starts_with('?') {
        return format!("{path}{reference}");
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    let (relative, query) = reference.split_at(reference.find('?').unwrap_or(reference.len()));
    for part in relative.split('/') {
        match part {
            "." => {}
            ".." => {
                if parts.len() > 1 {
                    parts.pop();
                }
            }
            part => parts.push(part),
        }
    }
    let mut out = parts.join("/");
    if !out.starts_with('/') {
        out.insert(0, '/');
    }
    out.push_str(query);
    out
}

/// Whether a Content-Type value says JSON.
pub fn is_json_type(value: &str) -> bool {
    let t = media_type(value);
    t.eq_ignore_ascii_case("application/json")
        || t.len() > 5 && t[t.len().saturating_sub(5)..].eq_ignore_ascii_case("+json")
}

/// The type of a Content-Type value without its parameters.
pub fn media_type(value: &str) -> &str {
    value.split(';').next().unwrap_or(value).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_resolve_against_the_stream() {
        for (base, reference, want) in [
            ("/sse", "/messages?s=1", "/messages?s=1"),
            ("/sse", "messages?s=1", "/messages?s=1"),
            ("/a/sse?x=1", "messages", "/a/messages"),
            ("/a/b/sse", "../messages", "/a/messages"),
            ("/sse", "?s=1", "/sse?s=1"),
            ("http://h:1/a/sse", "http://h:1/m?s=2#f", "/m?s=2"),
            ("/sse", "//h/m", "/m"),
            ("/", "../../m", "/m"),
        ] {
            assert_eq!(resolve(base, reference), want, "{base} {reference}");
        }
        assert_eq!(path_only("https://h/mcp?x#y"), "/mcp");
        assert_eq!(path_only("https://h"), "/");
        assert!(is_json_type("Application/JSON; charset=utf-8") && is_json_type("application/problem+json"));
        assert!(!is_json_type("text/html") && !is_json_type("json"));
    }
}
