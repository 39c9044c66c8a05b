//! What the facts of a session take from a message, once the rules have seen it.

use super::{Open, Session};
use crate::mcp::Method;
use crate::trace::message::Message;
use crate::wire::frame::Dir;
use crate::wire::id::Id;

/// Cancelled requests with late messages that are counted.
const MAX_LATE: usize = 100_000;

impl Session {
    /// A request was sent; `exchange` is the one that it began.
    pub fn note_request(&mut self, message: &Message<'_>, exchange: u32) {
        if message.dir != Dir::C2s {
            return;
        }
        let legacy = !message.revision().is_modern();
        if legacy && !matches!(message.method, Some(Method::Initialize | Method::Ping)) {
            if self.handshake.request.is_none() {
                self.worked_before_initialize.get_or_insert(message.record);
            }
            self.worked_before_initialized |= self.handshake.is_done() && self.handshake.initialized.is_none();
        }
        self.lists.note_request(message);
        self.subs.note_request(message, exchange);
        self.logs.note_request(message, exchange);
        self.probe.note_request(message);
    }

    /// A notification was sent.
    pub fn note_notification(&mut self, message: &Message<'_>) {
        // What is sent again after a resumption was counted when it came first.
        if message.replay {
            return;
        }
        if message.is(Method::Progress) {
            let token = message.params().and_then(|p| p.get("progressToken")).map(Id::read);
            let of = token.and_then(|t| self.tokens.get(message.dir.opposite(), &t.text)).map(|t| t.exchange);
            if let Some(exchange) = of.filter(|e| self.is_cancelled(*e)) {
                self.note_late(exchange);
            }
        }
        if message.dir == Dir::S2c {
            self.lists.note_notification(message);
            self.tasks.note(message, None);
            self.subs.note_notification(message);
            let sub = self.subs.named_by(message).map(|s| s.exchange);
            if let Some(exchange) = sub.filter(|e| self.is_cancelled(*e)) {
                self.note_late(exchange);
            }
        }
    }

    /// The first answer to a request came: a result or an error.
    pub fn note_answer(&mut self, message: &Message<'_>, open: &Open) {
        if open.cancelled.is_some() {
            self.note_late(open.exchange);
        }
        if message.dir != Dir::S2c {
            return;
        }
        if message.env.result.is_some() {
            self.lists.note_result(message, open);
            self.tasks.note(message, open.method);
            self.subs.note_result(open);
        }
        self.logs.note_answer(message, open);
        self.probe.note_answer(message, open);
    }

    /// Whether a request was cancelled: one that still may be answered, or one that was answered all the same.
    pub fn is_cancelled(&self, exchange: u32) -> bool {
        self.open(exchange).is_some_and(|o| o.cancelled.is_some()) || self.late.contains_key(&exchange)
    }

    /// Messages that came for a cancelled request after it was cancelled.
    pub fn late_messages(&self, exchange: u32) -> u32 {
        self.late.get(&exchange).copied().unwrap_or(0)
    }

    fn note_late(&mut self, exchange: u32) {
        if self.late.len() < MAX_LATE || self.late.contains_key(&exchange) {
            *self.late.entry(exchange).or_default() += 1;
        }
    }
}
