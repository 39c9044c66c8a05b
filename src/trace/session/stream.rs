//! HTTP exchanges as they go on: heads, what was asked on them, how they ended.

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
    /// An event with an id came on it.
    pub has_event_id: bool,
    /// A `retry:` field came on it.
    pub has_retry: bool,
    /// How it ended.
    pub ended: Option<HttpEnd>,
}

impl Stream {
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
        let path = self.request.as_deref()?.path.as_deref()?;
        Some(path.split(['?', '#']).next().unwrap_or(path))
    }
}

/// The type of a Content-Type value without its parameters.
pub fn media_type(value: &str) -> &str {
    value.split(';').next().unwrap_or(value).trim()
}
