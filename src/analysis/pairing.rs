//! Pairing: by session, direction and typed id; over HTTP by id first, then by exchange.

use crate::trace::message::Message;
use crate::trace::session::{Answer, How, Pairing, Session, Stream, way};
use crate::trace::{NONE, Store};
use crate::wire::envelope::MessageKind;

/// How a message relates to what came before it.
pub(super) fn pair(store: &Store, session: &Session, stream: Option<&Stream>, message: &Message<'_>) -> Pairing {
    match message.kind {
        MessageKind::Request => {
            let older = message.id().and_then(|id| session.by_id(message.dir, &id));
            let in_flight = older.filter(|e| session.open(*e).is_some_and(|o| o.cancelled.is_none()));
            let retry = session
                .waiting
                .iter()
                .rposition(|w| w.is_retried_by(message))
                .filter(|_| message.judged.revision.is_modern());
            Pairing::Request { in_flight, earlier: older.filter(|_| in_flight.is_none()), retry }
        }
        MessageKind::Response | MessageKind::Error => Pairing::Response(answer(store, session, stream, message)),
        MessageKind::Notification | MessageKind::Unrecognised => Pairing::None,
    }
}

fn answer(store: &Store, session: &Session, stream: Option<&Stream>, message: &Message<'_>) -> Answer {
    let asked = message.dir.opposite();
    let late = |e: u32| session.open(e).is_some_and(|o| o.cancelled.is_some());
    let found = |e: u32, how: How| Answer { exchange: Some(e), how, late: late(e) };
    let on_stream =
        stream.and_then(|s| s.exchanges.iter().copied().find(|e| session.open(*e).is_some_and(|o| o.dir == asked)));
    let id = message.id();
    let Some(id) = id
        .filter(|id| id.is_usable() || id.kind == crate::wire::id::IdKind::Null && session.by_id(asked, id).is_some())
    else {
        return without_id(store, session, stream, on_stream, message);
    };
    if message.replay {
        return Answer { exchange: session.by_id(asked, &id), how: How::Replay, late: false };
    }
    if let Some(newest) = session.by_id(asked, &id) {
        let mut candidates = Vec::new();
        let mut next = newest;
        while next != NONE && candidates.len() < 64 {
            if session.open(next).is_some() {
                candidates.push(next);
            }
            next = store.exchanges.get(next as usize).map_or(NONE, |e| e.same_id);
        }
        let waiting = candidates.iter().filter(|e| !late(**e)).count();
        return match candidates.as_slice() {
            [] => Answer { exchange: Some(newest), how: How::Duplicate, late: false },
            [one] => found(*one, How::Id),
            many => {
                // Several requests carry the id: that of the same HTTP exchange, else the oldest that still waits.
                let by_stream = stream.and_then(|s| many.iter().copied().find(|e| s.exchanges.contains(e)));
                let oldest = many.iter().rev().copied().find(|e| !late(*e)).or(many.last().copied());
                match by_stream.or(oldest) {
                    Some(e) if waiting > 1 => found(e, How::Ambiguous),
                    Some(e) => found(e, How::Id),
                    None => Answer::unknown(),
                }
            }
        };
    }
    // The same text under another type: `"1"` for `1`.
    if let Some(open) = session.in_flight(asked).find(|o| o.id.same_but_type(&id)) {
        return found(open.exchange, How::TypeChanged);
    }
    match on_stream {
        Some(e) => found(e, How::Stream),
        None => Answer::unknown(),
    }
}

/// A response without a usable id.
fn without_id(
    store: &Store,
    session: &Session,
    stream: Option<&Stream>,
    on_stream: Option<u32>,
    message: &Message<'_>,
) -> Answer {
    let asked = message.dir.opposite();
    if let Some(e) = on_stream {
        return Answer { exchange: Some(e), how: How::Stream, late: false };
    }
    if stream.is_none() || stream.is_some_and(|s| s.messages.is_empty()) {
        if session.in_flight_count(asked) == 1 {
            let exchange = session.in_flight(asked).next().map(|o| o.exchange);
            return Answer { exchange, how: How::Lost, late: false };
        }
    }
    if session.in_flight_count(asked) == 0 || stream.is_some() {
        let mute = match stream {
            Some(s) => s
                .messages
                .iter()
                .copied()
                .find(|r| store.record(*r).is_some_and(|r| r.kind == crate::trace::RecordKind::Notification)),
            None => session.unanswerable[way(asked)],
        };
        if let Some(record) = mute {
            return Answer { exchange: None, how: How::AnsweredNotification { record }, late: false };
        }
    }
    Answer::unknown()
}
