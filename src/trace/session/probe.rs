//! What the answers so far have shown about the server's era, beyond a bare yes.

use super::open::Open;
use crate::mcp::{Method, errors, meta};
use crate::trace::message::Message;

/// Signs of a modern server, and of one that lacks a part.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    /// The newest error that only a modern server sends: its record and code.
    pub modern_error: Option<(u32, i64)>,
    /// A result that only a modern server sends has come.
    pub modern_result: bool,
    /// Record of a `server/discover` refused with "method not found", while nothing else shows a modern server.
    pub discover_refused: Option<u32>,
}

impl Probe {
    /// Whether a result is one that only a modern server writes.
    pub fn is_modern_result(message: &Message<'_>) -> bool {
        message.result().is_some_and(|r| {
            r.get("resultType").is_some() || r.get("_meta").is_some_and(|m| m.get(meta::SERVER_INFO).is_some())
        })
    }

    /// Notes `initialize`: a refused probe was that of an older server.
    pub fn note_request(&mut self, message: &Message<'_>) {
        if message.is(Method::Initialize) {
            self.discover_refused = None;
        }
    }

    /// Notes an answer of the server.
    pub fn note_answer(&mut self, message: &Message<'_>, open: &Open) {
        match message.env.error_code() {
            Some(code) if errors::is_modern_sign(code) => self.modern_error = Some((message.record, code)),
            Some(errors::METHOD_NOT_FOUND) if open.method == Some(Method::Discover) && !self.modern_result => {
                self.discover_refused = Some(message.record);
            }
            None if Probe::is_modern_result(message) => {
                self.modern_result = true;
                self.discover_refused = None;
            }
            _ => {}
        }
    }
}
