//! The writer: header, frames and events as lines of the native format, each appended whole to a buffer.
//!
//! What goes in comes out of [`super::Reader`] as it was: payload byte for byte, times to the microsecond.

use std::io::Write as _;

use super::{escape, grammar};
use crate::format::Header;
use crate::wire::frame::{Dir, Eol, Event, EventKind, Frame, Headers, Http, HttpEnd, HttpKind, Micros};

/// Appends the header line.
pub fn header(header: &Header, out: &mut Vec<u8>) {
    let mut o = Object::open(out);
    o.number("mcpscope_trace", u64::from(header.version.max(1)));
    o.maybe("created", header.created.as_deref());
    o.maybe("tool", header.tool.as_deref());
    o.maybe("name", header.name.as_deref());
    o.maybe("transport", header.transport.as_deref());
    if !header.command.is_empty() {
        o.list("command", &header.command);
    }
    o.maybe("url", header.url.as_deref());
    if let Some(host) = &header.host {
        o.key("host");
        let mut inner = Object::open(o.out);
        inner.maybe("name", host.name.as_deref());
        if let Some(pid) = host.pid {
            inner.number("pid", u64::from(pid));
        }
        inner.close();
    }
    o.maybe("cwd", header.cwd.as_deref());
    o.maybe("path", header.path.as_deref());
    if !header.env.is_empty() {
        o.list("env", &header.env);
    }
    if let Some(imported) = &header.imported {
        o.key("imported");
        let mut inner = Object::open(o.out);
        inner.maybe("from", Some(&imported.from));
        inner.list("lacks", &imported.missing.names().map(str::to_owned).collect::<Vec<_>>());
        if imported.excerpt {
            inner.key("excerpt");
            inner.out.extend_from_slice(b"true");
        }
        inner.close();
    }
    o.key("sanitized");
    match &header.sanitized {
        Some(mode) => escape::quote(mode.as_bytes(), o.out),
        None => o.out.extend_from_slice(b"null"),
    }
    o.close();
    out.push(b'\n');
}

/// Appends a frame. Its `line` and `place` are not written: they are where it came from.
pub fn frame(frame: &Frame<'_>, out: &mut Vec<u8>) {
    head(frame, out);
    payload(frame.payload, frame.http.is_some(), out);
    out.extend_from_slice(TAIL);
}

/// What ends a frame.
pub const TAIL: &[u8] = b"}\n";

/// For a large frame that need not be copied: if its payload is written as it is, appends everything that stands before
/// it, and says `true`. Then come the payload and [`TAIL`]. `false`: nothing was appended.
pub fn frame_before_payload(frame: &Frame<'_>, out: &mut Vec<u8>) -> bool {
    let verbatim = grammar::is_one_value(frame.payload);
    if verbatim {
        head(frame, out);
        out.extend_from_slice(MSG);
    }
    verbatim
}

const MSG: &[u8] = b",\"msg\":";

/// Everything that stands before the payload's key.
fn head(frame: &Frame<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"t\":");
    seconds(frame.t, out);
    out.extend_from_slice(match frame.dir {
        Dir::C2s => b",\"dir\":\"c2s\"",
        Dir::S2c => b",\"dir\":\"s2c\"",
        Dir::Err => b",\"dir\":\"err\"",
    });
    conn(frame.conn, out);
    if let Some(context) = &frame.http {
        out.extend_from_slice(b",\"http\":");
        http(context, out);
    }
    match frame.eol {
        Eol::Lf => {}
        Eol::CrLf => out.extend_from_slice(b",\"eol\":\"\\r\\n\""),
        Eol::None => out.extend_from_slice(b",\"eol\":\"\""),
    }
}

/// The payload under the key that says how it is written. On stdio an empty line is written too, so that it is seen.
fn payload(bytes: &[u8], http: bool, out: &mut Vec<u8>) {
    match std::str::from_utf8(bytes) {
        Ok("") if http => {}
        Ok(text) if grammar::is_one_value_str(text) => {
            out.extend_from_slice(MSG);
            out.extend_from_slice(bytes);
        }
        Ok(_) => {
            out.extend_from_slice(b",\"text\":");
            escape::quote(bytes, out);
        }
        Err(_) => {
            out.extend_from_slice(b",\"b64\":\"");
            escape::base64(bytes, out);
            out.push(b'"');
        }
    }
}

fn http(http: &Http<'_>, out: &mut Vec<u8>) {
    let mut o = Object::open(out);
    o.text("kind", kind_name(http.kind));
    o.number("stream", u64::from(http.stream));
    o.maybe("method", http.method.as_deref());
    o.maybe("path", http.path.as_deref());
    if let Some(status) = http.status {
        o.number("status", u64::from(status));
    }
    if matches!(http.kind, HttpKind::Request | HttpKind::Response) {
        o.pairs("headers", &http.headers);
    }
    if !http.trailers.is_empty() {
        o.pairs("trailers", &http.trailers);
    }
    o.maybe("event", http.event.as_deref());
    o.maybe("id", http.id.as_deref());
    if let Some(retry) = http.retry {
        o.number("retry", retry);
    }
    if http.comment {
        o.key("comment");
        o.out.extend_from_slice(b"true");
    }
    o.maybe("raw", http.raw.as_deref());
    o.maybe("how", http.how.map(end_name));
    o.maybe("encoding", http.encoding.as_deref());
    if http.undecoded {
        o.key("undecoded");
        o.out.extend_from_slice(b"true");
    }
    if let Some(cut) = http.cut {
        o.number("cut", cut);
    }
    o.close();
}

fn kind_name(kind: HttpKind) -> &'static str {
    match kind {
        HttpKind::Request => "request",
        HttpKind::Response => "response",
        HttpKind::Sse => "sse",
        HttpKind::End => "end",
    }
}

fn end_name(how: HttpEnd) -> &'static str {
    match how {
        HttpEnd::Eof => "eof",
        HttpEnd::Reset => "reset",
        HttpEnd::Client => "client",
        HttpEnd::Timeout => "timeout",
    }
}

/// Appends an event. Its `line` is not written.
pub fn event(event: &Event, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"t\":");
    seconds(event.t, out);
    conn(event.conn, out);
    let mut o = Object { out, first: false };
    o.text("event", event_name(&event.kind));
    match &event.kind {
        EventKind::Spawn { pid } => {
            if let Some(pid) = pid {
                o.number("pid", u64::from(*pid));
            }
        }
        EventKind::SpawnFailed { why } => o.text("why", why),
        EventKind::Open | EventKind::Close | EventKind::Other(_) => {}
        EventKind::Signal { name } => o.text("signal", name),
        EventKind::Eof { of } => o.text("of", of.as_str()),
        EventKind::Exit { status, signal } => {
            if let Some(status) = status {
                o.key("status");
                let _ = write!(o.out, "{status}");
            }
            o.maybe("signal", signal.as_deref());
        }
        EventKind::End { frames } => {
            if let Some(frames) = frames {
                o.number("frames", *frames);
            }
        }
        EventKind::Gap { dir, frames, bytes, why } => {
            o.maybe("dir", dir.map(Dir::as_str));
            if let Some(frames) = frames {
                o.number("frames", *frames);
            }
            if let Some(bytes) = bytes {
                o.number("bytes", *bytes);
            }
            o.text("why", why);
        }
        EventKind::Partial { dir, bytes, since } => {
            o.text("dir", dir.as_str());
            o.number("bytes", *bytes);
            o.key("since");
            seconds(*since, o.out);
        }
        EventKind::Blocked { dir, since } => {
            o.text("dir", dir.as_str());
            o.key("since");
            seconds(*since, o.out);
        }
        EventKind::Undelivered { dir, bytes } => {
            o.text("dir", dir.as_str());
            o.number("bytes", *bytes);
        }
        EventKind::Clock { wall } => o.text("wall", wall),
    }
    o.close();
    out.push(b'\n');
}

/// The name that the format gives to an event.
pub fn event_name(kind: &EventKind) -> &str {
    match kind {
        EventKind::Spawn { .. } => "spawn",
        EventKind::SpawnFailed { .. } => "spawn-failed",
        EventKind::Open => "open",
        EventKind::Close => "close",
        EventKind::Signal { .. } => "signal",
        EventKind::Eof { .. } => "eof",
        EventKind::Exit { .. } => "exit",
        EventKind::End { .. } => "end",
        EventKind::Gap { .. } => "gap",
        EventKind::Partial { .. } => "partial",
        EventKind::Blocked { .. } => "blocked",
        EventKind::Undelivered { .. } => "undelivered",
        EventKind::Clock { .. } => "clock",
        EventKind::Other(name) => name,
    }
}

fn conn(conn: u32, out: &mut Vec<u8>) {
    if conn > 1 {
        out.extend_from_slice(b",\"conn\":");
        number(u64::from(conn), 1, out);
    }
}

/// Microseconds as seconds with six decimals.
fn seconds(t: Micros, out: &mut Vec<u8>) {
    if t < 0 {
        out.push(b'-');
    }
    let t = t.unsigned_abs();
    number(t / 1_000_000, 1, out);
    out.push(b'.');
    number(t % 1_000_000, 6, out);
}

/// Decimal digits, at least `width` of them. `write!` costs several times as much, and there is one a frame.
fn number(mut n: u64, width: usize, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    while n > 0 || digits.len() - at < width {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
    }
    out.extend_from_slice(&digits[at..]);
}

/// A JSON object in the making.
struct Object<'o> {
    out: &'o mut Vec<u8>,
    first: bool,
}

impl<'o> Object<'o> {
    fn open(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Object { out, first: true }
    }

    fn close(self) {
        self.out.push(b'}');
    }

    /// Our own keys need no escaping.
    fn key(&mut self, key: &str) {
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        escape::quote(value.as_bytes(), self.out);
    }

    fn maybe(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    fn number(&mut self, key: &str, value: u64) {
        self.key(key);
        number(value, 1, self.out);
    }

    fn list(&mut self, key: &str, values: &[String]) {
        self.key(key);
        self.out.push(b'[');
        for (i, value) in values.iter().enumerate() {
            if i > 0 {
                self.out.push(b',');
            }
            escape::quote(value.as_bytes(), self.out);
        }
        self.out.push(b']');
    }

    fn pairs(&mut self, key: &str, pairs: &Headers<'_>) {
        self.key(key);
        self.out.push(b'[');
        for (i, (name, value)) in pairs.iter().enumerate() {
            self.out.extend_from_slice(if i > 0 { b",[" } else { b"[" });
            escape::quote(name.as_bytes(), self.out);
            self.out.push(b',');
            escape::quote(value.as_bytes(), self.out);
            self.out.push(b']');
        }
        self.out.push(b']');
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::format::native::Reader;
    use crate::wire::frame::{Item, Place};
    use proptest::prelude::*;

    fn stdio(t: Micros, dir: Dir, eol: Eol, payload: &[u8]) -> Frame<'_> {
        Frame { line: 0, t, dir, conn: 1, payload, eol, http: None, place: Place::default() }
    }

    #[test]
    fn lines_as_the_format_describes_them() {
        let mut out = Vec::new();
        frame(&stdio(123, Dir::C2s, Eol::Lf, br#" {"id":1e400,"id":"\ud800"}"#), &mut out);
        frame(&stdio(4_200_000, Dir::S2c, Eol::CrLf, "Server “x”\t…".as_bytes()), &mut out);
        frame(&stdio(-1, Dir::Err, Eol::None, b"\xff\xfe"), &mut out);
        frame(&stdio(0, Dir::S2c, Eol::Lf, b""), &mut out);
        frame(&stdio(0, Dir::S2c, Eol::Lf, b"{\n}"), &mut out);
        let gap = EventKind::Gap { dir: Some(Dir::S2c), frames: None, bytes: Some(7), why: "full".into() };
        event(&Event { line: 0, t: 5, conn: 2, kind: gap }, &mut out);
        let want = r#"{"t":0.000123,"dir":"c2s","msg": {"id":1e400,"id":"\ud800"}}
{"t":4.200000,"dir":"s2c","eol":"\r\n","text":"Server “x”\t…"}
{"t":-0.000001,"dir":"err","eol":"","b64":"//4="}
{"t":0.000000,"dir":"s2c","text":""}
{"t":0.000000,"dir":"s2c","text":"{\n}"}
{"t":0.000005,"conn":2,"event":"gap","dir":"s2c","bytes":7,"why":"full"}
"#;
        assert_eq!(String::from_utf8(out).unwrap(), want);
    }

    #[test]
    fn header_round_trip() {
        let mut written = Header {
            version: 1,
            created: Some("2026-11-30T09:31:08.123456Z".into()),
            tool: Some("mcpscope 0.1.0".into()),
            name: Some("é\"\n".into()),
            transport: Some("stdio".into()),
            command: vec!["node".into(), String::new()],
            host: Some(crate::format::Host { name: Some("code".into()), pid: Some(4711) }),
            env: vec!["HOME".into()],
            ..Header::default()
        };
        let mut out = Vec::new();
        header(&written, &mut out);
        let mut reader = Reader::new();
        reader.feed(&out, &mut |_| panic!("a header is no item"));
        written.raw = out[..out.len() - 1].to_vec();
        assert_eq!(reader.header(), Some(&written));
    }

    fn event_kinds() -> impl Strategy<Value = EventKind> {
        let dir = || prop::sample::select(vec![Dir::C2s, Dir::S2c, Dir::Err]);
        let t = -1_000_000_000i64..1_000_000_000;
        prop_oneof![
            any::<Option<u32>>().prop_map(|pid| EventKind::Spawn { pid }),
            ".*".prop_map(|why| EventKind::SpawnFailed { why }),
            Just(EventKind::Open),
            Just(EventKind::Close),
            Just(EventKind::Signal { name: "SIGTERM".into() }),
            dir().prop_map(|of| EventKind::Eof { of }),
            (any::<Option<i32>>(), prop::option::of("SIG[A-Z]+"))
                .prop_map(|(status, signal)| EventKind::Exit { status, signal }),
            prop::option::of(0..1u64 << 60).prop_map(|frames| EventKind::End { frames }),
            (prop::option::of(dir()), prop::option::of(0..9u64), prop::option::of(0..1u64 << 40), ".*")
                .prop_map(|(dir, frames, bytes, why)| EventKind::Gap { dir, frames, bytes, why }),
            (dir(), 0..1u64 << 40, t.clone()).prop_map(|(dir, bytes, since)| EventKind::Partial { dir, bytes, since }),
            (dir(), t).prop_map(|(dir, since)| EventKind::Blocked { dir, since }),
            (dir(), 0..1u64 << 40).prop_map(|(dir, bytes)| EventKind::Undelivered { dir, bytes }),
            ".*".prop_map(|wall| EventKind::Clock { wall }),
            "[a-z]{3,8}x".prop_map(EventKind::Other),
        ]
    }

    fn https() -> impl Strategy<Value = Http<'static>> {
        let kinds = vec![HttpKind::Request, HttpKind::Response, HttpKind::Sse, HttpKind::End];
        let hows = vec![HttpEnd::Eof, HttpEnd::Reset, HttpEnd::Client, HttpEnd::Timeout];
        let text = || prop::option::of(".*".prop_map(std::borrow::Cow::<'static, str>::Owned));
        let pairs = prop::collection::vec((".*".prop_map(Into::into), ".*".prop_map(Into::into)), 0..4);
        (
            (prop::sample::select(kinds), any::<u32>(), text(), text(), any::<Option<u16>>(), pairs),
            (text(), text(), prop::option::of(0..1u64 << 50), any::<bool>(), text()),
            (prop::sample::select(hows), text(), any::<bool>(), prop::option::of(0..1u64 << 50)),
        )
            .prop_map(|(a, b, c)| {
                let mut http = Http::new(a.0, a.1);
                (http.method, http.path, http.status) = (a.2, a.3, a.4);
                if matches!(a.0, HttpKind::Request | HttpKind::Response) {
                    http.headers = a.5;
                } else {
                    http.trailers = a.5;
                }
                (http.event, http.id, http.retry, http.comment, http.raw) = b;
                http.how = (a.0 == HttpKind::End).then_some(c.0);
                (http.encoding, http.undecoded, http.cut) = (c.1, c.2, c.3);
                http
            })
    }

    proptest! {
        /// What is written is read again, whatever the bytes, cut into any pieces.
        #[test]
        fn frames_round_trip(
            t in -1_000_000_000_000i64..1_000_000_000_000,
            dir in prop::sample::select(vec![Dir::C2s, Dir::S2c, Dir::Err]),
            eol in prop::sample::select(vec![Eol::Lf, Eol::CrLf, Eol::None]),
            conn in 1u32..4,
            payload in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..60),
                ".{0,40}".prop_map(String::into_bytes),
                crate::format::native::tests::json().prop_map(|v| v.to_string().into_bytes()),
            ],
            http in prop::option::of(https()),
            piece in 1usize..50,
        ) {
            // A line never holds its own end, and a carriage return before the end belongs to the end.
            let mut payload = payload;
            if http.is_none() {
                payload.retain(|c| *c != b'\n');
                while eol == Eol::Lf && payload.last() == Some(&b'\r') {
                    payload.pop();
                }
            }
            let written = Frame { line: 1, t, dir, conn, payload: &payload, eol, http, place: Place::default() };
            let mut out = Vec::new();
            frame(&written, &mut out);
            prop_assert_eq!(out.iter().filter(|c| **c == b'\n').count(), 1);
            let mut parts = Vec::new();
            if frame_before_payload(&written, &mut parts) {
                parts.extend_from_slice(&payload);
                parts.extend_from_slice(TAIL);
                prop_assert_eq!(&parts, &out);
            }
            prop_assert!(std::str::from_utf8(&out).is_ok());
            let (mut reader, mut seen) = (Reader::new(), 0);
            let mut check = |item: Item<'_>| {
                let Item::Frame(mut read) = item else { panic!() };
                let place = std::mem::take(&mut read.place);
                let at = place.offset as usize;
                assert_eq!(crate::format::decode(place.encoding, &out[at..at + place.len as usize]), read.payload);
                assert_eq!(format!("{read:?}"), format!("{written:?}"));
                seen += 1;
            };
            for part in out.chunks(piece) {
                reader.feed(part, &mut check);
            }
            prop_assert_eq!((seen, reader.faults().len()), (1, 0));
        }

        #[test]
        fn events_round_trip(t in 0i64..1_000_000_000_000, conn in 1u32..4, kind in event_kinds()) {
            let written = Event { line: 1, t, conn, kind };
            let mut out = Vec::new();
            event(&written, &mut out);
            let mut seen = Vec::new();
            Reader::new().feed(&out, &mut |item| {
                let Item::Event(read) = item else { panic!() };
                seen.push(read);
            });
            prop_assert_eq!(seen, [written]);
        }
    }
}
