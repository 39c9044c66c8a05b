//! Why a request is stuck, or was: what the wire tells, and everything since then.

use crate::trace::{NONE, Outcome, RecordKind, Store};
use crate::tui::data::{Data, duration, seconds, size};
use crate::tui::detail::body::Go;
use crate::tui::detail::words;
use crate::tui::list::Sel;
use crate::tui::page::PageLine;
use crate::tui::theme::Ink;
use crate::wire::frame::EventKind;
use crate::wire::json::visible_bytes;

use super::{blank, heading, line, link};

/// Records shown since the request.
const SINCE: usize = 400;

/// The one reason that the wire shows for an answer that is missing.
pub fn reason(store: &Store, index: u32) -> Option<String> {
    let e = store.exchanges.get(index as usize)?;
    if e.response != NONE {
        return None;
    }
    let request = store.record(e.request)?;
    let replies = e.dir.opposite();
    if e.cancelled_by != NONE {
        let at = store.record(e.cancelled_by).map_or(String::new(), |r| format!(" at {}", seconds(r.t)));
        return Some(format!("it was cancelled{at}"));
    }
    // What a rule has already said at the end of the wire.
    if let Some((_, f)) = store.findings_of(e.request).find(|(_, f)| f.rule == "request-unanswered") {
        return Some(f.message.to_string());
    }
    let mut last_stderr = None;
    let mut partial = None;
    let mut blocked = None;
    let mut gone = None;
    let mut other = None;
    for (i, r) in store.records.iter().enumerate().skip(e.request as usize + 1).take(200_000) {
        if r.conn != request.conn {
            continue;
        }
        match (r.kind, store.events.get(&(i as u32)).map(|e| &e.kind)) {
            (RecordKind::Stderr, _) => last_stderr = Some(r.t),
            (RecordKind::Event, Some(EventKind::Partial { dir, bytes, .. })) if *dir == replies => {
                partial = Some(*bytes)
            }
            (RecordKind::Event, Some(EventKind::Blocked { dir, .. })) => blocked = Some(*dir),
            (
                RecordKind::Event,
                Some(kind @ (EventKind::Exit { .. } | EventKind::Close | EventKind::SpawnFailed { .. })),
            ) => {
                gone = Some(words::event(kind));
            }
            (RecordKind::Response | RecordKind::Error, _) if r.dir == replies => {
                partial = None;
                let orphan = store.exchanges.get(r.exchange as usize).is_some_and(|x| x.outcome == Outcome::Orphan);
                if orphan {
                    other = store.id_text(r.id).or_else(|| Some("none".to_owned()));
                }
            }
            _ => {}
        }
    }
    let responder = replies.sender().as_str();
    Some(match (gone, other, blocked, partial) {
        (Some(gone), ..) => gone,
        (_, Some(id), ..) => format!("a response with another id came: {id}"),
        (_, _, Some(dir), _) if dir == e.dir => {
            format!("the {responder} has not read it: it does not take what is written to it")
        }
        (_, _, Some(_), _) => format!("the {} does not read the answers", e.dir.sender().as_str()),
        (_, _, _, Some(bytes)) => format!("a reply has begun: {} bytes, and no line end yet", size(bytes)),
        _ => match last_stderr {
            Some(t) => format!(
                "the {responder} is silent; its last line on stderr came {} after the request",
                duration(t - request.t)
            ),
            None => format!("the {responder} is silent"),
        },
    })
}

pub(super) fn lines(d: &Data<'_>, index: u32) -> Option<(String, Vec<PageLine>)> {
    let store = d.store;
    let e = store.exchanges.get(index as usize)?;
    let request = store.record(e.request).filter(|r| r.kind == RecordKind::Request)?;
    let (method, target) = words::names(store, request);
    let last = store.records.last().map_or(0, |r| r.t);
    let (ink, outcome) = words::outcome(store, index, last);
    let mut lines = vec![line(vec![
        (Ink::Strong, format!("{method} {target}  ")),
        (ink, outcome),
        (Ink::Dim, format!("  sent at {}", seconds(request.t))),
    ])];
    match reason(store, index) {
        Some(reason) => lines.push(line(vec![(Ink::Warning, "because  ".into()), (Ink::Text, reason)])),
        None => {
            let latency = store.latency(e).map_or(String::new(), duration);
            lines.push(line(vec![(Ink::Ok, format!("it was answered after {latency}"))]));
        }
    }
    lines.push(blank());
    lines.push(heading("Since then, on the same connection"));
    let until = if e.response == NONE { u32::MAX } else { e.response };
    let mut n = 0;
    for (i, r) in store.records.iter().enumerate().skip(e.request as usize + 1) {
        if r.conn != request.conn {
            continue;
        }
        n += 1;
        if n > SINCE || i as u32 > until {
            break;
        }
        let i = i as u32;
        let (ink, arrow) = words::arrow(r.dir);
        let text = match r.kind {
            RecordKind::Stderr | RecordKind::Unreadable | RecordKind::Fragment => {
                let bytes = d.frame(i).unwrap_or_default();
                visible_bytes(&bytes[..bytes.len().min(300)]).into_owned()
            }
            RecordKind::Event => store.events.get(&i).map(|e| words::event(&e.kind)).unwrap_or_default(),
            RecordKind::Http => store.http.get(&i).map(|h| words::http(h)).unwrap_or_default(),
            _ => {
                let of = store.exchanges.get(r.exchange as usize).and_then(|e| store.record(e.request)).unwrap_or(r);
                let (method, target) = words::names(store, if r.kind == RecordKind::Notification { r } else { of });
                let what = match r.kind {
                    RecordKind::Response => "response to ",
                    RecordKind::Error => "error response to ",
                    _ => "",
                };
                format!(
                    "{what}{method} {target} {}",
                    store.id_text(r.id).map_or(String::new(), |id| format!("(id {id})"))
                )
            }
        };
        let own = i == e.response;
        lines.push(link(
            vec![
                (Ink::Dim, format!("  +{:<9}", duration(r.t - request.t))),
                (ink, format!("{arrow} ")),
                (
                    if own {
                        Ink::Ok
                    } else if r.kind == RecordKind::Stderr {
                        Ink::Stderr
                    } else {
                        Ink::Text
                    },
                    text,
                ),
            ],
            Go::Sel(if r.exchange == NONE { Sel::Record(i) } else { Sel::Exchange(r.exchange) }),
        ));
    }
    if n == 0 {
        lines.push(line(vec![(Ink::Dim, "  nothing".into())]));
    }
    Some((format!("why #{}", index + 1), lines))
}
