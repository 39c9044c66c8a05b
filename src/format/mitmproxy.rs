//! Flow dumps of mitmproxy (`mitmdump -w FILE`): tnetstrings, `LENGTH:PAYLOAD TYPE`, one dictionary a flow.
//!
//! Bodies are as they came, still compressed; a streamed body is null. A flow is written when it is over.

use std::borrow::Cow;

use super::web::{Exchange, Web};
use super::{Confidence, FaultKind, Format, Import, detect::Head, time};
use crate::wire::frame::Headers;

/// See the module.
pub(super) const FORMAT: Format = Format { name: "mitmproxy", about: "flow dump of mitmproxy", detect, read };

/// Dictionaries and lists within each other: flows have five levels.
const MAX_DEPTH: u32 = 32;

enum Item<'a> {
    Bytes(&'a [u8]),
    Int(i64),
    Float(f64),
    List(Vec<Item<'a>>),
    Dict(Vec<(&'a [u8], Item<'a>)>),
    /// Null and booleans: nothing here asks for them.
    Other,
}

impl<'a> Item<'a> {
    fn get(&self, key: &str) -> Option<&Item<'a>> {
        match self {
            Item::Dict(members) => members.iter().find(|(k, _)| *k == key.as_bytes()).map(|(_, v)| v),
            _ => None,
        }
    }

    fn bytes(&self) -> Option<&'a [u8]> {
        match self {
            Item::Bytes(b) => Some(b),
            _ => None,
        }
    }

    fn text(&self) -> Option<String> {
        self.bytes().map(|b| String::from_utf8_lossy(b).into_owned())
    }

    fn int(&self) -> Option<i64> {
        match self {
            Item::Int(n) => Some(*n),
            _ => None,
        }
    }

    fn micros(&self) -> Option<i64> {
        match self {
            Item::Float(f) => time::seconds(*f),
            Item::Int(n) => time::seconds(*n as f64),
            _ => None,
        }
    }
}

/// The payload, the type and the length of the first item.
fn split(bytes: &[u8]) -> Option<(&[u8], u8, usize)> {
    let digits = bytes.iter().take(13).take_while(|c| c.is_ascii_digit()).count();
    if digits == 0 || digits > 12 || bytes.get(digits) != Some(&b':') {
        return None;
    }
    let length: usize = std::str::from_utf8(&bytes[..digits]).ok()?.parse().ok()?;
    let end = (digits + 1).checked_add(length)?;
    Some((bytes.get(digits + 1..end)?, *bytes.get(end)?, end + 1))
}

fn parse(bytes: &[u8], depth: u32) -> Option<(Item<'_>, usize)> {
    let (mut payload, kind, length) = split(bytes)?;
    let text = || std::str::from_utf8(payload).ok();
    let item = match kind {
        b',' | b';' => Item::Bytes(payload),
        b'#' => Item::Int(text()?.parse().ok()?),
        b'^' => Item::Float(text()?.parse().ok()?),
        b'!' | b'~' => Item::Other,
        b'}' | b']' if depth >= MAX_DEPTH => return None,
        b']' => {
            let mut list = Vec::new();
            while !payload.is_empty() {
                let (item, n) = parse(payload, depth + 1)?;
                list.push(item);
                payload = &payload[n..];
            }
            Item::List(list)
        }
        b'}' => {
            let mut members = Vec::new();
            while !payload.is_empty() {
                let (key, b',' | b';', n) = split(payload)? else { return None };
                let (value, m) = parse(&payload[n..], depth + 1)?;
                members.push((key, value));
                payload = &payload[n + m..];
            }
            Item::Dict(members)
        }
        _ => return None,
    };
    Some((item, length))
}

fn detect(head: &Head<'_>) -> Confidence {
    let digits = head.bytes.iter().take(13).take_while(|c| c.is_ascii_digit()).count();
    let begins = digits > 0 && digits <= 12 && head.bytes.get(digits) == Some(&b':');
    let inside = head.bytes.get(digits + 1..).and_then(split);
    let key = inside.is_some_and(|(_, kind, _)| matches!(kind, b',' | b';'));
    Confidence::sure_if(begins && key && memchr::memmem::find(head.bytes, b"7:request").is_some())
}

fn read(bytes: &[u8], import: &mut Import) {
    let mut web = Web::default();
    let mut at = 0;
    while at < bytes.len() {
        // A flow that was copied through a text editor ends with a line feed.
        if bytes[at] <= b' ' {
            at += 1;
            continue;
        }
        let Some((flow, length)) = parse(&bytes[at..], 0) else {
            let kind = if split(&bytes[at..]).is_some() { FaultKind::NoRecord("a flow") } else { FaultKind::TornLast };
            import.fault(0, at, bytes.len() - at, kind);
            break;
        };
        at += length;
        if flow.get("version").and_then(Item::int).is_some_and(|v| v > 21) && import.notes.is_empty() {
            import.notes.push("flows of a newer version than 21: what is new in them is not read".into());
        }
        if let Some(request) = flow.get("request") {
            web.push(exchange(request, flow.get("response")));
        }
    }
    web.finish(import);
}

fn exchange(request: &Item<'_>, response: Option<&Item<'_>>) -> Exchange {
    let text = |key: &str| request.get(key).and_then(Item::text).unwrap_or_default();
    let authority = match text("authority") {
        none if none.is_empty() => {
            format!("{}:{}", text("host"), request.get("port").and_then(Item::int).unwrap_or(0))
        }
        authority => authority,
    };
    let of = |key: &str| response.and_then(|r| r.get(key));
    let content = of("content").and_then(Item::bytes);
    Exchange {
        start: request.get("timestamp_start").and_then(Item::micros),
        head: of("timestamp_start").and_then(Item::micros),
        end: of("timestamp_end").and_then(Item::micros),
        method: text("method"),
        url: format!("{}://{authority}{}", text("scheme"), text("path")),
        request_headers: headers(request.get("headers")),
        request: request.get("content").and_then(Item::bytes).unwrap_or_default().to_vec(),
        status: of("status_code").and_then(Item::int).and_then(|s| u16::try_from(s).ok()),
        headers: headers(of("headers")),
        body: content.map(<[u8]>::to_vec),
        packed: true,
        ..Exchange::default()
    }
}

fn headers(list: Option<&Item<'_>>) -> Headers<'static> {
    let Some(Item::List(list)) = list else { return Headers::new() };
    let pair = |item: &Item<'_>| match item {
        Item::List(pair) => Some((Cow::Owned(pair.first()?.text()?), Cow::Owned(pair.get(1)?.text()?))),
        _ => None,
    };
    list.iter().filter_map(pair).collect()
}
