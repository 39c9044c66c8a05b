//! What the server says to things that no well-behaved client sends.

use std::io::{BufRead, BufReader, Write};
use std::thread;

use mcpscope::mcp::Revision;
use mcpscope::peer::demo::{self, Options};
use serde_json::{Value, json};

/// Sends the lines one by one, each after the answer to the one before it; `None` for those that want no answer.
fn talk(revisions: &[Revision], lines: &[(&str, bool)]) -> Vec<Value> {
    let (server_in, mut say) = std::io::pipe().unwrap();
    let (hear, server_out) = std::io::pipe().unwrap();
    let options = Options { revisions: revisions.to_vec(), ..Options::default() };
    let server = thread::spawn(move || demo::serve(BufReader::new(server_in), server_out, options, |_| ()));
    let mut hear = BufReader::new(hear);
    let mut heard = Vec::new();
    for (line, answered) in lines {
        writeln!(say, "{line}").unwrap();
        if *answered {
            let mut text = String::new();
            hear.read_line(&mut text).unwrap();
            heard.push(serde_json::from_str(&text).unwrap());
        }
    }
    drop(say);
    let mut rest = String::new();
    while hear.read_line(&mut rest).unwrap() > 0 {}
    assert_eq!(rest, "", "answers that were not expected");
    assert_eq!(server.join().unwrap(), 0);
    heard
}

fn modern(id: &str, method: &str, more: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{more}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

#[test]
fn errors_have_the_codes_of_the_revision() {
    let answers = talk(
        &Options::all_revisions(),
        &[
            ("this is no JSON", true),
            ("", false),
            (r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#, true),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#, true),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, true),
            (
                r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
                true,
            ),
            (
                r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
                true,
            ),
            (r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":[]}"#, true),
            (&modern("\"ping\"", "ping", ""), true),
            (&modern("6", "tools/call", r#""name":"add","arguments":7,"#), true),
            (&modern("7", "tools/call", r#""name":"book","arguments":{"from":"A","to":"B"},"#), true),
            (r#"[{"jsonrpc":"2.0","id":8,"method":"ping"}]"#, true),
            (r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#, false),
            (r#"{"jsonrpc":"2.0","id":99,"result":{}}"#, false),
        ],
    );
    let codes: Vec<i64> = answers.iter().map(|answer| answer["error"]["code"].as_i64().unwrap()).collect();
    assert_eq!(codes, [-32700, -32600, -32600, -32602, -32602, -32022, -32602, -32601, -32602, -32021, -32600]);
    assert_eq!(answers[5]["error"]["data"]["requested"], "1999-01-01");
    assert_eq!(answers[5]["error"]["data"]["supported"][0], "2026-07-28");
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    let expected = [
        json!(null),
        json!(null),
        json!(null),
        json!(1),
        json!(2),
        json!(3),
        json!(4),
        json!("ping"),
        json!(6),
        json!(7),
        json!(null),
    ];
    assert_eq!(ids, expected.iter().collect::<Vec<_>>());
}

#[test]
fn batches_are_answered_as_one_array_in_2025_03_26_only() {
    let hello = |version: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"t","version":"0"}}}}}}"#
        )
    };
    let done = (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, false);
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/unknown"},
        {"jsonrpc":"2.0","id":2,"method":"nothing"},{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}]"#
        .replace('\n', "");
    let answers = talk(&Options::all_revisions(), &[(&hello("2025-03-26"), true), done, (&batch, true), ("[]", true)]);
    let mut ids: Vec<i64> =
        answers[1].as_array().unwrap().iter().map(|answer| answer["id"].as_i64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3]);
    assert_eq!(answers[2]["error"]["code"], -32600);
    let answers = talk(&Options::all_revisions(), &[(&hello("2025-06-18"), true), done, (&batch, true)]);
    assert_eq!(answers[1]["error"]["code"], -32600);
}

#[test]
fn an_altered_state_is_refused() {
    let call = |id: &str, more: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"book","arguments":{{"from":"A","to":"B"}},{more}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}}}}}}"#
        )
    };
    let answers = talk(
        &[Revision::V2026_07_28],
        &[
            (&call("1", ""), true),
            (&call("2", r#""requestState":"AAAA","inputResponses":{"traveller":{"action":"decline"}},"#), true),
            (&call("3", r#""inputResponses":{"traveller":{"action":"decline"}},"#), true),
        ],
    );
    assert_eq!(answers[0]["result"]["resultType"], "input_required");
    assert_eq!(answers[1]["error"]["code"], -32602);
    assert_eq!(answers[2]["error"]["code"], -32602);
}

#[test]
fn an_id_in_flight_may_not_be_used_again() {
    let slow = modern("1", "tools/call", r#""name":"slow","arguments":{"ms":300,"steps":1},"#);
    let answers = talk(
        &[Revision::V2026_07_28],
        &[(slow.as_str(), false), (modern("1", "tools/list", "").as_str(), true), ("", true)],
    );
    assert_eq!(answers[0]["error"]["code"], -32600);
    assert!(answers[1]["result"]["content"].is_array(), "the first request is answered all the same");
}

#[test]
fn legacy_servers_want_initialize_first_and_only_once() {
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2099-01-01","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
    let answers = talk(
        &[Revision::V2025_06_18],
        &[
            (r#"{"jsonrpc":"2.0","id":5,"method":"tools/list"}"#, true),
            (r#"{"jsonrpc":"2.0","id":6,"method":"ping"}"#, true),
            (hello, true),
            (&hello.replace("\"id\":0", "\"id\":1"), true),
        ],
    );
    assert_eq!(answers[0]["error"]["code"], -32600);
    assert_eq!(answers[1]["result"], json!({}));
    assert_eq!(answers[2]["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answers[3]["error"]["code"], -32600);
}

mod any_input {
    use proptest::prelude::*;

    use super::*;

    /// Lines that are nearly right: JSON-RPC with odd members, cut, or doubled.
    fn line() -> impl Strategy<Value = String> {
        let id =
            prop_oneof![Just("1"), Just("\"a\""), Just("null"), Just("-0.5"), Just("{}"), Just("99999999999999999999")];
        let method = prop_oneof![
            Just("\"tools/list\""),
            Just("\"tools/call\""),
            Just("\"initialize\""),
            Just("\"ping\""),
            Just("\"subscriptions/listen\""),
            Just("\"notifications/cancelled\""),
            Just("7"),
        ];
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        let params = prop_oneof![
            Just("{}".to_owned()),
            Just("[]".to_owned()),
            Just(format!("{{{meta}}}")),
            Just(format!(r#"{{{meta},"name":"add","arguments":{{"a":1}}}}"#)),
            Just(format!(
                r#"{{{meta},"name":"book","arguments":{{"from":1e999}},"inputResponses":[],"requestState":5}}"#
            )),
            Just(format!(r#"{{{meta},"notifications":{{"resourceSubscriptions":[1]}}}}"#)),
            Just(r#"{"protocolVersion":7,"capabilities":[],"clientInfo":null}"#.to_owned()),
        ];
        let whole = (id, method, params).prop_map(|(id, method, params)| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#)
        });
        prop_oneof![
            whole.clone(),
            (whole.clone(), any::<prop::sample::Index>()).prop_map(|(line, at)| {
                let cut = at.index(line.len());
                line[..cut].to_owned()
            }),
            whole.prop_map(|line| format!("[{line},{line}]")),
            "[^\n]{0,40}",
        ]
    }

    /// Takes everything: nobody reads while the server writes.
    #[derive(Clone, Default)]
    struct Sink(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn the_server_answers_in_json_and_ends_well(lines in prop::collection::vec(line(), 0..12)) {
            let out = Sink::default();
            let input = std::io::Cursor::new(lines.join("\n"));
            let status = demo::serve(input, out.clone(), Options::default(), |_| ());
            prop_assert_eq!(status, 0);
            let text = String::from_utf8(out.0.lock().unwrap().clone()).unwrap();
            for line in text.lines() {
                prop_assert!(serde_json::from_str::<Value>(line).is_ok(), "{}", line);
            }
        }
    }
}
