//! Which revision a message is judged by: its own sign, else that of its request, else the nearest one on the
//! connection. One wire can carry both eras.

use crate::mcp::{Method, Revision, errors, headers, meta};
use crate::trace::session::Session;
use crate::wire::envelope::{Envelope, MessageKind};
use crate::wire::frame::{Dir, Http, HttpKind};
use crate::wire::json::Value;

/// The revision that a message shows by itself.
pub(super) fn sign(
    env: &Envelope<'_>,
    dir: Dir,
    http: Option<&Http<'_>>,
    session: Option<&Session>,
) -> Option<Revision> {
    let method = env.method.and_then(Value::as_str);
    match env.kind {
        MessageKind::Request | MessageKind::Notification => {
            // Any of the three shows it: a client that leaves one out still speaks 2026-07-28.
            let keys = [meta::PROTOCOL_VERSION, meta::CLIENT_CAPABILITIES, meta::CLIENT_INFO];
            if dir == Dir::C2s && env.params_meta().is_some_and(|m| keys.iter().any(|k| m.get(k).is_some())) {
                return Some(Revision::V2026_07_28);
            }
            match method.as_deref().and_then(Method::lookup) {
                Some(Method::Initialize) if dir == Dir::C2s => {
                    let version = env.params.and_then(|p| p.get("protocolVersion")).and_then(Value::as_str);
                    return Some(version.as_deref().and_then(Revision::parse).unwrap_or(Revision::V2025_11_25));
                }
                Some(Method::Initialized) if dir == Dir::C2s => {
                    return Some(session.and_then(|s| s.handshake.revision()).unwrap_or(Revision::V2025_11_25));
                }
                Some(Method::Discover | Method::Listen) if dir == Dir::C2s => {
                    if session.is_none_or(|s| !s.handshake.is_done()) {
                        return Some(Revision::V2026_07_28);
                    }
                }
                Some(Method::Acknowledged) if dir == Dir::S2c => return Some(Revision::V2026_07_28),
                _ => {}
            }
            if dir == Dir::S2c && env.params_meta().is_some_and(|m| m.get(meta::SUBSCRIPTION_ID).is_some()) {
                return Some(Revision::V2026_07_28);
            }
            http.filter(|h| h.kind == HttpKind::Request && dir == Dir::C2s).and_then(|h| header_sign(h, session))
        }
        MessageKind::Response | MessageKind::Error if dir == Dir::S2c => {
            is_modern_answer(env).then_some(Revision::V2026_07_28)
        }
        _ => http.filter(|h| h.kind == HttpKind::Request && dir == Dir::C2s).and_then(|h| header_sign(h, session)),
    }
}

/// The revision that an HTTP request head shows.
pub(super) fn header_sign(http: &Http<'_>, session: Option<&Session>) -> Option<Revision> {
    if let Some(version) = http.header(headers::PROTOCOL_VERSION).and_then(|v| Revision::parse(v.trim())) {
        return Some(version);
    }
    if http.header(headers::METHOD).is_some() || http.header(headers::NAME).is_some() {
        return Some(Revision::V2026_07_28);
    }
    let legacy = http.header(headers::SESSION_ID).is_some() || http.header(headers::LAST_EVENT_ID).is_some();
    legacy.then(|| session.and_then(|s| s.handshake.revision()).unwrap_or(Revision::V2025_03_26))
}

/// Whether a response shows that a modern server wrote it.
pub(super) fn is_modern_answer(env: &Envelope<'_>) -> bool {
    if let Some(result) = env.result {
        return result.get("resultType").is_some()
            || result.get("_meta").is_some_and(|m| m.get(meta::SERVER_INFO).is_some());
    }
    env.error_code().is_some_and(errors::is_modern_sign)
}
