//! Reading: what a file says, whole, torn, in pieces, and as other recorders write it.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use serde_json::Value;

use super::Reader;
use crate::format::{FaultKind, decode};
use crate::wire::frame::{Encoding, HttpEnd, HttpKind, Item};

/// Any JSON value, for properties.
pub(super) fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((".{0,6}", inner), 0..6).prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

/// Reads a text whole, checks that each payload is found again at its place, and prints an item a line.
fn read(text: &[u8]) -> (Vec<String>, Reader) {
    let mut out = Vec::new();
    let mut reader = Reader::new();
    let mut each = |item: Item<'_>| {
        if let Item::Frame(f) = &item {
            let end = f.place.offset + u64::from(f.place.len);
            let stored = &text[f.place.offset as usize..end as usize];
            assert_eq!(decode(f.place.encoding, stored), f.payload);
        }
        out.push(match item {
            Item::Frame(f) => format!(
                "{} {} {} {} {:?} {}{}",
                f.line,
                f.t,
                f.dir.as_str(),
                f.conn,
                f.eol,
                f.http.map(|h| format!("{:?}/{} ", h.kind, h.stream)).unwrap_or_default(),
                String::from_utf8_lossy(f.payload)
            ),
            Item::Event(e) => format!("{} {} {:?} {}", e.line, e.t, e.kind, e.conn),
        });
    };
    reader.feed(text, &mut each);
    reader.finish(&mut each);
    (out, reader)
}

const WHOLE: &str = r#"{"mcpscope_trace":1,"created":"2026-11-30T09:31:08.123456Z","tool":"mcpscope 0.1.0","name":"everything","transport":"stdio","command":["node","server.js"],"host":{"name":"code","pid":4711},"cwd":"/w","path":"/bin","env":["HOME","PATH"],"sanitized":null,"later":{"a":1}}
{"t":0.000050,"event":"spawn","pid":4712}
{"t":0.000123,"dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}}
{"t":0.004200,"dir":"s2c","text":"Server \"listening\"…"}
{"t":0.004300,"dir":"s2c","eol":"\r\n","b64":"//4="}
{"t":0.004400,"dir":"err","eol":"","text":"debug: ready"}
{"t":0.005000,"dir":"c2s","msg": [1, 2] }
{"t":0.006000,"event":"breakpoint","id":3}
{"t":1.500000,"event":"eof","of":"c2s"}
{"t":1.500000,"event":"exit","status":3}
{"t":1.500100,"event":"end","frames":5}
"#;

#[test]
fn a_whole_trace() {
    let (items, reader) = read(WHOLE.as_bytes());
    assert_eq!(
        items,
        [
            "2 50 Spawn { pid: Some(4712) } 1",
            "3 123 c2s 1 Lf {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}",
            "4 4200 s2c 1 Lf Server \"listening\"…",
            "5 4300 s2c 1 CrLf \u{fffd}\u{fffd}",
            "6 4400 err 1 None debug: ready",
            "7 5000 c2s 1 Lf  [1, 2] ",
            "8 6000 Other(\"breakpoint\") 1",
            "9 1500000 Eof { of: C2s } 1",
            "10 1500000 Exit { status: Some(3), signal: None } 1",
            "11 1500100 End { frames: Some(5) } 1",
        ]
    );
    assert!(reader.faults().is_empty());
    let header = reader.header().unwrap();
    assert_eq!(header.command, ["node", "server.js"]);
    assert_eq!(header.host.as_ref().unwrap().pid, Some(4711));
    assert_eq!((header.version, header.sanitized.as_deref()), (1, None));
    assert!(String::from_utf8_lossy(&header.raw).contains("\"later\""));
}

#[test]
fn http_frames() {
    let text = r#"{"t":0.01,"dir":"c2s","conn":2,"http":{"kind":"request","stream":7,"method":"POST","path":"/mcp","headers":[["Mcp-Method","tools/list"],["X","a\tb"],["X",""]]},"msg":{}}
{"t":0.02,"dir":"s2c","conn":2,"http":{"kind":"response","stream":7,"status":200,"headers":[["Content-Type","text/event-stream"]],"encoding":"gzip","undecoded":true,"cut":9}}
{"t":0.03,"dir":"s2c","conn":2,"http":{"kind":"sse","stream":7,"event":"message","id":"4","retry":500,"raw":"data:x\n\n"},"text":"x"}
{"t":0.04,"dir":"s2c","conn":2,"http":{"kind":"sse","stream":7,"comment":true},"text":" ping"}
{"t":0.05,"dir":"s2c","conn":2,"http":{"kind":"end","stream":7,"how":"timeout"}}
"#;
    let mut seen = Vec::new();
    let mut reader = Reader::new();
    reader.feed(text.as_bytes(), &mut |item| {
        let Item::Frame(f) = item else { panic!() };
        assert_eq!(f.conn, 2);
        seen.push((f.http.unwrap().into_owned(), f.payload.to_vec()));
    });
    let [request, response, sse, comment, end] = &seen[..] else { panic!("{seen:?}") };
    assert_eq!((request.0.method.as_deref(), request.0.path.as_deref()), (Some("POST"), Some("/mcp")));
    assert_eq!(request.0.headers.len(), 3);
    assert_eq!(request.0.header("x"), Some("a\tb"));
    assert_eq!((response.0.status, response.0.undecoded, response.0.cut), (Some(200), true, Some(9)));
    assert!(response.1.is_empty());
    assert_eq!((sse.0.event.as_deref(), sse.0.id.as_deref(), sse.0.retry), (Some("message"), Some("4"), Some(500)));
    assert_eq!(sse.0.raw.as_deref(), Some("data:x\n\n"));
    assert!(comment.0.comment && comment.1 == b" ping");
    assert_eq!((end.0.kind, end.0.how), (HttpKind::End, Some(HttpEnd::Timeout)));
}

#[test]
fn other_recorders() {
    let text = r#"{"t": 0.000564, "dir": "ctl", "event": "spawn"}
{"t": 0.1, "dir": "c2s", "raw": "{\"id\":1}\r"}
{"t": 0.2, "dir": "s2c", "raw": "no end", "nl": false}
{"t": 0.3, "dir": "s2c", "raw_b64": "//4="}
{"t": 0.4, "dir": "ctl", "event": "exit", "signal": 15}
{"t": 0.5, "proc": 2, "dir": "ctl", "event": "spawn"}
{"t": 0.6, "proc": 2, "dir": "err", "raw": "x\\r"}
{"t": 0.7, "dir": "s2c", "http": {"kind": "sse", "stream": 1, "end": true}, "raw": ""}
{"t": 0.8, "dir": "s2c", "http": {"kind": "sse", "stream": 1, "comment": " keep-alive", "text": ": keep-alive\n\n"}, "raw": ""}
{"t": 0.9, "dir": "s2c", "http": {"kind": "sse", "stream": 1, "comment": true}, "raw": "k"}
{"t": 1.0, "dir": "c2s", "http": {"kind": "request", "method": "GET", "path": "/", "headers": {"Accept": "a", "B": ["1", "2"]}, "stream": 2}, "raw": ""}"#;
    let (items, reader) = read(text.as_bytes());
    assert_eq!(
        items,
        [
            "1 564 Spawn { pid: None } 1",
            "2 100000 c2s 1 CrLf {\"id\":1}",
            "3 200000 s2c 1 None no end",
            "4 300000 s2c 1 Lf \u{fffd}\u{fffd}",
            "5 400000 Exit { status: None, signal: Some(\"SIGTERM\") } 1",
            "6 500000 Spawn { pid: None } 2",
            "7 600000 err 2 Lf x\\r",
            "8 700000 s2c 1 Lf End/1 ",
            "9 800000 s2c 1 Lf Sse/1  keep-alive",
            "10 900000 s2c 1 Lf Sse/1 k",
            "11 1000000 c2s 1 Lf Request/2 ",
        ]
    );
    assert!(reader.faults().is_empty() && reader.header().is_none());
}

#[test]
fn each_start_is_a_connection() {
    let text = "{\"t\":0,\"event\":\"spawn\",\"pid\":1}\n{\"t\":1,\"dir\":\"c2s\",\"msg\":1}\n{\"t\":2,\"event\":\"exit\"}\n\
                {\"t\":3,\"event\":\"spawn\",\"pid\":2}\n{\"t\":4,\"dir\":\"c2s\",\"msg\":1}\n";
    let mut conns = Vec::new();
    Reader::new().feed(text.as_bytes(), &mut |item| {
        conns.push(match item {
            Item::Frame(f) => f.conn,
            Item::Event(e) => e.conn,
        });
    });
    assert_eq!(conns, [1, 1, 1, 2, 2]);
}

#[test]
fn torn_lines_are_reported_and_the_rest_is_read() {
    let head = "{\"t\":1,\"dir\":\"c2s\",\"msg\":{\"a\":1}}\n";
    let next = "{\"t\":2,\"dir\":\"s2c\",\"msg\":{\"a\":{\"b\":{}},\"c\":\"}\"}}\n";
    // The last line, cut at every byte.
    for cut in 1..next.len() - 1 {
        let text = [head, &next[..cut]].concat();
        let (items, reader) = read(text.as_bytes());
        assert_eq!(items.len(), 1, "cut at {cut}");
        assert_eq!(reader.faults().len(), 1);
        assert_eq!((reader.faults()[0].line, reader.faults()[0].kind), (2, FaultKind::TornLast));
    }
    // A whole last line without its line feed.
    assert_eq!(read([head, next.trim_end()].concat().as_bytes()).0.len(), 2);
    // The next record glued to a torn one: nothing of the line can be trusted.
    for cut in 1..next.len() - 1 {
        let text = [&next[..cut], next, head].concat();
        let (items, reader) = read(text.as_bytes());
        assert_eq!(items.len(), 1, "cut at {cut}: {items:?}");
        assert_eq!(reader.faults().len(), 1);
        assert_ne!(reader.faults()[0].kind, FaultKind::TornLast);
    }
}

#[test]
fn what_is_no_record_is_a_fault() {
    let text = "hello\n\n{\"t\":1}\n[1]\n{\"t\":1,\"dir\":\"up\",\"msg\":{}}\n{\"t\":1,\"dir\":\"s2c\",\"b64\":\"*\"}\n\
                {\"t\":1,\"dir\":\"s2c\",\"http\":{\"kind\":\"x\"}}\n{\"dir\":\"s2c\",\"msg\":1,\"t\":7,\"x\":[]}\n";
    let (items, reader) = read(text.as_bytes());
    assert_eq!(items, ["8 7000000 s2c 1 Lf 1"]);
    assert_eq!(reader.faults().iter().map(|f| f.line).collect::<Vec<_>>(), [1, 3, 4, 5, 6, 7]);
    assert_eq!(reader.faults()[1].offset, 7);
    assert!(!Reader::sniff(text.as_bytes()));
    assert!(Reader::sniff(WHOLE.as_bytes()) && Reader::sniff(WHOLE[400..].split_once('\n').unwrap().1.as_bytes()));
}

#[test]
fn shared_recordings_are_read_whole() {
    let shared = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared"));
    if !shared.exists() {
        return eprintln!("skipped: no ../shared");
    }
    let mut files: Vec<_> = std::fs::read_dir(shared.join("traces/raw")).unwrap().map(|f| f.unwrap().path()).collect();
    files.extend(std::fs::read_dir(shared.join("cases")).unwrap().map(|f| f.unwrap().path().join("wire.jsonl")));
    files.retain(|f| f.exists());
    assert!(files.len() > 40);
    for file in files {
        let text = std::fs::read(&file).unwrap();
        assert!(Reader::sniff(&text), "{}", file.display());
        let (items, reader) = read(&text);
        assert!(reader.faults().is_empty(), "{}: {:?}", file.display(), reader.faults());
        assert_eq!(items.len(), text.split(|c| *c == b'\n').filter(|l| !l.is_empty()).count(), "{}", file.display());
    }
}

proptest! {
    /// Any chunking gives the same items.
    #[test]
    fn chunks_do_not_matter(cuts in prop::collection::vec(0usize..1400, 0..12)) {
        let text = WHOLE.as_bytes();
        let mut cuts: Vec<_> = cuts.into_iter().map(|c| c.min(text.len())).collect();
        cuts.push(text.len());
        cuts.sort_unstable();
        let (mut whole, mut pieces) = (Vec::new(), Vec::new());
        Reader::new().feed(text, &mut |item| whole.push(format!("{item:?}")));
        let (mut reader, mut from) = (Reader::new(), 0);
        for cut in cuts {
            reader.feed(&text[from..cut], &mut |item| pieces.push(format!("{item:?}")));
            from = cut;
        }
        prop_assert_eq!(whole, pieces);
    }

    /// No bytes make the reader panic.
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read(&bytes);
    }

    /// Nor do lines that are nearly right.
    #[test]
    fn any_broken_line(cut in 0usize..1400, byte in any::<u8>()) {
        let mut bytes = WHOLE.as_bytes().to_vec();
        let cut = cut.min(bytes.len() - 1);
        bytes[cut] = byte;
        read(&bytes);
    }
}

#[test]
fn decode_is_by_encoding() {
    assert_eq!(&*decode(Encoding::Verbatim, br"a\n"), br"a\n");
    assert_eq!(&*decode(Encoding::JsonString, br"a\n"), b"a\n");
    assert_eq!(&*decode(Encoding::Base64, b"//4="), b"\xff\xfe");
}
