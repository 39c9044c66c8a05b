//! Exchanges: a request with what belongs to it, or a message that stands alone.

use crate::wire::frame::Dir;

use super::record::NONE;

/// How an exchange stands. The words are the same in every output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// Answered with a result.
    Ok,
    /// Answered with a result whose `isError` is true.
    ToolError,
    /// Answered with a JSON-RPC error.
    ProtocolError,
    /// Answered with `resultType: "input_required"` (2026-07-28).
    InputRequired,
    /// Cancelled by its sender and not answered.
    Cancelled,
    /// Refused by an HTTP status without a JSON-RPC reply.
    Refused,
    /// The wire ended and no answer came.
    Unanswered,
    /// In flight.
    Pending,
    /// A subscription, open by design.
    Open,
    /// No request: a notification.
    Notification,
    /// No request: a response to nothing.
    Orphan,
    /// No request: bytes that are no message.
    Unreadable,
}

impl Outcome {
    /// The word in JSON output and in the query language.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::ToolError => "tool_error",
            Outcome::ProtocolError => "protocol_error",
            Outcome::InputRequired => "input_required",
            Outcome::Cancelled => "cancelled",
            Outcome::Refused => "refused",
            Outcome::Unanswered => "unanswered",
            Outcome::Pending => "pending",
            Outcome::Open => "open",
            Outcome::Notification => "notification",
            Outcome::Orphan => "orphan",
            Outcome::Unreadable => "unreadable",
        }
    }

    /// All outcomes, for completion and help.
    pub const ALL: [Outcome; 12] = [
        Outcome::Ok,
        Outcome::ToolError,
        Outcome::ProtocolError,
        Outcome::InputRequired,
        Outcome::Cancelled,
        Outcome::Refused,
        Outcome::Unanswered,
        Outcome::Pending,
        Outcome::Open,
        Outcome::Notification,
        Outcome::Orphan,
        Outcome::Unreadable,
    ];

    /// Whether it waits for an answer.
    pub fn is_open(self) -> bool {
        matches!(self, Outcome::Pending | Outcome::Open)
    }
}

/// Flags beside the outcome.
pub mod flags {
    /// The answer came after the request was cancelled.
    pub const LATE: u8 = 1;
    /// Answered more than once.
    pub const DUPLICATE: u8 = 2;
    /// The pairing is a guess (an id in use twice, an id that changed its type, an id that was lost).
    pub const GUESSED: u8 = 4;
    /// The answer was cut off by the end of the stream.
    pub const CUT: u8 = 8;
}

/// One exchange. Its number in outputs (`#`) is its index plus 1.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// Record of the request, notification or lone message; an orphan has none.
    pub request: u32,
    /// Record of the (first) response.
    pub response: u32,
    /// An older exchange with the same id in the same direction and session.
    pub same_id: u32,
    /// The exchange that this one continues (a retry after `input_required`).
    pub retry_of: u32,
    /// The exchange that continues this one.
    pub retried_by: u32,
    /// The request that a notification belongs to (progress, cancellation, messages of a subscription).
    pub parent: u32,
    /// Record of the cancellation.
    pub cancelled_by: u32,
    /// How it stands.
    pub outcome: Outcome,
    /// See [`flags`].
    pub flags: u8,
    /// Who began it.
    pub dir: Dir,
}

impl Exchange {
    /// A new exchange begun by a record.
    pub fn new(request: u32, dir: Dir, outcome: Outcome) -> Exchange {
        Exchange {
            request,
            response: NONE,
            same_id: NONE,
            retry_of: NONE,
            retried_by: NONE,
            parent: NONE,
            cancelled_by: NONE,
            outcome,
            flags: 0,
            dir,
        }
    }

    /// The record that it begins with: the request, or the orphan response.
    pub fn first(&self) -> u32 {
        if self.request == NONE { self.response } else { self.request }
    }

    /// Whether a flag is set.
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}
