//! Which log messages the client has asked for: with `logging/setLevel` before 2026-07-28, with each request since.

use std::collections::BTreeMap;

use super::open::Open;
use crate::mcp::levels::Level;
use crate::mcp::{Method, meta};
use crate::trace::message::Message;
use crate::wire::envelope::Envelope;
use crate::wire::json::{Document, Value};

/// Requests that are remembered; beyond it nothing is said about log messages.
const MAX: usize = 100_000;

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    /// The level of the last `logging/setLevel` that was answered with a result.
    pub level: Option<Level>,
    /// More requests than are remembered.
    pub forgetful: bool,
    asked: BTreeMap<u32, Option<Level>>,
}

impl Logs {
    /// The level that an unanswered request asked for in its `_meta`. The inner `None`: a level that nobody knows.
    pub fn of(&self, exchange: u32) -> Option<Option<Level>> {
        self.asked.get(&exchange).copied()
    }

    /// How many unanswered requests asked for log messages.
    pub fn count(&self) -> usize {
        self.asked.len()
    }

    /// All unanswered requests that asked for log messages.
    pub fn asked(&self) -> impl Iterator<Item = (u32, Option<Level>)> {
        self.asked.iter().map(|(e, l)| (*e, *l))
    }

    /// Notes a request of the client.
    pub fn note_request(&mut self, message: &Message<'_>, exchange: u32) {
        let Some(level) = message.env.params_meta().and_then(|m| m.get(meta::LOG_LEVEL)) else { return };
        if self.asked.len() >= MAX {
            self.forgetful = true;
            return;
        }
        self.asked.insert(exchange, level.as_str().as_deref().and_then(Level::parse));
    }

    /// Notes an answer of the server.
    pub fn note_answer(&mut self, message: &Message<'_>, open: &Open) {
        self.asked.remove(&open.exchange);
        if open.method == Some(Method::SetLevel) && message.env.result.is_some() {
            let request = Document::new(open.bytes.clone());
            let params = request.doc().root().and_then(|r| Envelope::read(r).params);
            let level = params.and_then(|p| p.get("level")).and_then(Value::as_str);
            self.level = level.as_deref().and_then(Level::parse).or(self.level);
        }
    }
}
