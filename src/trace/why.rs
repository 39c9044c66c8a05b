//! Why a request has no answer, as far as the wire tells.

use crate::wire::frame::{Dir, Micros};

use super::session::trouble::is_after;
use super::session::{Open, Session, way};
use super::{NONE, Severity, Store};

/// The reason for which a request has no answer (yet). Records are indices into the store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The sender cancelled it.
    Cancelled {
        /// Record of the cancellation.
        record: u32,
    },
    /// It was sent after the other side had closed its output: nobody could answer.
    AfterEnd,
    /// A response came without an id, and this request is the one that it can mean.
    IdLost {
        /// Record of that response.
        record: u32,
    },
    /// A response came with an id that fits no open request.
    OtherId {
        /// Record of that response.
        record: u32,
    },
    /// What came in reply could not be read.
    UnreadableReply {
        /// Record of that text.
        record: u32,
    },
    /// The request itself breaks the rules of JSON or JSON-RPC, so that its reader may have dropped it.
    Malformed {
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// The process ended.
    ProcessGone {
        /// Exit status, if it ended by itself.
        status: Option<i32>,
        /// The signal that killed it.
        signal: Option<String>,
        /// Record of the event, or `NONE`.
        record: u32,
    },
    /// The response stream of its HTTP exchange ended without it.
    StreamClosed {
        /// Record of the end.
        record: u32,
    },
    /// The responder closed its output.
    OutputClosed {
        /// Record of the event, or `NONE`.
        record: u32,
    },
    /// The sender closed its own output after it: the other side may have stopped at that.
    InputClosed {
        /// Record of the event, or `NONE`.
        record: u32,
    },
    /// The answer may be the line that has begun and not ended.
    Partial {
        /// Bytes so far.
        bytes: u64,
        /// Since when.
        since: Micros,
    },
    /// The other side does not read what is written to it.
    Blocked {
        /// Since when.
        since: Micros,
    },
    /// The recording ended before the wire did.
    RecordingEnded,
    /// Nothing explains it: the other side was silent.
    Silent,
}

/// Why an open request has no answer. Constant time, but for the findings of the request itself.
pub fn why(store: &Store, session: &Session, open: &Open) -> Reason {
    let replies = way(open.dir.opposite());
    let trouble = &session.trouble[replies];
    let after = |record: u32| is_after(record, open.record);
    if let Some(cancelled) = open.cancelled {
        return Reason::Cancelled { record: cancelled.record };
    }
    if open.after_eof {
        return Reason::AfterEnd;
    }
    if after(trouble.lost) {
        return Reason::IdLost { record: trouble.lost };
    }
    if after(trouble.stray) {
        return Reason::OtherId { record: trouble.stray };
    }
    if after(trouble.unreadable) || after(trouble.broken_off) {
        let record = if after(trouble.unreadable) { trouble.unreadable } else { trouble.broken_off };
        return Reason::UnreadableReply { record };
    }
    let broken = store.findings_of(open.record).find(|(_, f)| {
        f.severity == Severity::Error
            && f.owner == open.dir.sender()
            && matches!(f.layer, super::Layer::Json | super::Layer::JsonRpc | super::Layer::Transport)
    });
    if let Some((_, finding)) = broken {
        return Reason::Malformed { rule: finding.rule };
    }
    if let Some(record) = open.stream_ended {
        return Reason::StreamClosed { record };
    }
    // Whoever was stopped by its client did not fail by ending.
    let own = &session.trouble[way(open.dir)];
    let stopped = session.eof[way(open.dir)].filter(|t| session.exit.as_ref().is_none_or(|e| *t <= e.t));
    if stopped.is_some() && session.eof[replies].is_none_or(|t| stopped <= Some(t)) {
        return Reason::InputClosed { record: own.eof };
    }
    if let (Some(exit), Dir::C2s) = (&session.exit, open.dir) {
        return Reason::ProcessGone { status: exit.status, signal: exit.signal.clone(), record: exit.record };
    }
    if session.eof[replies].is_some() {
        return Reason::OutputClosed { record: trouble.eof };
    }
    if let Some(partial) = trouble.partial {
        return Reason::Partial { bytes: partial.bytes, since: partial.since };
    }
    if let Some(blocked) = own.blocked {
        return Reason::Blocked { since: blocked.since };
    }
    if session.recording_ended {
        return Reason::RecordingEnded;
    }
    Reason::Silent
}

impl Reason {
    /// The record that shows it, or `NONE`.
    pub fn record(&self) -> u32 {
        match self {
            Reason::Cancelled { record }
            | Reason::IdLost { record }
            | Reason::OtherId { record }
            | Reason::UnreadableReply { record }
            | Reason::ProcessGone { record, .. }
            | Reason::StreamClosed { record }
            | Reason::OutputClosed { record }
            | Reason::InputClosed { record } => *record,
            _ => NONE,
        }
    }

    /// Half a sentence, to be put after "never answered:" or "pending:".
    pub fn text(&self, store: &Store) -> String {
        let at = |record: u32| if record == NONE { String::new() } else { format!(" ({})", place(store, record)) };
        match self {
            Reason::Cancelled { record } => format!("it was cancelled{}", at(*record)),
            Reason::AfterEnd => "it was sent after the other side had closed its output".to_owned(),
            Reason::IdLost { record } => {
                format!("{} is a response without id and may be its answer", place(store, *record))
            }
            Reason::OtherId { record } => {
                let id = store.record(*record).and_then(|r| store.id_text(r.id)).unwrap_or_default();
                let id: String = id.chars().take(40).collect();
                format!("{} is a response with id {id}, which no open request has", place(store, *record))
            }
            Reason::UnreadableReply { record } => format!("{} in reply could not be read", place(store, *record)),
            Reason::Malformed { rule } => format!("the request is malformed ({rule})"),
            Reason::ProcessGone { status, signal, record } => match (status, signal) {
                (_, Some(signal)) => format!("the process was ended by {signal}{}", at(*record)),
                (Some(status), None) => format!("the process ended with status {status}{}", at(*record)),
                (None, None) => format!("the process ended{}", at(*record)),
            },
            Reason::StreamClosed { record } => format!("its response stream ended without it{}", at(*record)),
            Reason::OutputClosed { record } => format!("the other side closed its output{}", at(*record)),
            Reason::InputClosed { record } => {
                format!("nothing came before its sender closed the stream{}", at(*record))
            }
            Reason::Partial { bytes, .. } => format!("a line of {bytes} bytes so far has begun and does not end"),
            Reason::Blocked { .. } => "the other side does not read what is written to it".to_owned(),
            Reason::RecordingEnded => "the recording ended before the wire did".to_owned(),
            Reason::Silent => "the other side was silent".to_owned(),
        }
    }
}

/// The first line of stderr after a record and before the server's next message, and how many such lines there are.
pub fn stderr_after(session: &Session, record: u32) -> Option<(u32, usize)> {
    let at = session.stderr.partition_point(|r| *r < record);
    let (&line, &after) = (session.stderr.get(at)?, session.stderr_after.get(at)?);
    if is_after(after, record) {
        return None;
    }
    Some((line, session.stderr_after[at..].iter().take(1000).take_while(|a| **a == after).count()))
}

/// Where a record stands, for people: `line 12`, or `frame 12` where the source has no lines.
pub fn place(store: &Store, record: u32) -> String {
    match store.record(record) {
        Some(r) if r.line > 0 => format!("line {}", r.line),
        Some(r) if r.frame > 0 => format!("frame {}", r.frame),
        Some(_) => "an event".to_owned(),
        None => "an unknown place".to_owned(),
    }
}
