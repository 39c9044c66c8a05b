//! What both sides can do, in every revision.

use std::sync::Arc;
use std::time::Duration;

use mcpscope::mcp::Revision;
use mcpscope::peer::client::{Client, ConnectError, FormAnswers, List, Nobody, Options, Speak};
use mcpscope::peer::demo::faults::FaultSet;

use super::{PATIENCE, Setup, all, server};

#[test]
fn a_dual_server_is_spoken_to_in_the_modern_era() {
    let setup = Setup::new(Speak::Auto, &[]);
    let facts = setup.client.facts();
    assert_eq!(facts.revision, Revision::V2026_07_28);
    assert_eq!(facts.server.as_ref().unwrap().0, "mcpscope-demo");
    assert_eq!(facts.versions.len(), 5);
    assert_eq!(setup.end().2, 0);
}

#[test]
fn a_legacy_server_is_found_by_the_probe() {
    for revision in Revision::ALL.into_iter().filter(|revision| !revision.is_modern()) {
        let setup = Setup::with(Speak::Auto, &[revision], &[], Arc::new(Nobody));
        assert_eq!(setup.client.revision(), revision);
        let (c2s, s2c, _) = setup.end();
        assert!(s2c[0].contains("-32601"), "{}", s2c[0]);
        assert!(c2s[1].contains("\"initialize\"") && c2s[2].contains("notifications/initialized"));
    }
}

#[test]
fn a_silent_server_is_taken_for_a_legacy_one_and_the_probe_is_not_cancelled() {
    let (from_server, mut say) = std::io::pipe().unwrap();
    let (hear, to_server) = std::io::pipe().unwrap();
    let mute = std::thread::spawn(move || {
        use std::io::{BufRead, BufReader, Write};
        let mut heard = Vec::new();
        for line in BufReader::new(hear).lines().map_while(Result::ok) {
            if line.contains("\"initialize\"") {
                writeln!(
                    say,
                    r#"{{"jsonrpc":"2.0","id":2,"result":{{"protocolVersion":"2025-06-18","capabilities":{{}},"serverInfo":{{"name":"mute","version":"0"}}}}}}"#
                )
                .unwrap();
            }
            heard.push(line);
        }
        heard
    });
    let transport = mcpscope::peer::client::Transport::lines(from_server, to_server);
    let options = Options { probe_timeout: Duration::from_millis(50), timeout: PATIENCE, ..Options::default() };
    let client = Client::connect(transport, options).unwrap();
    assert_eq!(client.revision(), Revision::V2025_06_18);
    drop(client);
    let heard = mute.join().unwrap();
    assert_eq!(heard.len(), 3, "{heard:?}");
}

#[test]
fn a_modern_only_server_turns_initialize_down_with_its_versions() {
    let (transport, _running) = server(&[Revision::V2026_07_28], FaultSet::NONE);
    let options = Options { speak: Speak::Legacy(Revision::V2025_11_25), timeout: PATIENCE, ..Options::default() };
    match Client::connect(transport, options) {
        Err(ConnectError::NoCommonVersion(versions)) => assert_eq!(versions, ["2026-07-28"]),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("connected"),
    }
}

#[test]
fn a_server_that_dies_is_reported_and_not_waited_for() {
    let (from_server, say) = std::io::pipe().unwrap();
    drop(say);
    let transport = mcpscope::peer::client::Transport::lines(from_server, std::io::sink());
    match Client::connect(transport, Options::default()) {
        Err(ConnectError::Closed { probing: true }) => {}
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("connected"),
    }
}

#[test]
fn lists_are_read_page_by_page() {
    for (revision, speak) in all() {
        let setup = Setup::new(speak, &[]);
        let (tools, listing) = setup.client.tools().unwrap();
        assert_eq!((tools.len(), listing.pages), (11, 2), "{revision}");
        assert!(listing.incomplete.is_none() && listing.error.is_none());
        let weather = tools.iter().find(|tool| tool.name == "weather").unwrap();
        assert_eq!(weather.read_only, revision >= Revision::V2025_03_26);
        assert!(weather.input_schema.starts_with(r#"{"type":"object""#));
        for (list, count) in [(List::Prompts, 2), (List::Resources, 6), (List::Templates, 1)] {
            assert_eq!(setup.client.list(list).unwrap().items.len(), count, "{revision} {list:?}");
        }
        let bad = setup.client.request("tools/list", &[("cursor", "\"made-up\"")]).unwrap();
        assert_eq!(bad.error().unwrap().code, -32602);
    }
}

#[test]
fn outcomes_of_tools_are_told_apart() {
    for (revision, speak) in all() {
        let setup = Setup::new(speak, &[]);
        let call = |name: &str, arguments: &str| setup.client.call_tool(name, arguments, PATIENCE, |_| ()).unwrap();
        assert_eq!(call("add", r#"{"a":2,"b":3}"#).texts().len(), 1);
        assert!(call("weather", "{\"city\":\"Oslo\",\n \"unit\":\"celsius\"}").is_ok());
        assert!(call("weather", r#"{"city":"Oslo"}"#).is_tool_error());
        assert!(call("fail", "{}").is_tool_error());
        assert_eq!(call("nothing", "{}").error().unwrap().code, -32602);
        assert!(call("media", "{}").is_ok());
        let structured = call("add", r#"{"a":2,"b":3}"#);
        let sum = structured.result().unwrap().at("/structuredContent/sum").map(|sum| sum.raw().to_vec());
        assert_eq!(sum, (revision >= Revision::V2025_06_18).then(|| b"5".to_vec()), "{revision}");
        let missing = setup.client.request("resources/read", &[("uri", "\"demo://nowhere\"")]).unwrap();
        assert_eq!(missing.error().unwrap().code, if revision.is_modern() { -32602 } else { -32002 });
        let unknown = setup.client.request("tools/erase", &[]).unwrap();
        assert_eq!(unknown.error().unwrap().code, -32601);
    }
}

#[test]
fn prompts_resources_and_completion_answer() {
    for (revision, speak) in all() {
        let setup = Setup::new(speak, &[]);
        let ask = |method: &str, members: &[(&str, &str)]| setup.client.request(method, members).unwrap();
        let prompt = [("name", "\"packing-list\""), ("arguments", r#"{"city":"Oslo"}"#)];
        assert!(ask("prompts/get", &prompt).is_ok());
        assert_eq!(ask("prompts/get", &[("name", "\"packing-list\"")]).error().unwrap().code, -32602);
        assert!(ask("resources/read", &[("uri", "\"demo://pictures/dot.png\"")]).is_ok());
        assert!(ask("resources/read", &[("uri", "\"demo://shelf/rope\"")]).is_ok());
        let members =
            [("ref", r#"{"type":"ref/prompt","name":"packing-list"}"#), ("argument", r#"{"name":"city","value":"b"}"#)];
        let completed = ask("completion/complete", &members);
        if revision >= Revision::V2025_03_26 {
            let values = completed.result().unwrap().at("/completion/values").unwrap();
            assert_eq!(values.raw(), br#"["Bergen","Berlin"]"#);
        } else {
            assert_eq!(completed.error().unwrap().code, -32601);
        }
    }
}

#[test]
fn the_traveller_is_asked_for_in_both_eras() {
    for (revision, speak) in all() {
        let setup = Setup::new(speak, &[]);
        let arguments = r#"{"from":"Oslo","to":"Bergen"}"#;
        let answer = setup.client.call_tool("book", arguments, PATIENCE, |_| ()).unwrap();
        assert_eq!(answer.is_ok(), revision >= Revision::V2025_06_18, "{revision}");
        if answer.is_ok() {
            assert!(answer.texts()[0].contains(r#""traveller":"Ada""#), "{:?}", answer.texts());
        }
        let (c2s, s2c, _) = setup.end();
        if revision.is_modern() {
            assert!(s2c.iter().any(|line| line.contains("input_required")));
            // Legacy servers ask by requests, modern ones never do.
            assert!(
                !s2c.iter()
                    .any(|line| line.contains("\"method\":\"elicitation/create\"")
                        && line.contains("\"id\":1,\"method\""))
            );
            assert_eq!(c2s.iter().filter(|line| line.contains("requestState")).count(), 1);
        }
    }
}

#[test]
fn a_client_that_cannot_be_asked_is_told_so() {
    let setup = Setup::with(Speak::Modern, &[Revision::V2026_07_28], &[], Arc::new(Nobody));
    let answer = setup.client.call_tool("book", r#"{"from":"A","to":"B"}"#, PATIENCE, |_| ()).unwrap();
    let error = answer.error().unwrap();
    assert_eq!(
        (error.code, error.data.as_deref()),
        (-32021, Some(r#"{"requiredCapabilities":{"elicitation":{"form":{}}}}"#))
    );
}

#[test]
fn forms_are_filled_from_words_or_declined() {
    for (words, booked) in [(vec!["name=Ada", "class=first", "age=36", "other=1"], true), (vec!["name=Ada"], false)] {
        let answerer = FormAnswers { words: words.into_iter().map(str::to_owned).collect() };
        let setup = Setup::with(Speak::Auto, &Revision::ALL, &[], Arc::new(answerer));
        let answer = setup.client.call_tool("book", r#"{"from":"A","to":"B"}"#, PATIENCE, |_| ()).unwrap();
        let said = answer.result().unwrap().at("/structuredContent/booked").unwrap().as_bool();
        assert_eq!(said, Some(booked));
    }
}

#[test]
fn progress_is_reported_and_answers_overtake_each_other() {
    for (_, speak) in all() {
        let setup = Setup::new(speak, &[]);
        let slow = [("name", "\"slow\""), ("arguments", r#"{"ms":400,"steps":4}"#)];
        let pending = setup.client.start_with_progress("tools/call", &slow).unwrap();
        let quick = setup.client.call_tool("add", r#"{"a":1,"b":1}"#, PATIENCE, |_| ()).unwrap();
        assert!(quick.is_ok());
        let mut steps = Vec::new();
        let answer = pending.wait_with(PATIENCE, |progress| steps.push(progress.progress)).unwrap();
        assert!(answer.is_ok());
        assert_eq!(steps, [1.0, 2.0, 3.0, 4.0]);
        let (_, s2c, _) = setup.end();
        let position = |part: &str| s2c.iter().position(|line| line.contains(part)).unwrap();
        assert!(position("\"text\":\"{\\\"sum\\\":2}\"") < position("4 steps in"), "{s2c:?}");
    }
}

#[test]
fn a_cancelled_call_is_silent_afterwards() {
    for (_, speak) in all() {
        let setup = Setup::new(speak, &[]);
        let slow = [("name", "\"slow\""), ("arguments", r#"{"ms":60000,"steps":60}"#)];
        let pending = setup.client.start("tools/call", &slow).unwrap();
        let id = pending.id();
        pending.cancel("enough");
        assert!(setup.client.request("tools/list", &[]).unwrap().is_ok());
        // The server winds down at once: nothing is left to do.
        let (_, s2c, status) = setup.end();
        assert_eq!(status, 0);
        assert!(!s2c.iter().any(|line| line.contains(&format!("\"id\":{id},"))), "{s2c:?}");
    }
}

#[test]
fn a_subscription_hears_of_changes_until_it_is_cancelled() {
    let setup = Setup::new(Speak::Modern, &[]);
    let filter = r#"{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["demo://shelf/rope"]}"#;
    let listen = setup.client.start("subscriptions/listen", &[("notifications", filter)]).unwrap();
    let acknowledged = setup.note("notifications/subscriptions/acknowledged");
    assert!(acknowledged.contains("toolsListChanged") && !acknowledged.contains("promptsListChanged"));
    let call = |name: &str, arguments: &str| {
        assert!(setup.client.call_tool(name, arguments, PATIENCE, |_| ()).unwrap().is_ok())
    };
    call("change", r#"{"list":"resources"}"#);
    call("change", r#"{"list":"tools"}"#);
    let changed = setup.note("notifications/tools/list_changed");
    assert!(changed.contains(&format!("subscriptionId\":{}", listen.id())));
    assert_eq!(setup.client.tools().unwrap().0.len(), 12);
    call("restock", r#"{"item":"lantern","stock":1}"#);
    call("restock", r#"{"item":"rope","stock":1}"#);
    assert!(setup.note("notifications/resources/updated").contains("demo://shelf/rope"));
    let id = listen.id();
    listen.cancel("seen enough");
    call("change", r#"{"list":"tools"}"#);
    let (_, s2c, _) = setup.end();
    assert_eq!(s2c.iter().filter(|line| line.contains("tools/list_changed")).count(), 1);
    assert!(
        !s2c.iter().any(|line| line.contains(&format!("\"id\":{id},\"result\""))),
        "no answer after the cancellation"
    );
}

#[test]
fn an_open_subscription_is_ended_in_good_order() {
    let setup = Setup::new(Speak::Modern, &[]);
    let listen =
        setup.client.start("subscriptions/listen", &[("notifications", r#"{"toolsListChanged":true}"#)]).unwrap();
    setup.note("notifications/subscriptions/acknowledged");
    setup.client.close();
    let end = listen.wait(PATIENCE).unwrap();
    let id = end.result().unwrap().path(&["_meta", "io.modelcontextprotocol/subscriptionId"]).unwrap();
    assert!(id.is_number());
}

#[test]
fn legacy_clients_hear_of_lists_logs_and_the_resources_they_subscribed() {
    let setup = Setup::new(Speak::Legacy(Revision::V2025_11_25), &[]);
    let call = |name: &str, arguments: &str| {
        assert!(setup.client.call_tool(name, arguments, PATIENCE, |_| ()).unwrap().is_ok())
    };
    call("change", r#"{"list":"tools"}"#);
    setup.note("notifications/tools/list_changed");
    call("restock", r#"{"item":"rope","stock":1}"#);
    assert!(setup.client.request("resources/subscribe", &[("uri", "\"demo://shelf/rope\"")]).unwrap().is_ok());
    call("restock", r#"{"item":"rope","stock":2}"#);
    setup.note("notifications/resources/updated");
    assert!(setup.client.request("ping", &[]).unwrap().is_ok());
    assert!(setup.client.request("logging/setLevel", &[("level", "\"info\"")]).unwrap().is_ok());
    assert_eq!(
        setup.client.request("logging/setLevel", &[("level", "\"loud\"")]).unwrap().error().unwrap().code,
        -32602
    );
    call("slow", r#"{"ms":1,"steps":1}"#);
    assert!(setup.note("notifications/message").contains("slow: begins"));
}

#[test]
fn arguments_go_out_as_they_were_written() {
    let setup = Setup::new(Speak::Auto, &[]);
    let arguments = "{ \"a\": 1.50, \"b\" :12345678901234567890123,\r\n\"b\": 2e0 }";
    setup.client.call_tool("add", arguments, PATIENCE, |_| ()).unwrap();
    let (c2s, _, _) = setup.end();
    let sent = r#"{ "a": 1.50, "b" :12345678901234567890123,  "b": 2e0 }"#;
    assert!(c2s.last().unwrap().contains(sent), "{}", c2s.last().unwrap());
}

#[test]
fn a_call_that_takes_too_long_is_cancelled() {
    let setup = Setup::new(Speak::Auto, &[]);
    let slow = r#"{"ms":60000,"steps":1}"#;
    let failure = setup.client.call_tool("slow", slow, Some(Duration::from_millis(30)), |_| ()).err().unwrap();
    assert!(failure.to_string().contains("30 ms"), "{failure}");
    let (c2s, _, _) = setup.end();
    assert!(c2s.last().unwrap().contains("notifications/cancelled"));
}
