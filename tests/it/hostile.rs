//! Traffic that wants to break the analysis: it never panics, keeps its books in order, and takes linear time.

use std::borrow::Cow;

use mcpscope::analysis::Origin;
use mcpscope::trace::{NONE, Row, Store};
use mcpscope::wire::frame::{Dir, Eol, EventKind, Http, HttpEnd, HttpKind};
use proptest::prelude::*;

use crate::wire::{META, Wire};

/// What a random wire is made of.
#[derive(Clone, Debug)]
enum Step {
    Line { conn: u32, dir: Dir, bytes: Vec<u8>, eol: Eol },
    Http { conn: u32, dir: Dir, kind: HttpKind, stream: u32, status: u16, header: usize, bytes: Vec<u8> },
    Event { conn: u32, kind: EventKind },
    Settle,
}

const METHODS: [&str; 12] = [
    "initialize",
    "notifications/initialized",
    "ping",
    "tools/list",
    "tools/call",
    "subscriptions/listen",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/message",
    "server/discover",
    "elicitation/create",
    "x",
];

fn id() -> BoxedStrategy<String> {
    prop_oneof![
        (0..4u32).prop_map(|n| n.to_string()),
        (0..4u32).prop_map(|n| format!("\"{n}\"")),
        Just("null".to_owned()),
        Just("1.5".to_owned()),
        Just("[{}]".to_owned()),
        Just("9007199254740993".to_owned()),
    ]
    .boxed()
}

fn message() -> BoxedStrategy<String> {
    let params = prop_oneof![
        Just(String::new()),
        Just(format!(r#","params":{{{META}}}"#)),
        Just(r#","params":[]"#.to_owned()),
        Just(r#","params":{"protocolVersion":"2025-03-26","capabilities":{}}"#.to_owned()),
        id().prop_map(|id| format!(
            r#","params":{{{META},"requestId":{id},"progressToken":{id},"progress":1,"cursor":"c"}}"#
        )),
        id().prop_map(|id| format!(r#","params":{{{META},"name":"a","requestState":{id},"inputResponses":{{}}}}"#)),
    ];
    let answer = prop_oneof![
        Just(r#""result":{}"#),
        Just(r#""result":{"resultType":"input_required","requestState":"1","inputRequests":{"a":{}}}"#),
        Just(r##""result":{"tools":[{"name":"a","inputSchema":{"type":"object","$ref":"#/x"}}],"nextCursor":"c"}"##),
        Just(r#""result":{"protocolVersion":"2026-07-28"},"error":null"#),
        Just(r#""error":{"code":-32022,"data":{"supported":[]}}"#),
        Just(r#""error":7"#),
    ];
    prop_oneof![
        (id(), prop::sample::select(&METHODS[..]), params.clone())
            .prop_map(|(id, m, p)| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{m}"{p}}}"#)),
        (prop::sample::select(&METHODS[..]), params)
            .prop_map(|(m, p)| format!(r#"{{"jsonrpc":"2.0","method":"{m}"{p}}}"#)),
        (id(), answer.clone()).prop_map(|(id, a)| format!(r#"{{"jsonrpc":"2.0","id":{id},{a}}}"#)),
        answer.prop_map(|a| format!(r#"{{"jsonrpc":"2.0",{a}}}"#)),
    ]
    .boxed()
}

fn text() -> BoxedStrategy<Vec<u8>> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\ud83d",
        "\u{FEFF}",
        "\u{FFFD}",
        "NaN",
        "1e999",
        "\"id\"",
        "\"method\"",
        "\"a\"",
        "\"jsonrpc\":\"2.0\"",
        "Content-Length: 12",
        "\r",
        "INFO up",
        "null",
        " ",
        "12345678901234567890",
        "{\"id\":1,",
    ]);
    prop_oneof![
        6 => message().prop_map(String::into_bytes),
        1 => prop::collection::vec(message(), 0..4).prop_map(|m| format!("[{}]", m.join(",")).into_bytes()),
        1 => prop::collection::vec(message(), 2..4).prop_map(|m| m.concat().into_bytes()),
        1 => (message(), 0..60usize).prop_map(|(m, n)| m.as_bytes()[..n.min(m.len())].to_vec()),
        2 => prop::collection::vec(piece, 0..12).prop_map(|p| p.concat().into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ]
    .boxed()
}

fn step() -> BoxedStrategy<Step> {
    let dir = || prop::sample::select(vec![Dir::C2s, Dir::S2c, Dir::C2s, Dir::S2c, Dir::Err]);
    let eol = prop::sample::select(vec![Eol::Lf, Eol::Lf, Eol::Lf, Eol::CrLf, Eol::None]);
    let kind = prop::sample::select(vec![HttpKind::Request, HttpKind::Response, HttpKind::Sse, HttpKind::End]);
    let event = prop_oneof![
        Just(EventKind::Spawn { pid: None }),
        Just(EventKind::Open),
        Just(EventKind::Close),
        Just(EventKind::SpawnFailed { why: "no".to_owned() }),
        dir().prop_map(|of| EventKind::Eof { of }),
        Just(EventKind::Exit { status: Some(127), signal: None }),
        Just(EventKind::Signal { name: "SIGTERM".to_owned() }),
        Just(EventKind::Gap { dir: None, frames: None, bytes: None, why: String::new() }),
        dir().prop_map(|dir| EventKind::Partial { dir, bytes: 9, since: 0 }),
        dir().prop_map(|dir| EventKind::Blocked { dir, since: 0 }),
        Just(EventKind::End { frames: None }),
    ];
    prop_oneof![
        8 => (1..3u32, dir(), text(), eol).prop_map(|(conn, dir, bytes, eol)| Step::Line { conn, dir, bytes, eol }),
        8 => (1..3u32, dir(), kind, 0..4u32, prop::sample::select(vec![200u16, 202, 400, 401, 404, 500]), 0..6usize, text())
            .prop_map(|(conn, dir, kind, stream, status, header, bytes)| Step::Http { conn, dir, kind, stream, status, header, bytes }),
        1 => (0..3u32, event).prop_map(|(conn, kind)| Step::Event { conn, kind }),
        1 => Just(Step::Settle),
    ]
    .boxed()
}

fn run(steps: &[Step], origin: Origin) -> Wire {
    let mut w = Wire::new(origin);
    for step in steps {
        match step {
            Step::Line { conn, dir, bytes, eol } => w.frame(*conn, *dir, bytes, *eol, None),
            Step::Http { conn, dir, kind, stream, status, header, bytes } => {
                let mut http = Http::new(*kind, *stream);
                http.method = (*kind == HttpKind::Request).then_some(Cow::Borrowed(["POST", "GET"][header % 2]));
                http.status = (*kind == HttpKind::Response).then_some(*status);
                http.how =
                    (*kind == HttpKind::End).then_some([HttpEnd::Eof, HttpEnd::Client, HttpEnd::Reset][header % 3]);
                http.id = (*kind == HttpKind::Sse).then(|| Cow::Owned(format!("e{header}")));
                let headers = [
                    ("content-type", "application/json"),
                    ("content-type", "text/event-stream"),
                    ("mcp-session-id", "s1"),
                    ("mcp-protocol-version", "2026-07-28"),
                    ("mcp-name", "=?base64?!?="),
                    ("location", "/"),
                ];
                http.headers = headers[*header..].iter().map(|(n, v)| (Cow::Borrowed(*n), Cow::Borrowed(*v))).collect();
                w.frame(*conn, *dir, bytes, Eol::Lf, Some(http));
            }
            Step::Event { conn, kind } => w.event(*conn, kind.clone()),
            Step::Settle => w.analyzer.settle(&mut w.store),
        }
    }
    w.finish();
    w
}

/// Every index leads somewhere, and counts are what they count.
fn books(store: &Store) {
    let records = store.records.len() as u32;
    let exchanges = store.exchanges.len() as u32;
    let fits = |n: u32, of: u32| assert!(n == NONE || n < of);
    for r in &store.records {
        fits(r.exchange, exchanges);
        assert!((r.session as usize) < store.sessions.len());
    }
    for e in &store.exchanges {
        assert!(e.first() < records);
        for r in [e.request, e.response, e.cancelled_by] {
            fits(r, records);
        }
        for x in [e.same_id, e.retry_of, e.retried_by, e.parent] {
            fits(x, exchanges);
        }
    }
    let messages = store.records.iter().filter(|r| r.kind.is_message()).count();
    assert_eq!(messages, store.messages as usize);
    let mut rows = std::collections::BTreeSet::new();
    for row in &store.rows {
        let (kind, n, of) = match *row {
            Row::Exchange(e) => (0, e, exchanges),
            Row::Loose(r) => (1, r, records),
        };
        assert!(n < of && rows.insert((kind, n)), "{row:?}");
    }
    for (_, f) in store.findings() {
        assert!(f.record < records && !f.message.is_empty(), "{f:?}");
        assert!(store.records[f.record as usize].worst >= f.severity.rank());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_traffic_breaks_the_books(steps in prop::collection::vec(step(), 0..40)) {
        for origin in [Origin::Native, Origin::Foreign, Origin::Excerpt] {
            let a = run(&steps, origin);
            books(&a.store);
            let b = run(&steps, origin);
            prop_assert!(a.store.findings().eq(b.store.findings()));
        }
    }
}

/// Time that this thread computed, so that a busy machine does not count.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ran = text.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    ran.map_or_else(|| std::time::UNIX_EPOCH.elapsed().unwrap().as_secs_f64(), |n| n / 1e9)
}

/// Four times the traffic takes about four times as long; with quadratic work it would be sixteen.
fn linear(name: &str, feed: impl Fn(&mut Wire, u32)) {
    let time = |n: u32| {
        let begin = cpu();
        let mut w = Wire::new(Origin::Foreign);
        feed(&mut w, n);
        w.finish();
        assert!(w.store.records.len() as u32 >= n);
        cpu() - begin
    };
    let n = 1500;
    time(n / 10);
    let (small, large) = (time(n), time(4 * n));
    eprintln!("{name}: {small:.3} s, {large:.3} s");
    assert!(large < 9.0 * small + 0.05, "{name}: {n} take {small:.3} s, {} take {large:.3} s", 4 * n);
}

fn call(id: impl std::fmt::Display) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{{META}}}}}"#)
}

fn error(id: impl std::fmt::Display) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"no"}}}}"#)
}

#[test]
fn time_is_linear_in_what_is_open() {
    linear("one id in flight many times, then answered", |w, n| {
        (0..n).for_each(|_| {
            w.c2s(call(1));
        });
        (0..n).for_each(|_| {
            w.s2c(error(1));
        });
    });
    linear("many unanswered, with stderr", |w, n| {
        (0..n).for_each(|i| {
            w.c2s(call(i));
            w.frame(1, Dir::Err, b"oops", Eol::Lf, None);
        });
    });
    linear("answered under another type, newest first", |w, n| {
        (0..n).for_each(|i| {
            w.c2s(call(i));
        });
        (0..n).rev().for_each(|i| {
            w.s2c(error(format!("\"{i}\"")));
        });
    });
    linear("answers to ids that nobody sent", |w, n| {
        (0..n).for_each(|i| {
            w.c2s(call(i)).s2c(error(format!("\"x{i}\"")));
        });
    });
    linear("cancelled under one id, answered late", |w, n| {
        (0..n).for_each(|_| {
            w.c2s(call(1));
            w.c2s(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
        });
        (0..n).for_each(|_| {
            w.s2c(error(1));
        });
    });
    linear("asking for input, never retried", |w, n| {
        let ask = |i, more: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":{i},"method":"tools/call","params":{{{META},"name":"a"{more}}}}}"#)
        };
        (0..n).for_each(|i| {
            w.c2s(ask(i, ""));
            w.s2c(format!(r#"{{"jsonrpc":"2.0","id":{i},"result":{{"resultType":"input_required","inputRequests":{{"k{i}":{{}}}}}}}}"#));
        });
        (0..n).for_each(|i| {
            w.c2s(ask(n + i, r#","inputResponses":{"zz":{}}"#));
        });
    });
    linear("subscriptions opened, then ended oldest first", |w, n| {
        (0..n).for_each(|i| {
            w.c2s(format!(r#"{{"jsonrpc":"2.0","id":{i},"method":"subscriptions/listen","params":{{{META},"notifications":{{}}}}}}"#));
        });
        (0..n).for_each(|i| {
            w.s2c(error(i));
        });
    });
}

#[test]
fn time_is_linear_in_what_is_broken() {
    linear("lines that begin a value and do not end it", |w, n| {
        (0..n).for_each(|_| {
            w.s2c("{\"a\":");
        });
    });
    linear("a value that is never closed", |w, n| {
        w.s2c("{");
        (0..n).for_each(|i| {
            w.s2c(format!("\"k{i}\": 1,"));
        });
    });
    linear("noise", |w, n| {
        (0..n).for_each(|i| {
            w.s2c(format!("line {i}"));
        });
    });
    linear("messages glued together on one line", |w, n| {
        w.s2c((0..n).map(|i| format!("{}é", error(i))).collect::<String>().replace('é', " "));
    });
    linear("messages glued together, text that is not ASCII at the end", |w, n| {
        w.s2c((0..n).map(error).collect::<String>() + r#"{"a":"é"}"#);
    });
    linear("a batch", |w, n| {
        w.c2s(format!("[{}]", (0..n).map(call).collect::<Vec<_>>().join(",")));
        (0..n).for_each(|i| {
            w.s2c(error(i));
        });
    });
    linear("language server headers", |w, n| {
        (0..n).for_each(|_| {
            w.c2s("Content-Length: 5");
        });
    });
}

#[test]
fn time_is_linear_over_http() {
    linear("a batch in one body, answered under other ids in its stream", |w, n| {
        w.post(1, format!("[{}]", (0..n).map(call).collect::<Vec<_>>().join(",")));
        (0..n).for_each(|i| {
            w.frame(1, Dir::S2c, error(format!("\"x{i}\"")).as_bytes(), Eol::Lf, Some(Http::new(HttpKind::Sse, 1)));
        });
    });
    linear("a batch in one body, refused and ended again and again", |w, n| {
        w.post(1, format!("[{}]", (0..n).map(call).collect::<Vec<_>>().join(",")));
        (0..n / 10).for_each(|_| {
            w.answer(1, 500, "");
            w.frame(1, Dir::S2c, b"", Eol::Lf, Some(Http::new(HttpKind::End, 1)));
        });
    });
    linear("sessions", |w, n| {
        (0..n).for_each(|i| {
            w.post(i, r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}"#);
            w.answer(i, 200, r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#);
        });
    });
    linear("streams that stay open", |w, n| {
        (0..n).for_each(|i| {
            w.post(i, call(i));
        });
        (0..n).for_each(|i| {
            w.answer(i, 200, error(i));
        });
    });
}

/// Nesting and schemas cost no stack.
#[test]
fn a_small_stack_is_enough() {
    let feed = || {
        let mut w = Wire::new(Origin::Foreign);
        w.c2s(call(1));
        w.s2c(r##"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[{"name":"a","inputSchema":{"type":"object","$ref":"#/x"}}]}}"##);
        w.c2s(format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{{META},"name":"a","arguments":{{"a":1}}}}}}"#
        ));
        w.s2c(format!(r#"{{"jsonrpc":"2.0","id":2,"result":{}1{}}}"#, "[".repeat(100_000), "]".repeat(100_000)));
        w.finish();
        books(&w.store);
    };
    std::thread::Builder::new().stack_size(1 << 19).spawn(feed).unwrap().join().unwrap();
}
