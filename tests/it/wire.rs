//! Wires made by hand: what lines become messages, how they pair, and what is said about them.

use std::borrow::Cow;

use mcpscope::analysis::{Analyzer, Origin};
use mcpscope::rules::Options;
use mcpscope::trace::{Outcome, RecordKind, Store};
use mcpscope::wire::frame::{Dir, Eol, Event, EventKind, Frame, Http, HttpKind, Item, Place};

/// Feeds items one by one; each has its own line number, from 1, and comes a millisecond after the one before.
pub struct Wire {
    pub store: Store,
    pub analyzer: Analyzer,
    line: u32,
}

pub const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

impl Wire {
    pub fn new(origin: Origin) -> Wire {
        Wire { store: Store::new(), analyzer: Analyzer::new(Options::default(), origin), line: 0 }
    }

    pub fn frame(&mut self, conn: u32, dir: Dir, bytes: &[u8], eol: Eol, http: Option<Http<'_>>) {
        self.line += 1;
        let t = i64::from(self.line) * 1000;
        let place = Place::default();
        let frame = Frame { line: self.line, t, dir, conn, payload: bytes, eol, http, place };
        self.analyzer.push(&mut self.store, Item::Frame(frame));
    }

    pub fn event(&mut self, conn: u32, kind: EventKind) {
        self.line += 1;
        let event = Event { line: self.line, t: i64::from(self.line) * 1000, conn, kind };
        self.analyzer.push(&mut self.store, Item::Event(event));
    }

    pub fn c2s(&mut self, text: impl AsRef<[u8]>) -> &mut Wire {
        self.frame(1, Dir::C2s, text.as_ref(), Eol::Lf, None);
        self
    }

    pub fn s2c(&mut self, text: impl AsRef<[u8]>) -> &mut Wire {
        self.frame(1, Dir::S2c, text.as_ref(), Eol::Lf, None);
        self
    }

    pub fn post(&mut self, stream: u32, body: impl AsRef<[u8]>) -> &mut Wire {
        let mut http = Http::new(HttpKind::Request, stream);
        http.method = Some(Cow::Borrowed("POST"));
        http.headers = vec![(Cow::Borrowed("content-type"), Cow::Borrowed("application/json"))];
        self.frame(1, Dir::C2s, body.as_ref(), Eol::Lf, Some(http));
        self
    }

    pub fn answer(&mut self, stream: u32, status: u16, body: impl AsRef<[u8]>) -> &mut Wire {
        let mut http = Http::new(HttpKind::Response, stream);
        http.status = Some(status);
        http.headers = vec![(Cow::Borrowed("content-type"), Cow::Borrowed("application/json"))];
        self.frame(1, Dir::S2c, body.as_ref(), Eol::Lf, Some(http));
        self
    }

    pub fn finish(&mut self) -> &mut Wire {
        self.analyzer.finish(&mut self.store);
        self
    }

    /// `rule@line` of all findings of the layers that need no list and no shape, sorted.
    pub fn found(&self) -> Vec<String> {
        let low = ["transport", "json", "jsonrpc"];
        let mut all: Vec<String> = self
            .store
            .findings()
            .filter(|(_, f)| low.contains(&f.layer.as_str()))
            .map(|(_, f)| format!("{}@{}", f.rule, self.store.records[f.record as usize].line))
            .collect();
        all.sort();
        all
    }

    fn outcomes(&self) -> Vec<Outcome> {
        self.store.exchanges.iter().map(|e| e.outcome).collect()
    }

    fn message(&self, rule: &str) -> String {
        self.store.findings().find(|(_, f)| f.rule == rule).map(|(_, f)| f.message.to_string()).unwrap_or_default()
    }

    fn kinds(&self) -> Vec<RecordKind> {
        self.store.records.iter().map(|r| r.kind).collect()
    }
}

fn call(id: impl std::fmt::Display) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{{META}}}}}"#)
}

fn legacy() -> Wire {
    let mut w = Wire::new(Origin::Foreign);
    w.c2s(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#)
        .s2c(r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#)
        .c2s(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    w
}

fn error(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0"{id},"error":{{"code":-32603,"message":"no"}}}}"#)
}

#[test]
fn a_message_over_several_lines_is_one_finding_and_is_paired() {
    let mut w = Wire::new(Origin::Foreign);
    w.c2s(call(1));
    for line in [
        "{",
        " \"jsonrpc\": \"2.0\",",
        " \"id\": 1,",
        " \"error\": {\"code\": -32603,",
        "  \"message\": \"a",
        "b\"}",
        "}",
    ] {
        w.s2c(line);
    }
    w.c2s(call(2)).s2c(error(r#","id":2"#)).finish();
    assert_eq!(w.found(), ["json-embedded-newline@2"]);
    assert_eq!(w.outcomes(), [Outcome::ProtocolError; 2]);
    let joined = &w.store.recovered[&1];
    assert_eq!(joined.last, 7);
    let text = String::from_utf8_lossy(&joined.bytes);
    assert!(text.contains(r#""message": "a\nb""#), "the line feed in the string is escaped: {text}");
    assert_eq!(w.store.messages, 4);
}

#[test]
fn a_broken_line_stands_at_its_place_and_hides_nothing_after_it() {
    let mut w = Wire::new(Origin::Foreign);
    w.c2s(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"#);
    w.s2c(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#);
    w.c2s(call(2)).s2c(error(r#","id":2"#)).finish();
    // The error answers a line that nobody could read: it is right without an id, and right as a parse error.
    assert_eq!(w.found(), ["json-syntax@1"]);
    let kinds = [RecordKind::Unreadable, RecordKind::Error, RecordKind::Request, RecordKind::Error];
    assert_eq!(w.kinds(), kinds);
}

#[test]
fn two_and_three_messages_on_a_line_are_all_paired() {
    let mut w = Wire::new(Origin::Foreign);
    w.c2s(call(1)).c2s(call(2)).c2s(call(3));
    w.s2c([error(r#","id":2"#), error(r#","id":3"#), error(r#","id":"1""#)].concat()).finish();
    assert_eq!(w.found(), ["id-type-changed@4", "json-trailing-data@4"]);
    assert_eq!(w.outcomes(), [Outcome::ProtocolError; 3]);
    let parts: Vec<_> = w.store.records[3..].iter().map(|r| (r.part_start, r.part_len)).collect();
    let len = error(r#","id":2"#).len() as u32;
    assert_eq!(parts, [(0, len), (len, len), (2 * len, len + 2)]);
}

#[test]
fn language_server_framing_is_named_once_and_the_bodies_are_read() {
    let mut w = Wire::new(Origin::Foreign);
    let body = call(1);
    w.c2s("Content-Length: 52\r").c2s("\r");
    // The body has no line feed: the next header is glued to it.
    w.c2s(format!("{body}Content-Length: 52\r")).c2s("\r").c2s(format!("{}Content-Length: 99", call(2))).c2s("");
    w.c2s("Content-Length: 80 {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}");
    w.s2c(error(r#","id":1"#)).s2c(error(r#","id":2"#)).finish();
    assert_eq!(w.found(), ["lsp-framing@1"]);
    assert_eq!(w.outcomes()[..2], [Outcome::ProtocolError; 2]);
    let first = w.store.records.iter().find(|r| r.kind == RecordKind::Request).unwrap();
    assert_eq!((first.part_start, first.part_len), (0, body.len() as u32));
    let glued = w.store.records.iter().find(|r| r.kind == RecordKind::Notification).unwrap();
    assert_eq!((glued.part_start, glued.part_len), (19, 44));
}

#[test]
fn a_cut_tail_is_an_answer_cut_off_and_not_a_missing_one() {
    let mut w = Wire::new(Origin::Foreign);
    w.c2s(call(1)).c2s(call(12));
    w.frame(1, Dir::S2c, br#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"na"#, Eol::None, None);
    w.finish();
    assert_eq!(w.found(), ["request-unanswered@2", "truncated-at-eof@3"]);
    assert!(w.store.exchanges[0].has(mcpscope::trace::exchange::flags::CUT));
    // Cut inside the id: nobody knows whether it was 1 or 12.
    let mut w = Wire::new(Origin::Foreign);
    w.c2s(call(1)).c2s(call(12));
    w.frame(1, Dir::S2c, br#"{"jsonrpc":"2.0","id":1"#, Eol::None, None);
    w.finish();
    assert_eq!(w.found(), ["request-unanswered@1", "request-unanswered@2", "truncated-at-eof@3"]);
    assert!(
        w.message("request-unanswered").contains("line 3 in reply could not be read"),
        "{}",
        w.message("request-unanswered")
    );
}

#[test]
fn a_byte_order_mark_and_bytes_of_a_code_page_hide_no_message() {
    let mut w = Wire::new(Origin::Foreign);
    w.c2s([b"\xEF\xBB\xBF".as_slice(), call(1).as_bytes()].concat());
    w.s2c(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"caf\xe9\"}}").finish();
    assert_eq!(w.found(), ["json-bom@1", "json-not-utf8@2"]);
    assert_eq!(w.outcomes(), [Outcome::ProtocolError]);
}

#[test]
fn ids_of_all_kinds() {
    let mut w = Wire::new(Origin::Foreign);
    for id in ["null", "true", "1.5", "[1]", "{}", "\"\"", "-0", "1e2", "12345678901234567890123"] {
        w.c2s(call(id)).s2c(error(&format!(r#","id":{id}"#)));
    }
    w.finish();
    let odd: Vec<String> = w.found().into_iter().filter(|f| !f.starts_with("json-unsafe")).collect();
    let wrong = ["id-wrong-type@10", "id-wrong-type@3", "id-wrong-type@4", "id-wrong-type@5", "id-wrong-type@6"];
    let wrong = [["id-null@1"].as_slice(), &wrong, &["id-wrong-type@7", "id-wrong-type@8", "id-wrong-type@9"]].concat();
    assert_eq!(odd, wrong);
    assert!(w.outcomes().iter().all(|o| *o == Outcome::ProtocolError), "{:?}", w.outcomes());
}

#[test]
fn a_refused_batch_answers_all_its_requests() {
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]"#;
    let mut w = legacy();
    w.c2s(batch).s2c(error("")).finish();
    assert_eq!(w.found(), ["batch-refused@5"]);
    assert_eq!(w.outcomes()[2..], [Outcome::ProtocolError; 2]);
    // One of them was answered: the error without id is about something else.
    let mut w = legacy();
    w.c2s(batch).s2c(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).s2c(error("")).finish();
    assert_eq!(w.found(), ["error-id-lost@6", "request-unanswered@4"]);
    // The answers as one array, in another order.
    let mut w = legacy();
    let answers = r#"[{"jsonrpc":"2.0","id":2,"result":{"tools":[]}},{"jsonrpc":"2.0","id":1,"result":{}}]"#;
    w.c2s(batch).s2c(answers).finish();
    assert_eq!(w.found(), Vec::<String>::new());
    let span = |r: usize| (w.store.records[r].part_start as usize, w.store.records[r].part_len as usize);
    let (at, len) = span(6);
    assert_eq!(&answers[at..at + len], r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
}

#[test]
fn what_comes_before_any_sign_is_judged_by_the_sign_that_follows() {
    use mcpscope::mcp::Revision;
    let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    let revision = |w: &Wire| w.store.records.iter().find(|r| r.kind == RecordKind::Request).unwrap().judged;
    let mut w = Wire::new(Origin::Excerpt);
    w.c2s(ping).c2s(call(1)).finish();
    assert_eq!((revision(&w).revision, revision(&w).assumed), (Revision::V2026_07_28, false));
    let mut w = Wire::new(Origin::Excerpt);
    w.c2s(ping).c2s(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#);
    w.finish();
    assert_eq!((revision(&w).revision, revision(&w).assumed), (Revision::V2025_06_18, false));
    let mut w = Wire::new(Origin::Excerpt);
    w.c2s(ping).s2c(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#).finish();
    assert_eq!((revision(&w).revision, revision(&w).assumed), (Revision::V2025_11_25, true));
    // Lines stay in their order, whatever was held.
    let lines: Vec<_> = w.store.records.iter().map(|r| r.line).collect();
    assert_eq!(lines, [1, 2]);
}

#[test]
fn ids_belong_to_a_direction_and_to_a_process() {
    let mut w = legacy();
    w.c2s(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).s2c(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    w.c2s(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).s2c(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).finish();
    assert_eq!(w.found(), Vec::<String>::new());
    // Two starts of the server in one file: what the second one answers is no answer of the first.
    let mut w = Wire::new(Origin::Native);
    for conn in [1, 2] {
        w.event(conn, EventKind::Spawn { pid: None });
        w.frame(conn, Dir::C2s, call(1).as_bytes(), Eol::Lf, None);
        if conn == 2 {
            w.frame(conn, Dir::S2c, error(r#","id":1"#).as_bytes(), Eol::Lf, None);
        }
        w.event(conn, EventKind::Exit { status: Some(3), signal: None });
    }
    w.event(0, EventKind::End { frames: None });
    assert_eq!(w.found(), ["request-unanswered@2", "stdio-server-exited@3"]);
    assert!(w.message("request-unanswered").contains("status 3 (line 3)"), "{}", w.message("request-unanswered"));
    assert_eq!(w.store.sessions.len(), 2);
}

#[test]
fn a_recording_that_stops_blames_nobody() {
    let mut w = Wire::new(Origin::Native);
    w.event(1, EventKind::Spawn { pid: None });
    w.c2s(call(1)).finish();
    assert_eq!(w.found(), ["request-unanswered@2"]);
    let (_, finding) = w.store.findings().next().unwrap();
    assert_eq!(finding.severity, mcpscope::trace::Severity::Info);
    assert!(finding.message.contains("the recording ended"), "{}", finding.message);
    // A gap may have swallowed the answer.
    let mut w = Wire::new(Origin::Native);
    w.event(1, EventKind::Spawn { pid: None });
    w.c2s(call(1));
    w.event(1, EventKind::Gap { dir: None, frames: Some(3), bytes: None, why: "disk full".to_owned() });
    w.event(1, EventKind::Exit { status: Some(0), signal: None });
    w.finish();
    assert!(!w.found().iter().any(|f| f.starts_with("request-unanswered")), "{:?}", w.found());
    assert_eq!(w.store.not_judged.keys().map(|n| n.rule).collect::<Vec<_>>(), ["request-unanswered"]);
}

#[test]
fn a_command_that_does_not_run_is_no_crash() {
    for (status, rule) in [(127, "spawn-failed"), (126, "spawn-failed"), (1, "stdio-server-exited")] {
        let mut w = Wire::new(Origin::Native);
        w.event(1, EventKind::Spawn { pid: None });
        w.c2s(call(1));
        w.event(1, EventKind::Eof { of: Dir::S2c });
        w.event(1, EventKind::Exit { status: Some(status), signal: None });
        w.event(0, EventKind::End { frames: None });
        let rules: Vec<String> = w.found().iter().map(|f| f.split('@').next().unwrap().to_owned()).collect();
        let mut want = vec!["request-unanswered", rule];
        want.sort_unstable();
        assert_eq!(rules, want, "status {status}");
    }
    // Its client closed its input first: no crash.
    let mut w = Wire::new(Origin::Native);
    w.event(1, EventKind::Spawn { pid: None });
    w.c2s(call(1));
    w.event(1, EventKind::Eof { of: Dir::C2s });
    w.event(1, EventKind::Exit { status: Some(0), signal: None });
    w.event(0, EventKind::End { frames: None });
    assert_eq!(w.found(), ["request-unanswered@2"]);
    assert!(w.message("request-unanswered").contains("its sender closed the stream (line 3)"));
}

#[test]
fn why_a_request_has_no_answer() {
    let reason = |lines: &[&str]| {
        let mut w = legacy();
        w.c2s(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
        lines.iter().for_each(|l| {
            w.s2c(l);
        });
        w.finish();
        w.message("request-unanswered").rsplit("never answered: ").next().unwrap().to_owned()
    };
    assert_eq!(reason(&[]), "the other side was silent");
    assert_eq!(reason(&[&error("")]), "line 5 is a response without id and may be its answer");
    assert_eq!(
        reason(&[r#"{"jsonrpc":"2.0","id":"x","result":{}}"#]),
        "line 5 is a response with id \"x\", which no open request has"
    );
    assert_eq!(
        reason(&[r#"{"jsonrpc":"2.0","id":0,"result":{}}"#]),
        "line 5 is a response with id 0, which no open request has"
    );
    assert_eq!(reason(&["oops"]), "line 5 in reply could not be read");
    assert_eq!(reason(&[r#"{"jsonrpc":"2.0","id":1,}"#]), "line 5 in reply could not be read");
}

#[test]
fn a_notification_with_an_id_may_be_answered() {
    let mut w = legacy();
    w.c2s(r#"{"jsonrpc":"2.0","id":9,"method":"notifications/roots/list_changed"}"#).s2c(error(r#","id":9"#)).finish();
    assert_eq!(w.found(), ["notification-with-id@4"]);
    assert_eq!(w.outcomes().last(), Some(&Outcome::Notification));
}

#[test]
fn over_http_the_exchange_pairs_what_lost_its_id() {
    let mut w = Wire::new(Origin::Foreign);
    w.post(1, call(1)).post(2, call(2)).answer(2, 200, error("")).answer(1, 400, error(r#","id":null"#)).finish();
    let mine: Vec<String> = w.found().into_iter().filter(|f| !f.starts_with("http-")).collect();
    assert_eq!(mine, ["error-id-lost@3", "error-without-id@4"]);
    assert_eq!(w.outcomes(), [Outcome::ProtocolError; 2]);
    // A body that is no JSON: a parse error without id is right.
    let mut w = Wire::new(Origin::Foreign);
    w.post(1, r#"{"jsonrpc":"2.0","id":1,}"#);
    w.answer(1, 400, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#).finish();
    let mine: Vec<String> = w.found().into_iter().filter(|f| !f.starts_with("http-")).collect();
    assert_eq!(mine, ["json-syntax@1"]);
}
