//! Each foreign format: a small file of it is recognised, and gives what stands in it; what is broken does no harm.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;

use super::{FORMATS, Import, detect, named, read};
use crate::trace::Missing;
use crate::wire::frame::{Dir, EventKind, Item};

const INIT: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
const INIT_ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"s"}}}"#;
const CALL: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#;

/// A file, its format, and how many messages of the client, of the server, lines of stderr and events it holds.
type Case = (&'static str, String, [usize; 4]);

fn har(text: &str, encoding: &str, kind: &str) -> String {
    let (text, call) = (serde_json::to_string(text).unwrap(), serde_json::to_string(CALL).unwrap());
    format!(
        r#"{{"log":{{"version":"1.2","creator":{{"name":"b"}},"entries":[
{{"startedDateTime":"2026-01-01T00:00:01Z","time":1,"request":{{"method":"GET","url":"http://h/logo.png","headers":[]}},"response":{{"status":200,"headers":[],"content":{{"size":3}}}},"timings":{{}}}},
{{"startedDateTime":"2026-01-01T00:00:00Z","time":30,"request":{{"method":"POST","url":"http://h/mcp","headers":[{{"name":"Accept","value":"a"}}],"postData":{{"text":{call}}}}},
"response":{{"status":200,"headers":[{{"name":"Content-Type","value":"{kind}"}}],"content":{{"size":9,"mimeType":"{kind}","text":{text}{encoding}}}}},"timings":{{"send":1,"wait":9,"receive":20}}}}]}}}}"#
    )
}

fn tnet(kind: char, payload: &str) -> String {
    format!("{}:{payload}{kind}", payload.len())
}

fn flow() -> String {
    let pair = |k: &str, v: String| format!("{}{v}", tnet(',', k));
    let headers = |kind: &str| tnet(']', &tnet(']', &format!("{}{}", tnet(',', "Content-Type"), tnet(',', kind))));
    let request = [
        pair("method", tnet(',', "POST")),
        pair("scheme", tnet(',', "http")),
        pair("host", tnet(';', "h")),
        pair("port", tnet('#', "80")),
        pair("path", tnet(',', "/mcp")),
        pair("timestamp_start", tnet('^', "1.5")),
        pair("content", tnet(',', CALL)),
        pair("headers", headers("application/json")),
    ];
    let response = [
        pair("status_code", tnet('#', "200")),
        pair("timestamp_start", tnet('^', "1.75")),
        pair("timestamp_end", tnet('^', "2.0")),
        pair("content", tnet(',', ANSWER)),
        pair("headers", headers("application/json")),
    ];
    let all = format!(
        "{}{}{}",
        pair("response", tnet('}', &response.concat())),
        pair("request", tnet('}', &request.concat())),
        pair("error", "0:~".into())
    );
    tnet('}', &all)
}

fn cases() -> Vec<Case> {
    let quoted = |s: &str| serde_json::to_string(s).unwrap();
    vec![
        ("raw", format!("{INIT}\r\n{INIT_ANSWER}\n\n// a comment\nready\n{CALL}\n{ANSWER}"), [2, 3, 0, 0]),
        ("raw", format!("[{CALL},{ANSWER}]"), [1, 1, 0, 0]),
        ("raw", format!("{}\n{ANSWER}", CALL.replace(',', ",\n  ")), [1, 1, 0, 0]),
        (
            "tee",
            format!("2026-01-01 10:00:00 --> {CALL}\n[10:00:01] <-- {ANSWER}\nstderr: warn\nserver started\n"),
            [1, 1, 1, 1],
        ),
        ("tee", format!("proxy got {CALL}\nproxy got {ANSWER}\n"), [1, 1, 0, 0]),
        (
            "claude-desktop",
            format!(
                "2026-01-01T00:00:00.000Z [s] [info] Initializing server... {{ metadata: undefined }}\n\
                 2026-01-01T00:00:00.100Z [s] [info] Using: {{\n  metadata: {{ args: [ 'x', [length]: 1 ] }}\n}} %o\n\
                 2026-01-01T00:00:01.000Z [s] [info] Message from client: {INIT} {{ metadata: undefined }}\n\
                 booting\n\
                 2026-01-01T00:00:02.000Z [s] [info] Message from server: {INIT_ANSWER} {{ metadata: undefined }}\n\
                 2026-01-01T00:00:03.000Z [s] [info] Server transport closed\n\
                 2026-01-01T00:00:04.000Z [s] [info] Message from client: {INIT}\n"
            ),
            [2, 1, 1, 4],
        ),
        (
            "claude-desktop",
            format!(
                "2026-01-01T00:00:00.000Z [info] Connecting\n2026-01-01T00:00:01.000Z [info] [a] Message from client: {INIT}\n\
                 2026-01-01T00:00:01.500Z [info] [b] Message from client: {INIT}\n"
            ),
            [2, 0, 0, 1],
        ),
        (
            "claude-code",
            format!(
                "{{\"debug\":\"Starting connection\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"sessionId\":\"a\"}}\n\
                 {{\"debug\":{},\"timestamp\":\"2026-01-01T00:00:01Z\",\"sessionId\":\"a\"}}\n\
                 {{\"error\":\"Server stderr: a\\nb\",\"timestamp\":\"2026-01-01T00:00:02Z\",\"sessionId\":\"a\"}}\n",
                quoted(&format!("sending {CALL}"))
            ),
            [1, 0, 2, 2],
        ),
        (
            "vscode",
            format!(
                "2026-01-01 00:00:00.000 [info] Starting server s\n\
                 2026-01-01 00:00:00.500 [trace] [editor -> server] {INIT}\n\
                 2026-01-01 00:00:01.000 [trace] [server -> editor] {INIT_ANSWER}\n\
                 2026-01-01 00:00:01.100 [warning] [server stderr] hm\n    at stack\n"
            ),
            [1, 1, 1, 3],
        ),
        (
            "cursor",
            "2026-01-01 00:00:00.000 [info] Handling CreateClient action\n\
             2026-01-01 00:00:00.000 [info] Handling CreateClient action\n\
             2026-01-01 00:00:01.000 [info] Starting new stdio process with command: x --token SECRET\n"
                .into(),
            [0, 0, 0, 2],
        ),
        ("har", har(&format!("data: {ANSWER}\n\n: ping\n\n"), "", "text/event-stream"), [1, 4, 0, 0]),
        ("har", har(ANSWER, "", "application/json"), [1, 2, 0, 0]),
        ("har", har("ZGF0YTogMQoK", r#","encoding":"base64""#, "text/event-stream"), [1, 3, 0, 0]),
        ("mitmproxy", flow(), [1, 2, 0, 0]),
        (
            "inspector",
            format!(
                "[{{\"id\":\"1\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"direction\":\"request\",\"origin\":\"client\",\
                 \"message\":{CALL},\"response\":{ANSWER},\"duration\":5}},\n\
                 {{\"id\":\"2\",\"timestamp\":\"2026-01-01T00:00:01Z\",\"direction\":\"request\",\
                 \"message\":{{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"roots/list\"}}}}]"
            ),
            [1, 2, 0, 0],
        ),
        (
            "inspector",
            format!(
                "[{{\"timestamp\":\"2026-01-01T00:00:00Z\",\"method\":\"POST\",\"url\":\"http://h/mcp\",\
                 \"requestHeaders\":{{}},\"requestBody\":{},\"responseStatus\":200,\
                 \"responseHeaders\":{{\"content-type\":\"application/json\"}},\"responseBody\":{}}}]",
                quoted(CALL),
                quoted(ANSWER)
            ),
            [1, 2, 0, 0],
        ),
        (
            "mcp-remote",
            "[2026-01-01T00:00:00.000Z][7] [Local→Remote] tools/call\n\
             [2026-01-01T00:00:00.001Z][7] Local → Remote message {\"method\":\"tools/call\",\"id\":3,\"params\":\"{\\\"na\"}\n\
             [2026-01-01T00:00:00.002Z][7] Remote → Local message {\"id\":3,\"error\":\"gone\"}\n\
             [7] Connection error {\"errorMessage\":\"x\"}\n"
                .into(),
            [1, 1, 0, 1],
        ),
        (
            "python-sdk",
            format!(
                "2026-01-01 00:00:00,000 - mcp.server.sse - DEBUG - Received JSON: b'{CALL}'\n\
                 2026-01-01 00:00:00,001 - sse - DEBUG - chunk: b'event: message\\r\\ndata: {ANSWER}\\r\\n\\r\\n'\n\
                 INFO:x:hello\n"
            ),
            [1, 1, 0, 1],
        ),
        (
            "rmcp",
            "2026-01-01T00:00:00Z DEBUG serve_inner: rmcp::service: received request id=1\n\
             2026-01-01T00:00:01Z DEBUG serve_inner: rmcp::service: response message id=1\n"
                .into(),
            [0, 0, 0, 2],
        ),
        (
            "mcp-tape",
            format!(
                "{{\"v\":1,\"type\":\"meta\",\"label\":\"s\",\"command\":[\"x\"]}}\n\
                 {{\"t\":\"2026-01-01T00:00:00Z\",\"dir\":\"in\",\"raw\":{CALL}}}\n\
                 {{\"t\":\"2026-01-01T00:00:01Z\",\"dir\":\"out\",\"raw\":{ANSWER}}}\n\
                 {{\"t\":\"2026-01-01T00:00:02Z\",\"type\":\"end\",\"exitCode\":3}}\n"
            ),
            [1, 1, 0, 1],
        ),
        (
            "mcp-cassette",
            format!(
                "{{\"type\":\"header\",\"cassetteVersion\":2,\"startedAt\":\"2026-01-01T00:00:00Z\",\"transport\":\"stdio\"}}\n\
                 {{\"type\":\"later\"}}\n{{\"type\":\"raw\",\"t\":9,\"dir\":\"s2c\",\"data\":\"noise\\n\"}}\n\
                 {{\"type\":\"frame\",\"t\":5,\"dir\":\"c2s\",\"frame\":{CALL}}}\n\
                 {{\"type\":\"chunks\",\"t\":1,\"dir\":\"s2c\",\"chunks\":[{{\"t\":7,\"frame\":{ANSWER}}}]}}\n"
            ),
            [1, 2, 0, 0],
        ),
        (
            "mcp-cassette-py",
            format!(
                "{{\"format_version\":3,\"recorded_at\":\"2026-01-01T00:00:00Z\",\"transport\":\"stdio\",\"messages\":[\n\
                 {{\"sender\":\"client\",\"t_offset_ms\":0,\"payload\":{CALL}}},\n\
                 {{\"sender\":\"server\",\"t_offset_ms\":2,\"kind\":\"raw\",\"payload\":\"noise\"}}]}}"
            ),
            [1, 1, 0, 0],
        ),
        (
            "mcp-rec",
            format!(
                "{{\"ts\":1.5,\"dir\":\"client->server\",\"msg\":{CALL}}}\n\
                 {{\"ts\":2.0,\"dir\":\"server->client\",\"msg\":{ANSWER}}}\n{{\"ts\":2.5,\"dir\":\"serv"
            ),
            [1, 1, 0, 0],
        ),
        (
            "mcp-recorder",
            format!(
                "{{\"version\":\"1.0\",\"metadata\":{{}},\"interactions\":[{{\"type\":\"jsonrpc_request\",\"request\":{CALL},\
                 \"response\":{ANSWER},\"latency_ms\":4}},{{\"type\":\"lifecycle\",\"http_method\":\"DELETE\"}}]}}"
            ),
            [1, 1, 0, 1],
        ),
        (
            "mcp-trace-validator",
            format!(
                "{{\"seq\":0,\"direction\":\"client-to-server\",\"transport\":\"stdio\",\"kind\":\"message\",\"payload\":{CALL}}}\n\
                 {{\"seq\":1,\"direction\":\"client-to-server\",\"transport\":\"stdio\",\"kind\":\"lifecycle\",\"event\":\"transport-close\"}}\n"
            ),
            [1, 0, 0, 1],
        ),
        (
            "agent-vcr",
            format!(
                "{{\"format_version\":\"1.0.0\",\"metadata\":{{\"recorded_at\":\"2026-01-01T00:00:00\"}},\"session\":{{\
                 \"initialize_request\":{INIT},\"initialize_response\":{INIT_ANSWER},\"interactions\":[{{\
                 \"timestamp\":\"2026-01-01T00:00:01\",\"direction\":\"client_to_server\",\"request\":{CALL},\
                 \"response\":{ANSWER},\"latency_ms\":1}}]}}}}"
            ),
            [2, 2, 0, 0],
        ),
        (
            "otlp",
            "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[\
             {\"spanId\":\"a\",\"kind\":3,\"startTimeUnixNano\":\"1000000\",\"endTimeUnixNano\":2000000,\"attributes\":[\
             {\"key\":\"mcp.method.name\",\"value\":{\"stringValue\":\"tools/call\"}},\
             {\"key\":\"jsonrpc.request.id\",\"value\":{\"stringValue\":\"1\"}},\
             {\"key\":\"error.type\",\"value\":{\"stringValue\":\"tool_error\"}}],\"status\":{\"code\":2}},\
             {\"spanId\":\"b\",\"parentSpanId\":\"a\",\"kind\":2,\"attributes\":[\
             {\"key\":\"mcp.method.name\",\"value\":{\"stringValue\":\"tools/call\"}}]},\
             {\"spanId\":\"c\",\"kind\":1,\"attributes\":[]}]}]}]}\n"
                .into(),
            [1, 1, 0, 0],
        ),
    ]
}

fn count(import: &Import) -> [usize; 4] {
    let mut n = [0; 4];
    import.items(&mut |item| match item {
        Item::Frame(f) => n[f.dir as usize] += 1,
        Item::Event(_) => n[3] += 1,
    });
    n
}

/// An item a line: line of the file, milliseconds, connection, what.
fn printed(import: &Import) -> String {
    let mut out = String::new();
    import.items(&mut |item| {
        let _ = match item {
            Item::Frame(f) => writeln!(
                out,
                "{} {} {} {} {}",
                f.line,
                f.t / 1000,
                f.conn,
                f.dir.as_str(),
                String::from_utf8_lossy(f.payload)
            ),
            Item::Event(e) => writeln!(out, "{} {} {} {:?}", e.line, e.t / 1000, e.conn, e.kind),
        };
    });
    out
}

fn import(name: &str, text: &str) -> Import {
    read(named(name).unwrap(), text.as_bytes())
}

#[test]
fn each_format_is_recognised_and_read() {
    let mut seen = std::collections::BTreeSet::new();
    for (name, text, want) in cases() {
        let found = detect(text.as_bytes()).map(|f| f.name);
        assert_eq!(found, Some(name), "{text}");
        let import = import(name, &text);
        assert_eq!(count(&import), want, "{name}: {text}\n{}{:?}", printed(&import), import.notes);
        seen.insert(name);
    }
    for format in FORMATS {
        assert!(seen.contains(format.name), "no sample of {}", format.name);
    }
}

#[test]
fn every_sample_opens_as_what_it_is() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/formats/samples"));
    if !folder.is_dir() {
        eprintln!("skipped: there are no samples at {}", folder.display());
        return;
    }
    for (file, format, want) in [
        ("agent-vcr.vcr", "agent-vcr", [2, 2, 0, 0]),
        ("base64-body.har", "har", [2, 7, 0, 0]),
        ("browser.har", "har", [2, 7, 0, 0]),
        ("claude-code-mcp-logs.jsonl", "claude-code", [0, 0, 1, 5]),
        ("claude-desktop-mcp.log", "claude-desktop", [1, 1, 0, 3]),
        ("claude-desktop-server.log", "claude-desktop", [2, 1, 1, 7]),
        ("cursor-2.log", "cursor", [0, 0, 0, 6]),
        ("cursor-mcp.log", "cursor", [0, 0, 0, 6]),
        ("inspector-network.json", "inspector", [1, 2, 0, 0]),
        ("inspector-protocol.json", "inspector", [3, 2, 0, 1]),
        ("mcp-cassette-node.cassette.jsonl", "mcp-cassette", [1, 4, 0, 0]),
        ("mcp-cassette-py.json", "mcp-cassette-py", [1, 2, 0, 0]),
        ("mcp-rec.jsonl", "mcp-rec", [1, 1, 0, 0]),
        ("mcp-recorder.cassette.json", "mcp-recorder", [2, 1, 0, 1]),
        ("mcp-remote-debug.log", "mcp-remote", [1, 1, 0, 1]),
        ("mcp-tape-v1.jsonl", "mcp-tape", [1, 1, 0, 1]),
        ("mcp-trace-validator.jsonl", "mcp-trace-validator", [1, 1, 0, 3]),
        ("mitmproxy-flow.mitm", "mitmproxy", [1, 5, 0, 0]),
        ("mitmproxy.har", "har", [1, 5, 0, 0]),
        ("otlp-traces.jsonl", "otlp", [1, 1, 0, 0]),
        ("python-sdk-debug.log", "python-sdk", [1, 1, 0, 1]),
        ("raw-nodir.jsonl", "raw", [3, 2, 0, 0]),
        ("raw-torn.jsonl", "raw", [2, 2, 0, 0]),
        ("rmcp-tracing.log", "rmcp", [0, 0, 0, 3]),
        ("tee-arrows.log", "tee", [3, 2, 1, 0]),
        ("vscode-2025-03.log", "vscode", [1, 1, 0, 0]),
        ("vscode-mcp-output.log", "vscode", [3, 2, 1, 6]),
    ] {
        let bytes = std::fs::read(folder.join(file)).unwrap();
        assert_eq!(detect(&bytes).map(|f| f.name), Some(format), "{file}");
        let import = read(named(format).unwrap(), &bytes);
        assert_eq!(count(&import), want, "{file}\n{}{:?}", printed(&import), import.notes);
        assert_eq!(import.fault_count(), 0, "{file}: {:?}", import.faults());
    }
}

#[test]
fn runs_of_a_log_are_connections_and_times_are_kept() {
    let (_, text, _) = cases().swap_remove(5);
    let import = import("claude-desktop", &text);
    let shown = printed(&import);
    assert!(shown.contains("5 1000 1 c2s {\"jsonrpc\""), "{shown}");
    assert!(shown.contains("6 1000 1 err booting"), "{shown}");
    assert!(shown.contains("9 4000 2 c2s {\"jsonrpc\""), "{shown}");
    assert!(!shown.contains("metadata"), "{shown}");
    assert_eq!(import.header.created.as_deref(), Some("2026-01-01T00:00:00Z"));
    assert_eq!(import.header.name.as_deref(), Some("s"));
    assert!(!import.excerpt, "it begins with the handshake");
    assert!(import.missing.has(Missing::BYTES) && !import.missing.any(Missing::TIME | Missing::DIRECTION));
}

#[test]
fn directions_come_from_methods_ids_and_results() {
    let text = [
        r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#,
        r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":"p","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"progressToken":"k"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"k"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
        r#"{"jsonrpc":"2.0","id":8,"error":{"code":1,"message":"m"}}"#,
    ]
    .join("\n");
    let import = import("raw", &text);
    let mut dirs = Vec::new();
    import.items(&mut |item| {
        if let Item::Frame(f) = item {
            dirs.push(f.dir);
        }
    });
    use Dir::{C2s, S2c};
    assert_eq!(dirs, [S2c, C2s, S2c, C2s, C2s, S2c, C2s, S2c, C2s, S2c]);
    assert!(import.missing.has(Missing::DIRECTION | Missing::TIME));
    // The ping and the error that answers nothing.
    assert!(
        import.notes.iter().any(|n| n == "the directions of 10 messages are inferred, 2 of them guessed"),
        "{:?}",
        import.notes
    );
}

#[test]
fn marks_of_the_other_side_are_turned_round() {
    let import = import("tee", &format!("RECV {CALL}\nSEND {ANSWER}\nRECV {INIT}\n"));
    assert!(printed(&import).starts_with("1 0 1 c2s"), "{}", printed(&import));
    assert!(import.notes.iter().any(|n| n.contains("turned round")));
}

#[test]
fn what_a_source_leaves_out_is_said() {
    let note = |name: &str, text: &str| import(name, text).notes.join("\n");
    assert!(note("vscode", "2026-01-01 00:00:00.000 [info] Connection state: Running\n").contains("Trace"));
    assert!(note("claude-code", "{\"debug\":\"a\",\"timestamp\":\"\",\"sessionId\":\"\"}").contains("mcpscope attach"));
    let import = import("raw", CALL);
    assert!(import.missing.has(Missing::ANSWERS), "{:?}", import.notes);
    let shown = printed(&self::import("cursor", &cases().into_iter().find(|c| c.0 == "cursor").unwrap().1));
    assert!(!shown.contains("SECRET"), "{shown}");
    assert!(note("har", &har(ANSWER, "", "application/json")).contains("1 HTTP exchanges that are not MCP"));
    assert!(super::not_read(&[0xd4, 0xc3, 0xb2, 0xa1, 0]).unwrap().1.contains("mitmdump"));
    assert!(detect(b"hello\nworld\n").is_none());
    assert!(detect(b"{\"a\":1}\n").is_none());
    assert!(detect(b"").is_none());
}

#[test]
fn events_of_a_stream_and_mended_bodies() {
    let shown = printed(&import("har", &har(&format!("id: 4\ndata: {ANSWER}\n\n"), "", "text/event-stream")));
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], format!("3 0 1 c2s {CALL}"));
    assert_eq!(lines[1], "3 10 1 s2c ");
    assert_eq!(lines[2], format!("3 30 1 s2c {ANSWER}"));
    use base64::Engine as _;
    let coded = base64::engine::general_purpose::STANDARD.encode(ANSWER);
    let import = import("har", &har(&coded, "", "application/json"));
    assert!(printed(&import).contains(ANSWER));
    assert!(import.notes.iter().any(|n| n.ends_with("read as base64")), "{:?}", import.notes);
}

#[test]
fn an_exit_status_and_the_order_of_time() {
    let find = |name: &str| cases().into_iter().find(|c| c.0 == name).unwrap().1;
    let tape = import("mcp-tape", &find("mcp-tape"));
    let mut status = None;
    tape.items(&mut |item| {
        if let Item::Event(e) = item {
            if let EventKind::Exit { status: s, .. } = e.kind {
                status = s;
            }
        }
    });
    assert_eq!(status, Some(3));
    assert_eq!(tape.header.command, ["x"]);
    let shown = printed(&import("mcp-cassette", &find("mcp-cassette")));
    let times: Vec<&str> = shown.lines().map(|l| l.split(' ').nth(1).unwrap()).collect();
    assert_eq!(times, ["0", "2", "4"], "{shown}");
    assert!(shown.ends_with("s2c noise\n"), "{shown}");
}

fn harmless(bytes: &[u8]) {
    let _ = detect(bytes);
    for format in FORMATS {
        let import = read(format, bytes);
        let mut frames = 0;
        import.items(&mut |item| frames += usize::from(matches!(item, Item::Frame(_))));
        // Outlines of spans are longer than what little they are made of.
        let most = 8 * bytes.len() + 1024;
        assert!(frames <= bytes.len() && import.into_arena().len() <= most, "{}", format.name);
    }
}

#[test]
fn long_hostile_lines_take_linear_time() {
    let began = std::time::Instant::now();
    let many = 40_000;
    harmless("{\"a\":".repeat(many).as_bytes());
    harmless("[{\"".repeat(many).as_bytes());
    harmless("1:".repeat(many).as_bytes());
    harmless(format!("--> {}", "{\"a ".repeat(many)).as_bytes());
    harmless("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n".repeat(many / 10).as_bytes());
    harmless("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n".repeat(many / 10).as_bytes());
    // Quadratic work on any of these takes minutes.
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn mutations_do_no_harm(
        case in 0usize..27,
        cut in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        doubled in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let all = cases();
        let mut bytes = all[case % all.len()].1.clone().into_bytes();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let (a, b) = (doubled.0.index(bytes.len()), doubled.1.index(bytes.len()));
        let piece = bytes[a.min(b)..a.max(b)].to_vec();
        bytes.splice(a..a, piece);
        bytes.truncate(cut.index(bytes.len() * 2));
        harmless(&bytes);
    }
}
