//! What a rule may look at. Everything is borrowed; nothing here changes.

use std::cell::OnceCell;

use crate::mcp::Revision;
use crate::trace::session::{Answer, Open, Pairing, Session, Stream};
use crate::trace::{Message, Outcome, Record, Store};
use crate::wire::envelope::Envelope;
use crate::wire::frame::{Dir, Event, Http, HttpKind, Micros};
use crate::wire::json::{Doc, Document, Value};

use super::options::Options;
use super::schema::Schemas;

/// What a line or body turned out to be (transport layer).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextClass {
    /// One message, or a batch.
    Message,
    /// Two JSON values on one line: the first one, and whether the rest is a message too.
    TwoMessages,
    /// The first of several lines that parse only when joined.
    Joined,
    /// A later line of those, or a line that belongs to LSP framing: no finding of its own.
    Fragment,
    /// A `Content-Length` header (alone, or glued to a body).
    LspHeader,
    /// An attempt at JSON that cannot be parsed.
    Broken,
    /// The last line of its direction, which ends in the middle of a value.
    CutOff,
    /// No attempt at a message.
    Noise,
    /// Nothing but blanks.
    Blank,
    /// An HTTP body or SSE event that is no message by its type (HTML, an `endpoint` event, a priming event).
    Other,
}

/// The text that is being judged.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    /// What it turned out to be.
    pub class: TextClass,
    /// Its bytes, without the line end. Of joined lines: the joined text.
    pub bytes: &'a [u8],
    /// The document read from it.
    pub doc: Doc<'a>,
    /// The line before it in the same direction was noise too (a run is one finding).
    pub in_noise_run: bool,
    /// How many lines were joined.
    pub lines: u32,
}

/// The view of one moment that a hook gets.
pub struct Cx<'a> {
    /// Everything known so far.
    pub store: &'a Store,
    /// The session as it was before this message.
    pub session: &'a Session,
    /// Limits and switches.
    pub options: &'a Options,
    /// Compiled tool schemas.
    pub schemas: &'a Schemas,
    /// The record that findings are pinned to by default.
    pub record: u32,
    /// Which way the judged thing went (for events and ends: c2s).
    pub dir: Dir,
    /// When.
    pub t: Micros,
    /// The revision in force.
    pub revision: Revision,
    /// The text, in `Text` hooks; the body or the data of the event, in `Http` hooks.
    pub text: Option<Text<'a>>,
    /// The message, in message hooks.
    pub message: Option<&'a Message<'a>>,
    /// How the message relates to the requests before it.
    pub pairing: &'a Pairing,
    /// HTTP side of the frame.
    pub http: Option<&'a Http<'a>>,
    /// The HTTP exchange, with the heads seen so far (the frame's own included).
    pub stream: Option<&'a Stream>,
    /// The event, in `Event` hooks.
    pub event: Option<&'a Event>,
    /// The open request, in `Unanswered` hooks; the answered request, in `Result` and `Error` hooks.
    pub open: Option<&'a Open>,
    /// The connection's wire showed a clean end (`exit`, `close`, `end`, or the end of a file without events).
    pub clean_end: bool,
    pub(crate) meta_known: bool,
    pub(crate) request: OnceCell<Option<Document>>,
}

impl<'a> Cx<'a> {
    /// The message. Only in message hooks; others get an empty envelope's worth of nothing by early return.
    pub fn msg(&self) -> Option<&'a Message<'a>> {
        self.message
    }

    /// The message's `_meta` has the very bytes of an earlier one of the same session, kind and revision on which no rule
    /// had anything to say: rules that judge nothing but `_meta` need not look again.
    pub fn meta_is_known(&self) -> bool {
        self.meta_known
    }

    /// What a response answers.
    pub fn answer(&self) -> Option<&'a Answer> {
        match self.pairing {
            Pairing::Response(answer) => Some(answer),
            _ => None,
        }
    }

    /// The request that the judged response answers (by id or as a guess), or the open request of `Unanswered`.
    pub fn request(&self) -> Option<&'a Open> {
        self.open
    }

    /// The envelope of that request, parsed again on first use.
    pub fn request_envelope(&self) -> Option<Envelope<'_>> {
        let document = self.request.get_or_init(|| self.open.map(|o| Document::new(o.bytes.clone()))).as_ref()?;
        Some(Envelope::read(document.doc().root()?))
    }

    /// `params` of that request.
    pub fn request_params(&self) -> Option<Value<'_>> {
        self.request_envelope()?.params
    }

    /// Whether a rule fired on the request that is being answered.
    pub fn request_fired(&self, rule: &str) -> bool {
        self.open.is_some_and(|o| self.store.fired(o.record, rule))
    }

    /// The record being judged.
    pub fn this(&self) -> Option<&'a Record> {
        self.store.record(self.record)
    }

    /// The outcome of an exchange.
    pub fn outcome(&self, exchange: u32) -> Option<Outcome> {
        self.store.exchanges.get(exchange as usize).map(|e| e.outcome)
    }

    /// The HTTP frame and its exchange, in `Http` hooks, if the frame is of this kind.
    pub fn http_of(&self, kind: HttpKind) -> Option<(&'a Http<'a>, &'a Stream)> {
        Some((self.http.filter(|h| h.kind == kind)?, self.stream?))
    }

    /// Over HTTP.
    pub fn is_http(&self) -> bool {
        self.session.is_http()
    }
}
