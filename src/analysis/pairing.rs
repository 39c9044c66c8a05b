//! Pairing: by session, direction and typed id; over HTTP by id first, then by exchange.
//!
//! Nothing here takes longer because more is open: look-ups are by key, and what has to be walked is cut off.

use crate::trace::message::Message;
use crate::trace::session::{Answer, How, Pairing, Session, Stream, way};
use crate::trace::{NONE, RecordKind, Store};
use crate::wire::envelope::MessageKind;
use crate::wire::frame::Dir;
use crate::wire::id::Id;
use crate::wire::json::Value;

/// Exchanges that are looked at where a list has to be walked.
const WALK: usize = 64;

/// How a message relates to what came before it.
pub(super) fn pair(store: &Store, session: &Session, stream: Option<&Stream>, message: &Message<'_>) -> Pairing {
    match message.kind {
        MessageKind::Request => {
            let id = message.id();
            let older = id.as_ref().and_then(|id| session.by_id(message.dir, id));
            let crowd = id.as_ref().and_then(|id| session.crowd(message.dir, id)?.last().copied());
            let waits = |e: &u32| session.open(*e).is_some_and(|o| o.cancelled.is_none());
            let in_flight = crowd.or(older.filter(waits));
            let retry = if message.revision().is_modern() { session.waiting.retried_by(message) } else { None };
            Pairing::Request { in_flight, earlier: older.filter(|_| in_flight.is_none()), retry }
        }
        MessageKind::Response | MessageKind::Error => Pairing::Response(answer(store, session, stream, message)),
        MessageKind::Notification | MessageKind::Unrecognised => Pairing::None,
    }
}

fn found(session: &Session, exchange: u32, how: How) -> Answer {
    let late = session.open(exchange).is_some_and(|o| o.cancelled.is_some());
    Answer { exchange: Some(exchange), how, late }
}

fn answer(store: &Store, session: &Session, stream: Option<&Stream>, message: &Message<'_>) -> Answer {
    let asked = message.dir.opposite();
    // An id that is no string or number pairs only with the very same one.
    let whole = |id: &Value<'_>| !message.cut || id.span().end < message.text.len();
    let id = message.env.id.filter(whole).map(Id::read);
    let id = id.filter(|id| id.is_usable() || session.by_id(asked, id).is_some());
    let Some(id) = id else { return without_id(store, session, stream, message) };
    if message.replay {
        return Answer { exchange: session.by_id(asked, &id), how: How::Replay, late: false };
    }
    if let Some(newest) = session.by_id(asked, &id) {
        return by_id(store, session, stream, asked, &id, newest);
    }
    if let Some(record) = session.notification_with_id(asked, &id) {
        return Answer { exchange: None, how: How::NotificationWithId { record }, late: false };
    }
    // The same text under another type: `"1"` for `1`.
    if let Some(open) = session.by_other_type(asked, &id) {
        return found(session, open.exchange, How::TypeChanged);
    }
    if let Some(batch) = refused_batch(session, stream, message) {
        return batch;
    }
    match on_stream(session, stream, asked) {
        Some(e) => found(session, e, How::Stream),
        None => Answer::unknown(),
    }
}

/// A response whose id was sent: which of the requests with that id it answers.
fn by_id(store: &Store, session: &Session, stream: Option<&Stream>, asked: Dir, id: &Id<'_>, newest: u32) -> Answer {
    if let Some(crowd) = session.crowd(asked, id) {
        // Several requests carry the id: that of the same HTTP exchange, else the oldest that still waits.
        let same_stream = stream.and_then(|s| s.exchanges.iter().take(WALK).copied().find(|e| crowd.contains(e)));
        let how = if crowd.len() > 1 { How::Ambiguous } else { How::Id };
        return match same_stream.or(crowd.first().copied()) {
            Some(e) => found(session, e, how),
            None => Answer::unknown(),
        };
    }
    if session.open(newest).is_some() {
        return found(session, newest, How::Id);
    }
    // An older one that was cancelled may still be answered.
    let older = std::iter::successors(Some(newest), |e| {
        let older = store.exchanges.get(*e as usize)?.same_id;
        (older != NONE).then_some(older)
    });
    match older.take(WALK).find(|e| session.open(*e).is_some()) {
        Some(e) => found(session, e, How::Id),
        None => Answer { exchange: Some(newest), how: How::Duplicate, late: false },
    }
}

/// The first request of this HTTP exchange that waits for an answer from this direction.
fn on_stream(session: &Session, stream: Option<&Stream>, asked: Dir) -> Option<u32> {
    let waits = |e: &u32| session.open(*e).is_some_and(|o| o.dir == asked);
    stream?.exchanges.iter().take(WALK).copied().find(waits)
}

/// An error that answers an array of messages as a whole.
fn refused_batch(session: &Session, stream: Option<&Stream>, message: &Message<'_>) -> Option<Answer> {
    if message.kind != MessageKind::Error || message.in_batch.is_some() {
        return None;
    }
    let asked = message.dir.opposite();
    let first = session.batch[way(asked)].first().copied()?;
    let open = session.open(first)?;
    let here = stream.is_none_or(|s| s.number == open.stream);
    here.then_some(Answer { exchange: Some(first), how: How::Batch, late: false })
}

/// A response without a usable id.
fn without_id(store: &Store, session: &Session, stream: Option<&Stream>, message: &Message<'_>) -> Answer {
    let asked = message.dir.opposite();
    if message.replay {
        return Answer { exchange: None, how: How::Replay, late: false };
    }
    if let Some(batch) = refused_batch(session, stream, message) {
        return batch;
    }
    if let Some(e) = on_stream(session, stream, asked) {
        return found(session, e, How::Stream);
    }
    let error = message.kind == MessageKind::Error;
    // A GET or DELETE that is refused: the error is about that, and about no message.
    let bare = |s: &Stream| s.messages.is_empty() && s.request_len == 0 && s.status().is_some_and(|s| s >= 400);
    if error && stream.is_some_and(bare) {
        return Answer { exchange: None, how: How::Refusal, late: false };
    }
    match stream.filter(|s| !s.messages.is_empty() || s.request_len > 0) {
        Some(stream) => {
            let is_mute = |r: &u32| store.record(*r).is_some_and(|r| r.kind == RecordKind::Notification);
            if let Some(record) = stream.messages.iter().take(WALK).copied().find(is_mute) {
                return Answer { exchange: None, how: How::AnsweredNotification { record }, late: false };
            }
            if error && stream.messages.is_empty() {
                return Answer { exchange: None, how: How::Refusal, late: false };
            }
            Answer::unknown()
        }
        None => {
            if error && session.trouble[way(asked)].unsettled > 0 {
                return Answer { exchange: None, how: How::Refusal, late: false };
            }
            match session.in_flight_count(asked) {
                0 => match session.unanswerable[way(asked)] {
                    Some(record) => Answer { exchange: None, how: How::AnsweredNotification { record }, late: false },
                    None => Answer::unknown(),
                },
                1 => {
                    let exchange = session.in_flight(asked).next().map(|o| o.exchange);
                    Answer { exchange, how: How::Lost, late: false }
                }
                _ => Answer::unknown(),
            }
        }
    }
}
