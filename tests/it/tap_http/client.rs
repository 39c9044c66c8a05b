//! `call --url`: the built-in client over HTTP, through the tap.

use super::*;
use std::process::{Command, Output, Stdio};

const BIN: &str = env!("CARGO_BIN_EXE_mcpscope");

fn call(server: SocketAddr, arguments: &[&str]) -> (Output, Vec<Seen>) {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("t.jsonl");
    let output = Command::new(BIN)
        .arg("call")
        .args(arguments)
        .args(["--url", &format!("http://{server}/mcp"), "--trace"])
        .arg(&trace)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output, read(&std::fs::read(&trace).unwrap_or_default()).0)
}

#[track_caller]
fn good(output: &Output, says: &str) {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains(says), "{out}\n{err}");
}

const TOOLS: &str = r#"{"name":"wärm","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"city":{"type":"string","x-mcp-header":"City"},"n":{"type":"integer"}}}}"#;

fn events(body: &str) -> Vec<u8> {
    let note = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#;
    let text = format!(": hi\n\nevent: message\ndata: {note}\n\nevent: message\ndata: {body}\n\n");
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{text}\r\n0\r\n\r\n", text.len()).into_bytes()
}

fn id_of(body: &str) -> String {
    body.split("\"id\":").nth(1).unwrap().chars().take_while(char::is_ascii_digit).collect()
}

#[test]
fn a_modern_server() {
    let server = answering(|request| {
        let body = request.text();
        let id = id_of(&body);
        assert_eq!(request.header("mcp-protocol-version"), Some("2026-07-28"));
        assert!(request.header("accept").unwrap().contains("text/event-stream"));
        let result = match request.header("mcp-method").unwrap() {
            "server/discover" => {
                r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}"#.to_owned()
            }
            "tools/list" => format!(r#"{{"resultType":"complete","tools":[{TOOLS}],"ttlMs":0,"cacheScope":"private"}}"#),
            "tools/call" => {
                // The name cannot stand in a field as it is.
                assert_eq!(request.header("mcp-name"), Some("=?base64?d8Okcm0=?="));
                assert_eq!(request.header("mcp-param-city"), Some("Oslo"));
                let result = r#"{"resultType":"complete","content":[{"type":"text","text":"warm"}]}"#;
                return events(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
            }
            other => panic!("{other}"),
        };
        reply("200 OK", "application/json", format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).as_bytes())
    });
    let (output, frames) = call(server, &["wärm", "city=Oslo"]);
    good(&output, "warm");
    assert_eq!(frames.iter().filter(|f| f.http.kind == HttpKind::Request).count(), 3);
    assert_eq!(frames.last().map(Seen::short).as_deref(), Some("s2c Eof"));
}

#[test]
fn a_legacy_server_with_a_session() {
    let server = answering(|request| {
        let body = request.text();
        if request.head.starts_with("GET") {
            return b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n".to_vec();
        }
        if request.head.starts_with("DELETE") {
            assert_eq!(request.header("mcp-session-id"), Some("s-1"));
            return b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec();
        }
        if body.contains("server/discover") {
            let no = r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}"#;
            return reply("400 Bad Request", "application/json", no.as_bytes());
        }
        if body.contains("\"initialize\"") {
            assert!(request.header("mcp-session-id").is_none() && request.header("mcp-protocol-version").is_none());
            let id = id_of(&body);
            let result = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"2025-06-18","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}}}"#
            );
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: s-1\r\n";
            return format!("{head}Content-Length: {}\r\n\r\n{result}", result.len()).into_bytes();
        }
        assert_eq!(request.header("mcp-session-id"), Some("s-1"));
        assert_eq!(request.header("mcp-protocol-version"), Some("2025-06-18"));
        assert!(request.header("mcp-method").is_none());
        if body.contains("notifications/") {
            return b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n".to_vec();
        }
        let id = id_of(&body);
        if body.contains("tools/list") {
            return events(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{TOOLS}]}}}}"#));
        }
        reply("500 Internal Server Error", "text/plain", b"the tool burnt down")
    });
    let (output, frames) = call(server, &["--list"]);
    good(&output, "wärm");
    let last = frames.iter().rfind(|f| f.http.kind == HttpKind::Request).unwrap();
    assert_eq!(last.http.method.as_deref(), Some("DELETE"));
    assert!(frames.iter().all(|f| f.conn == 1));
    let (output, _) = call(server, &["wärm"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("500") && said.contains("burnt down"), "{said}");
}

#[test]
fn a_server_that_is_not_there() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (output, _) = call(nobody, &["--list"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot reach") && said.contains("refused"), "{said}");
}
