//! Requests in flight, and how a response found its request.

use crate::mcp::Method;
use crate::trace::names::Sym;
use crate::trace::record::Judged;
use crate::wire::frame::{Dir, Micros};
use crate::wire::id::Id;

/// A request that waits for its answer, with what is needed to judge the answer.
#[derive(Clone, Debug)]
pub struct Open {
    /// Its exchange.
    pub exchange: u32,
    /// Its record.
    pub record: u32,
    /// Which way it went.
    pub dir: Dir,
    /// When.
    pub t: Micros,
    /// Its id.
    pub id: Id<'static>,
    /// Its method, if known.
    pub method: Option<Method>,
    /// Its method as sent.
    pub name: Sym,
    /// What it is about, see [`crate::trace::Message::target`].
    pub target: Option<Box<str>>,
    /// What it is judged by: its answer is judged by the same.
    pub judged: Judged,
    /// HTTP exchange that it came on, or `NONE`.
    pub stream: u32,
    /// Its own bytes, to be parsed again where a rule compares the answer with it.
    pub bytes: Box<[u8]>,
    /// The cancellation, once there is one.
    pub cancelled: Option<Cancelled>,
    /// Progress token, as JSON text.
    pub token: Option<Box<str>>,
    /// When something was last heard about it (progress, a log message on its stream).
    pub heard: Option<Micros>,
    /// It was sent after the other side had closed its output.
    pub after_eof: bool,
    /// Record of the end of its HTTP response stream.
    pub stream_ended: Option<u32>,
}

/// A cancellation on the wire.
#[derive(Clone, Copy, Debug)]
pub struct Cancelled {
    /// Record of the notification (or of the closed stream).
    pub record: u32,
    /// When.
    pub t: Micros,
}

/// How a message relates to the requests before it.
#[derive(Clone, Debug)]
pub enum Pairing {
    /// A notification or something that is paired with nothing.
    None,
    /// A request.
    Request {
        /// An exchange with the same id that is still in flight.
        in_flight: Option<u32>,
        /// An exchange with the same id that is finished.
        earlier: Option<u32>,
        /// The result that asked for input and that this request retries: index into `Session::waiting`.
        retry: Option<usize>,
    },
    /// A response.
    Response(Answer),
}

/// What a response answers.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The exchange, where one was found.
    pub exchange: Option<u32>,
    /// By what it was found.
    pub how: How,
    /// The request had been cancelled.
    pub late: bool,
}

/// By what a response found its request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// By its id.
    Id,
    /// By its id, which several requests in flight carry: a guess.
    Ambiguous,
    /// By its HTTP exchange; the id is another one or none.
    Stream,
    /// By its id's text: the type is another one.
    TypeChanged,
    /// It has no usable id, and only one request is in flight. Not paired on stdio; named as the reason there.
    Lost,
    /// It has no usable id and follows a message that wants no answer.
    AnsweredNotification {
        /// Record of that message.
        record: u32,
    },
    /// The request was answered already.
    Duplicate,
    /// An SSE event that was seen before.
    Replay,
    /// It answers a batch as a whole.
    Batch,
    /// It has no usable id and follows a text that a strict reader refuses: that is right.
    Refusal,
    /// It answers a notification that carried an id.
    NotificationWithId {
        /// Record of that notification.
        record: u32,
    },
    /// Nothing fits.
    Unknown,
}

impl Answer {
    /// An answer to nothing.
    pub fn unknown() -> Answer {
        Answer { exchange: None, how: How::Unknown, late: false }
    }

    /// Whether it really is (or may be) the answer that the request waited for.
    pub fn pairs(&self) -> bool {
        matches!(self.how, How::Id | How::Ambiguous | How::Stream | How::TypeChanged) && self.exchange.is_some()
    }
}
