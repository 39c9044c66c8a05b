//! What the facts of a session take from a message, once the rules have seen it.

use super::{Open, Session};
use crate::trace::message::Message;
use crate::wire::frame::Dir;

impl Session {
    /// A request was sent; `exchange` is the one that it began.
    pub fn note_request(&mut self, message: &Message<'_>, exchange: u32) {
        let _ = exchange;
        if message.dir == Dir::C2s {
            self.lists.note_request(message);
        }
    }

    /// A notification was sent.
    pub fn note_notification(&mut self, message: &Message<'_>) {
        if message.dir == Dir::S2c {
            self.lists.note_notification(message);
        }
    }

    /// The first answer to a request came: a result or an error.
    pub fn note_answer(&mut self, message: &Message<'_>, open: &Open) {
        if message.dir == Dir::S2c && message.env.result.is_some() {
            self.lists.note_result(message, open);
        }
    }
}
