//! Multi round-trip requests (2026-07-28): results that ask for input and wait for the retry.

use crate::mcp::Method;
use crate::trace::message::Message;
use crate::wire::id::Id;
use crate::wire::json::Value;

/// An `input_required` result that no retry has followed yet, or the last one that a retry followed.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// The exchange whose result asks.
    pub exchange: u32,
    /// Record of that result.
    pub record: u32,
    /// Id of the request.
    pub id: Id<'static>,
    /// Its method.
    pub method: Option<Method>,
    /// What it is about.
    pub target: Option<Box<str>>,
    /// `requestState` as decoded text, if there is one.
    pub state: Option<Box<str>>,
    /// Keys of `inputRequests`.
    pub keys: Vec<Box<str>>,
    /// `inputRequests` as sent.
    pub requests: Box<[u8]>,
    /// The request's own bytes.
    pub request: Box<[u8]>,
    /// The exchange that retried it.
    pub retried_by: Option<u32>,
}

impl Waiting {
    /// Whether a request is the retry of it: the state comes back, or method and target are the same and the keys
    /// of `inputResponses` are among those asked for (spec of 2026-07-28, multi round-trip requests).
    pub fn is_retried_by(&self, message: &Message<'_>) -> bool {
        let Some(params) = message.params() else { return false };
        let state = params.get("requestState").and_then(Value::as_str);
        if let (Some(a), Some(b)) = (&self.state, &state) {
            if a.as_ref() == b.as_ref() {
                return true;
            }
        }
        let same = self.method == message.method && self.target.as_deref() == message.target().as_deref();
        let Some(responses) = params.get("inputResponses") else { return same && state.is_some() };
        same && (responses.is_empty()
            || responses.members().any(|(k, _)| self.keys.iter().any(|mine| k.eq(mine.as_ref()))))
    }
}
