//! HTTP wires: which session each message belongs to, and what the rules say about whole conversations. Written as the
//! steps of the catalogue's examples are.

use mcpscope::analysis::{Analyzer, Origin};
use mcpscope::rules::examples::steps;
use mcpscope::rules::{KnownTools, Options};
use mcpscope::trace::{Outcome, Severity, Store};

fn judge_with(lines: &[&str], options: Options) -> (Store, Vec<String>) {
    let example = steps(&lines.join("\n")).unwrap_or_else(|e| panic!("{e}"));
    let mut store = Store::new();
    let mut analyzer = Analyzer::new(options, Origin::Foreign);
    for item in example.items() {
        analyzer.push(&mut store, item);
    }
    analyzer.finish(&mut store);
    let mut found: Vec<String> = store
        .findings()
        .filter(|(_, f)| f.severity > Severity::Info)
        .map(|(_, f)| format!("{} {} {}", store.records[f.record as usize].line, f.rule, f.owner.as_str()))
        .collect();
    found.sort();
    (store, found)
}

fn judge(lines: &[&str]) -> (Store, Vec<String>) {
    judge_with(lines, Options::default())
}

fn outcomes(store: &Store) -> Vec<Outcome> {
    store.exchanges.iter().map(|e| e.outcome).collect()
}

const ACCEPT: &str = r#""content-type":"application/json","accept":"application/json, text/event-stream""#;

fn post(x: u32, path: &str, extra: &str, msg: &str) -> String {
    format!(
        r#"{{"dir":"c2s","x":{x},"http":{{"method":"POST","path":"{path}","headers":{{{ACCEPT}{extra}}}}},"msg":{msg}}}"#
    )
}

fn json(x: u32, status: u16, extra: &str, msg: &str) -> String {
    format!(
        r#"{{"dir":"s2c","x":{x},"http":{{"status":{status},"headers":{{"content-type":"application/json"{extra}}}}},"msg":{msg}}}"#
    )
}

fn initialize(id: u32, version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
    )
}

fn initialized(id: u32, version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}}}"#
    )
}

const TOOL: &str = r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}]}}"#;

#[test]
fn answers_of_two_endpoints_find_their_requests() {
    let lines = [
        r#"{"dir":"c2s","x":1,"http":{"method":"GET","path":"/sse","headers":{"accept":"text/event-stream"}}}"#
            .to_owned(),
        r#"{"dir":"s2c","x":1,"http":{"status":200,"headers":{"content-type":"text/event-stream"}}}"#.to_owned(),
        r#"{"dir":"s2c","x":1,"sse":{"event":"endpoint","data":"messages?s=1"}}"#.to_owned(),
        post(2, "/messages?s=1", "", &initialize(1, "2024-11-05")),
        r#"{"dir":"s2c","x":2,"http":{"status":202,"headers":{}},"raw":"Accepted"}"#.to_owned(),
        format!(r#"{{"dir":"s2c","x":1,"sse":{{"event":"message"}},"msg":{}}}"#, initialized(1, "2024-11-05")),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (store, found) = judge(&lines);
    assert_eq!(outcomes(&store), [Outcome::Ok]);
    assert_eq!(found, ["3 deprecated-http-sse server"]);
    assert_eq!(store.sessions.len(), 1, "the stream and what is posted to its endpoint are one session");
}

#[test]
fn two_sessions_keep_their_ids_apart() {
    let session = |id: &str| format!(r#","mcp-session-id":"{id}""#);
    let of = |id: &str| format!(r#"{},"mcp-protocol-version":"2025-11-25""#, session(id));
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    let lines = [
        post(1, "/mcp", "", &initialize(1, "2025-11-25")),
        json(1, 200, &session("a"), &initialized(1, "2025-11-25")),
        post(2, "/mcp", "", &initialize(1, "2025-11-25")),
        json(2, 200, &session("b"), &initialized(1, "2025-11-25")),
        post(3, "/mcp", &of("a"), r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
        r#"{"dir":"s2c","x":3,"http":{"status":202,"headers":{}}}"#.to_owned(),
        post(4, "/mcp", &of("b"), r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
        r#"{"dir":"s2c","x":4,"http":{"status":202,"headers":{}}}"#.to_owned(),
        post(5, "/mcp", &of("a"), list),
        post(6, "/mcp", &of("b"), list),
        json(6, 200, "", TOOL),
        json(5, 200, "", TOOL),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (store, found) = judge(&lines);
    assert_eq!(found, Vec::<String>::new());
    assert!(outcomes(&store).iter().all(|o| matches!(o, Outcome::Ok | Outcome::Notification)));
    assert_eq!(store.sessions.len(), 2);
}

#[test]
fn an_unknown_method_answered_with_404_ends_no_session() {
    let with = r#","mcp-session-id":"abc","mcp-protocol-version":"2025-11-25""#;
    let lines = [
        post(1, "/mcp", "", &initialize(1, "2025-11-25")),
        json(1, 200, r#","mcp-session-id":"abc""#, &initialized(1, "2025-11-25")),
        post(2, "/mcp", with, r#"{"jsonrpc":"2.0","id":2,"method":"vendor/thing"}"#),
        json(2, 404, "", r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}"#),
        post(3, "/mcp", with, r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#),
        json(3, 200, "", r#"{"jsonrpc":"2.0","id":3,"result":{}}"#),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (_, found) = judge(&lines);
    assert!(!found.iter().any(|f| f.contains("http-session")), "{found:?}");
}

#[test]
fn an_older_server_may_refuse_a_probe_as_it_likes() {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;
    let modern = r#","mcp-protocol-version":"2026-07-28","mcp-method":"tools/list""#;
    let list = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{meta}}}}}"#);
    let refusal = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"No session: call initialize first"}}"#;
    let probe = [post(1, "/mcp", modern, &list), json(1, 400, r#","mcp-session-id":"x""#, refusal)];
    let lines: Vec<&str> = probe.iter().map(String::as_str).collect();
    assert_eq!(judge(&lines).1, ["2 http-session-demanded server"]);
    let mut all = probe.to_vec();
    all.push(post(2, "/mcp", "", &initialize(2, "2025-11-25")));
    all.push(json(2, 200, "", &initialized(2, "2025-11-25")));
    let lines: Vec<&str> = all.iter().map(String::as_str).collect();
    assert_eq!(judge(&lines).1, Vec::<String>::new());
}

#[test]
fn secrets_are_named_and_never_printed() {
    let secret = "hunter2-Zx91";
    let call = format!(
        r#"{{"dir":"c2s","msg":{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","arguments":{{"password":"{secret}","url":"https://u:{secret}@h/","text":"password={secret}"}}}}}}}}"#
    );
    let (store, _) = judge(&[&call]);
    let found: Vec<_> = store.findings().filter(|(_, f)| f.rule == "secret-in-payload").collect();
    assert_eq!(found.len(), 3);
    for (_, f) in store.findings() {
        assert!(!format!("{f:?}").contains(secret), "{f:?}");
    }
}

#[test]
fn tools_from_outside_judge_at_most_as_info() {
    let call = r#"{"dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":"1"}}}}"#;
    let wrong =
        r#"{"dir":"c2s","msg":{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"Add","arguments":{}}}}"#;
    let options = Options {
        tools: Some(std::sync::Arc::new(KnownTools::read("tools.json", TOOL.as_bytes()))),
        ..Options::default()
    };
    let (store, _) = judge_with(&[call, wrong], options);
    let all: Vec<_> = store.findings().map(|(_, f)| f).filter(|f| f.rule.starts_with("tool-")).collect();
    assert_eq!(all.iter().map(|f| f.rule).collect::<Vec<_>>(), ["tool-arguments-schema", "tool-unknown"]);
    assert!(all.iter().all(|f| f.severity == Severity::Info && f.message.contains("tools.json")), "{all:?}");
    assert!(all[0].message.contains("the value was sent as a string") && all[1].message.contains("\"add\""));
}

#[test]
fn authorization_beside_mcp_is_not_judged_as_mcp() {
    let modern = r#","mcp-protocol-version":"2026-07-28","mcp-method":"tools/list""#;
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;
    let list = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{meta}}}}}"#);
    let challenge = r#"{"dir":"s2c","x":1,"http":{"status":401,"headers":{"www-authenticate":"Bearer resource_metadata=\"https://h/.well-known/oauth-protected-resource\""}}}"#;
    let lines = [
        post(1, "/mcp", modern, &list),
        challenge.to_owned(),
        r#"{"dir":"c2s","x":2,"http":{"method":"GET","path":"/.well-known/oauth-protected-resource","headers":{"mcp-protocol-version":"2026-07-28","accept":"*/*"}}}"#.to_owned(),
        json(2, 200, "", r#"{"resource":"https://h/mcp","authorization_servers":["https://h"]}"#),
        r#"{"dir":"c2s","x":3,"http":{"method":"POST","path":"/register","headers":{"content-type":"application/json","accept":"*/*"}},"msg":{"redirect_uris":["http://localhost/cb"]}}"#.to_owned(),
        r#"{"dir":"s2c","x":3,"http":{"status":201,"headers":{"content-type":"application/json"}},"raw":"{\"client_id\":\"x\"}"}"#.to_owned(),
        r#"{"dir":"c2s","x":4,"http":{"method":"POST","path":"/token","headers":{"content-type":"application/x-www-form-urlencoded"}},"raw":"grant_type=authorization_code"}"#.to_owned(),
        r#"{"dir":"s2c","x":4,"http":{"status":200,"headers":{"content-type":"application/json"}},"raw":"{\"token_type\":\"Bearer\"}"}"#.to_owned(),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (_, found) = judge(&lines);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn tuples_without_a_dialect_are_wrong_only_where_a_dialect_is_fixed() {
    let list = |version: &str| {
        let tool = r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"a":{"items":[{"type":"string"}]}}}}]}}"#;
        let lines = [
            format!(r#"{{"dir":"c2s","msg":{}}}"#, initialize(1, version)),
            format!(r#"{{"dir":"s2c","msg":{}}}"#, initialized(1, version)),
            r#"{"dir":"c2s","msg":{"jsonrpc":"2.0","method":"notifications/initialized"}}"#.to_owned(),
            r#"{"dir":"c2s","msg":{"jsonrpc":"2.0","id":2,"method":"tools/list"}}"#.to_owned(),
            format!(r#"{{"dir":"s2c","msg":{tool}}}"#),
        ];
        judge(&lines.iter().map(String::as_str).collect::<Vec<_>>()).1
    };
    assert_eq!(list("2025-11-25"), ["5 schema-invalid server"]);
    assert_eq!(list("2025-06-18"), Vec::<String>::new());
}
