//! Servers that are not as one would wish: what the client makes of their answers.

use std::io::{BufRead, BufReader, Write};
use std::thread;
use std::time::Duration;

use mcpscope::mcp::Revision;
use mcpscope::peer::client::{Client, ConnectError, List, Options, Speak, Transport};

use super::PATIENCE;

const HELLO: &str = r#""result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}"#;

/// A server that answers each line by a function of method and id; `None` answers nothing.
fn server(mut answer: impl FnMut(&str, &str) -> Option<String> + Send + 'static) -> Transport {
    let (hear, to_server) = std::io::pipe().unwrap();
    let (from_server, mut say) = std::io::pipe().unwrap();
    thread::spawn(move || {
        for line in BufReader::new(hear).lines().map_while(Result::ok) {
            let message: serde_json::Value = serde_json::from_str(&line).unwrap();
            let method = message["method"].as_str().unwrap_or_default();
            if let Some(text) = answer(method, &message["id"].to_string()) {
                writeln!(say, "{text}").unwrap();
            }
        }
    });
    Transport::lines(from_server, to_server)
}

fn connect(
    speak: Speak,
    answer: impl FnMut(&str, &str) -> Option<String> + Send + 'static,
) -> Result<Client, ConnectError> {
    Client::connect(server(answer), Options { speak, timeout: PATIENCE, ..Options::default() })
}

/// Connects to a server that has that to say to `server/discover`, and is legacy otherwise.
fn after_probe(probe: &'static str) -> Result<Client, ConnectError> {
    connect(Speak::Auto, move |method, id| match method {
        "server/discover" => Some(format!(r#"{{"jsonrpc":"2.0","id":{id},{probe}}}"#)),
        "initialize" => Some(format!(r#"{{"jsonrpc":"2.0","id":{id},{HELLO}}}"#)),
        _ => None,
    })
}

#[test]
fn whatever_is_no_modern_answer_leads_to_initialize() {
    for probe in [
        r#""error":{"code":-32601,"message":"Method not found"}"#,
        r#""error":{"code":-32602,"message":"Invalid request parameters","data":""}"#,
        r#""error":{"code":-32000,"message":"Server not initialized"}"#,
        r#""error":"no""#,
        r#""result":{}"#,
        r#""result":[]"#,
        r#""error":{"code":-32022,"message":"Unsupported","data":{"supported":["2025-06-18"],"requested":"2026-07-28"}}"#,
        r#""result":{"supportedVersions":["2025-06-18","2024-11-05"],"capabilities":{}}"#,
    ] {
        let client = after_probe(probe).unwrap_or_else(|failure| panic!("{probe}: {failure}"));
        assert_eq!(client.revision(), Revision::V2025_06_18, "{probe}");
        assert_eq!(client.facts().server.as_ref().unwrap().0, "odd");
    }
}

#[test]
fn modern_errors_and_versions_decide_for_the_modern_era() {
    for probe in [
        r#""error":{"code":-32021,"message":"capability","data":{"requiredCapabilities":{"sampling":{}}}}"#,
        r#""error":{"code":-32022,"message":"Unsupported","data":{"supported":["2099-01-01","2026-07-28"]}}"#,
        r#""result":{"resultType":"complete","supportedVersions":["2099-01-01","2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}"#,
    ] {
        assert_eq!(after_probe(probe).map(|client| client.revision()).unwrap(), Revision::V2026_07_28, "{probe}");
    }
    for probe in [
        r#""error":{"code":-32022,"message":"Unsupported","data":{"supported":["2099-01-01"]}}"#,
        r#""result":{"supportedVersions":["2099-01-01"],"capabilities":{}}"#,
    ] {
        match after_probe(probe) {
            Err(ConnectError::NoCommonVersion(versions)) => assert_eq!(versions, ["2099-01-01"]),
            _ => panic!("{probe}"),
        }
    }
}

#[test]
fn a_refused_version_is_exchanged_for_one_that_is_offered() {
    let client = connect(Speak::Legacy(Revision::V2025_11_25), |method, id| match (method, id) {
        ("initialize", "1") => Some(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32602,"message":"Unsupported protocol version","data":{{"supported":["2024-11-05","2025-06-18"],"requested":"2025-11-25"}}}}}}"#
        )),
        ("initialize", _) => Some(format!(r#"{{"jsonrpc":"2.0","id":{id},{HELLO}}}"#)),
        _ => None,
    });
    assert_eq!(client.map(|client| client.revision()).unwrap(), Revision::V2025_06_18);
    let refused = connect(Speak::Legacy(Revision::V2025_11_25), |_, id| {
        Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32000,"message":"go away"}}}}"#))
    });
    assert!(matches!(refused, Err(ConnectError::Refused(why)) if why == "go away"));
}

#[test]
fn noise_bom_duplicates_and_foreign_ids_do_not_confuse_the_client() {
    let client = connect(Speak::Legacy(Revision::V2025_06_18), |method, id| match method {
        "initialize" => Some(format!("Starting up...\r\n\u{feff}{{\"jsonrpc\":\"2.0\",\"id\":{id},{HELLO}}}\r")),
        "tools/list" => Some(format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"result\":{{\"tools\":[7]}}}}\n{{\"jsonrpc\":\"2.0\",\"id\":999,\"result\":{{}}}}\n\
             [{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"tools\":[{{\"name\":\"x\",\"score\":NaN}}]}}}}]\n\
             {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"tools\":[]}}}}"
        )),
        _ => None,
    })
    .unwrap();
    let listing = client.list(List::Tools).unwrap();
    assert_eq!(listing.items, [br#"{"name":"x","score":NaN}"#.to_vec()]);
}

#[test]
fn a_list_that_never_ends_is_left_and_said_to_be_cut() {
    let client = connect(Speak::Legacy(Revision::V2025_06_18), |method, id| match method {
        "initialize" => Some(format!(r#"{{"jsonrpc":"2.0","id":{id},{HELLO}}}"#)),
        // A new cursor each time.
        "tools/list" => {
            Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{{"name":"x"}}],"nextCursor":"{id}"}}}}"#))
        }
        _ => None,
    })
    .unwrap();
    let listing = client.list(List::Tools).unwrap();
    assert_eq!((listing.pages, listing.items.len()), (1000, 1000));
    assert!(listing.incomplete.unwrap().contains("1000 pages"));
}

#[test]
fn questions_nobody_can_answer_are_refused_and_ping_is_answered() {
    let (heard_tx, heard) = std::sync::mpsc::channel();
    let (hear, to_server) = std::io::pipe().unwrap();
    let (from_server, mut say) = std::io::pipe().unwrap();
    thread::spawn(move || {
        for line in BufReader::new(hear).lines().map_while(Result::ok) {
            if line.contains("\"initialize\"") {
                writeln!(say, "{{\"jsonrpc\":\"2.0\",\"id\":1,{HELLO}}}").unwrap();
            } else if line.contains("notifications/initialized") {
                writeln!(say, r#"{{"jsonrpc":"2.0","id":"p","method":"ping"}}"#).unwrap();
                writeln!(say, r#"{{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{{}}}}"#).unwrap();
            } else {
                heard_tx.send(line).unwrap();
            }
        }
    });
    let options = Options { speak: Speak::Legacy(Revision::V2025_06_18), timeout: PATIENCE, ..Options::default() };
    let _client = Client::connect(Transport::lines(from_server, to_server), options).unwrap();
    let next = || heard.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(next(), r#"{"jsonrpc":"2.0","id":"p","result":{}}"#);
    assert!(next().starts_with(r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601"#));
}
