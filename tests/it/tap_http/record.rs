//! The trace of a conversation, read back and analysed.

use super::*;
use mcpscope::trace::Outcome;

/// A small server of 2025-11-25: a session, an answer as JSON, one as a stream, a refusal, an end.
fn legacy() -> SocketAddr {
    answering(|request| {
        let body = request.text();
        let json = |text: &str| reply("200 OK", "application/json", text.as_bytes());
        if request.head.starts_with("DELETE") {
            return b"HTTP/1.1 204 No Content\r\n\r\n".to_vec();
        }
        if body.contains("\"initialize\"") {
            let result = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#;
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: s-1\r\n";
            return format!("{head}Content-Length: {}\r\n\r\n{result}", result.len()).into_bytes();
        }
        if body.contains("tools/list") {
            let event = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}\n\n";
            let chunk = format!("{:x}\r\n{event}\r\n0\r\n\r\n", event.len());
            return format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}"
            )
            .into_bytes();
        }
        if body.contains("\"ping\"") {
            return json(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
        }
        if body.contains("\"id\"") {
            return reply("503 Service Unavailable", "text/plain", b"later");
        }
        b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n".to_vec()
    })
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"CLIENT","version":"1"}}}"#;
const JSON: &str = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";

fn talk(tapped: &Tapped, name: &str) {
    let session = format!("{JSON}Mcp-Session-Id: s-1\r\nMCP-Protocol-Version: 2025-11-25\r\n");
    let initialize = INITIALIZE.replace("CLIENT", name);
    for (fields, body) in [
        (JSON, initialize.as_str()),
        (session.as_str(), r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
        (&session, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#),
        (&session, r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#),
        (&session, r#"{"jsonrpc":"2.0","id":3,"method":"resources/list"}"#),
    ] {
        // Each on a connection of its own: the client is one all the same.
        tapped.ask(tapped.post(fields, body.as_bytes()));
    }
}

#[test]
fn exchanges_are_paired() {
    let tapped = Tapped::start(legacy());
    talk(&tapped, "c");
    assert!(tapped.tap.url.starts_with("http://127.0.0.1:") && tapped.tap.url.ends_with("/mcp"));
    let store = analyse(&tapped.trace());
    let outcomes: Vec<_> =
        store.exchanges.iter().map(|e| (store.method_of(e).unwrap_or_default().to_owned(), e.outcome)).collect();
    let want = [
        ("initialize", Outcome::Ok),
        ("notifications/initialized", Outcome::Notification),
        ("tools/list", Outcome::Ok),
        ("ping", Outcome::Ok),
        ("resources/list", Outcome::Refused),
    ];
    assert_eq!(outcomes, want.map(|(m, o)| (m.to_owned(), o)));
    let bad: Vec<_> =
        store.findings().filter(|(_, f)| f.rule != "http-error-without-reply").map(|(_, f)| f.rule).collect();
    assert!(!bad.iter().any(|r| r.contains("session") || r.contains("unknown-id")), "{bad:?}");
    assert!(store.records.iter().all(|r| r.conn == 1));
}

#[test]
fn clients_are_told_apart() {
    let tapped = Tapped::start(answering(|_| reply("200 OK", "application/json", b"{}")));
    let call = |name: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"_meta":{{"io.modelcontextprotocol/clientInfo":{{"name":"{name}","version":"1"}}}}}}}}"#
        )
    };
    for name in ["a", "b", "a"] {
        tapped.ask(tapped.post(JSON, call(name).as_bytes()));
    }
    let conns: Vec<u32> = tapped.stop().iter().map(|f| f.conn).collect();
    assert_eq!(conns, [1, 1, 2, 2, 1, 1]);
}

#[test]
fn the_request_precedes_its_answer_even_if_it_is_answered_early() {
    let server = server(|mut wire| {
        wire.head().unwrap();
        wire.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        wire.ended();
    });
    let tapped = Tapped::start(server);
    let mut client = tapped.client();
    client.send(format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: 1000\r\n\r\n{{", tapped.tap.listen));
    assert_eq!(client.head().unwrap().status(), 413);
    drop(client);
    let frames = tapped.stop();
    assert_eq!(shorts(&frames)[..2], ["> POST {", "< 413 "]);
    assert_eq!(frames[0].http.cut, Some(999));
}
