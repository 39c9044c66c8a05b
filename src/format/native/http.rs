//! The `http` member of a frame.

use std::borrow::Cow;

use super::escape;
use super::scan::{Scan, unsigned};
use crate::wire::frame::{Dir, Headers, Http, HttpEnd, HttpKind};

/// What an `http` member says, and the inside of the string with a comment's text where it stands here instead of in the
/// payload.
pub(super) struct Read<'a> {
    pub http: Http<'a>,
    pub comment: Option<&'a [u8]>,
}

/// Reads an `http` member. `None` if it is no object or has no kind that is known.
pub(super) fn read<'a>(object: &'a [u8], dir: Dir) -> Option<Read<'a>> {
    let mut http = Http::new(HttpKind::Request, 0);
    let (mut kind, mut ended, mut broken, mut comment) = (None, false, false, None);
    Scan::new(object).members(|key, value| match key {
        b"kind" => kind = Some(value),
        b"stream" => http.stream = number(value).unwrap_or(0),
        b"method" => http.method = text(value),
        b"path" => http.path = text(value),
        b"status" => http.status = number(value),
        b"headers" => http.headers = headers(value),
        b"trailers" => http.trailers = headers(value),
        b"event" => http.event = text(value),
        b"id" => http.id = text(value),
        b"retry" => http.retry = text(value).and_then(|t| unsigned(t.as_bytes())),
        b"comment" if value == b"true" => http.comment = true,
        b"comment" => {
            comment = value.strip_prefix(b"\"").and_then(|v| v.strip_suffix(b"\""));
            http.comment = comment.is_some();
        }
        b"raw" | b"text" => http.raw = text(value),
        b"how" => http.how = end(value),
        b"end" => ended = value == b"true",
        b"error" => broken = value != b"null",
        b"encoding" => http.encoding = text(value),
        b"undecoded" => http.undecoded = value == b"true",
        b"cut" => http.cut = unsigned(value),
        _ => {}
    })?;
    http.kind = match kind? {
        b"\"request\"" => HttpKind::Request,
        b"\"response\"" => HttpKind::Response,
        b"\"sse\"" if ended => HttpKind::End,
        b"\"sse\"" => HttpKind::Sse,
        b"\"end\"" => HttpKind::End,
        _ => return None,
    };
    if http.kind == HttpKind::End && http.how.is_none() {
        // Where the record does not say how, its direction says by whom.
        http.how = Some(match (broken, dir) {
            (true, _) => HttpEnd::Reset,
            (false, Dir::C2s) => HttpEnd::Client,
            (false, _) => HttpEnd::Eof,
        });
    }
    Some(Read { http, comment })
}

fn end(value: &[u8]) -> Option<HttpEnd> {
    Some(match value {
        b"\"eof\"" => HttpEnd::Eof,
        b"\"reset\"" => HttpEnd::Reset,
        b"\"client\"" => HttpEnd::Client,
        b"\"timeout\"" => HttpEnd::Timeout,
        _ => return None,
    })
}

fn number<N: TryFrom<u64>>(value: &[u8]) -> Option<N> {
    unsigned(value).and_then(|n| N::try_from(n).ok())
}

/// A JSON string's text; a number or word counts as its own text (a header value that a tool wrote as a number).
pub(super) fn text(value: &[u8]) -> Option<Cow<'_, str>> {
    let Some(inside) = value.strip_prefix(b"\"").and_then(|v| v.strip_suffix(b"\"")) else {
        let plain = !matches!(value.first(), Some(b'{' | b'[') | None) && value != b"null";
        return plain.then(|| String::from_utf8_lossy(value));
    };
    if memchr::memchr(b'\\', inside).is_none() {
        return Some(String::from_utf8_lossy(inside));
    }
    let mut out = Vec::with_capacity(inside.len());
    escape::unescape(inside, &mut out);
    Some(Cow::Owned(String::from_utf8_lossy(&out).into_owned()))
}

/// A list of pairs, or an object whose values may be lists.
fn headers(value: &[u8]) -> Headers<'_> {
    let mut list = Vec::new();
    let mut scan = Scan::new(value);
    if scan.peek() == Some(b'{') {
        scan.members(|name, value| {
            let name = String::from_utf8_lossy(name);
            if value.first() == Some(&b'[') {
                elements(value, |one| list.extend(text(one).map(|v| (name.clone(), v))));
            } else {
                list.extend(text(value).map(|v| (name.clone(), v)));
            }
        });
    } else {
        elements(value, |pair| {
            let mut both = (None, None);
            elements(pair, |one| match both.0 {
                None => both.0 = text(one),
                Some(_) => both.1 = text(one),
            });
            if let (Some(name), Some(value)) = both {
                list.push((name, value));
            }
        });
    }
    list
}

/// Walks the elements of a list; anything else has none.
fn elements<'a>(value: &'a [u8], mut each: impl FnMut(&'a [u8])) {
    let mut scan = Scan::new(value);
    if !scan.take(b'[') || scan.take(b']') {
        return;
    }
    while let Some(one) = scan.skip() {
        each(one);
        if !scan.take(b',') {
            return;
        }
    }
}
