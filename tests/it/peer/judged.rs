//! The demo server and the client before our own rules: silent without faults, and each fault found by its rule.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use mcpscope::analysis::{Analyzer, Origin};
use mcpscope::mcp::Revision;
use mcpscope::peer::client::Speak;
use mcpscope::peer::demo::faults::{FAULTS, Fault};
use mcpscope::rules;
use mcpscope::trace::{Severity, Store};
use mcpscope::wire::frame::{Dir, Eol, Event, EventKind, Frame, Item, Place, Side};

use super::{Log, PATIENCE, Person, Setup, all, schemas};

/// The findings of a conversation as (rule, severity, owner, text).
fn judge(log: &Log, status: i32) -> Vec<(&'static str, Severity, Side, String)> {
    let mut store = Store::new();
    let mut analyzer = Analyzer::new(Default::default(), Origin::Native);
    let event = |t, kind| Item::Event(Event { line: 0, t, conn: 1, kind });
    analyzer.push(&mut store, event(0, EventKind::Spawn { pid: None }));
    let lines = log.ordered();
    let mut t = 0;
    for (dir, payload, whole) in &lines {
        t += 100;
        let eol = if *whole { Eol::Lf } else { Eol::None };
        let frame = Frame { line: 0, t, dir: *dir, conn: 1, payload, eol, http: None, place: Place::default() };
        analyzer.push(&mut store, Item::Frame(frame));
    }
    // A crash ends the output first; a good end begins with the input.
    let ends = if status == 0 { [Dir::C2s, Dir::S2c] } else { [Dir::S2c, Dir::C2s] };
    for of in ends {
        analyzer.push(&mut store, event(t + 100, EventKind::Eof { of }));
    }
    analyzer.push(&mut store, event(t + 200, EventKind::Exit { status: Some(status), signal: None }));
    analyzer.push(&mut store, event(t + 300, EventKind::End { frames: None }));
    analyzer.finish(&mut store);
    store
        .findings()
        .map(|(_, finding)| (finding.rule, finding.severity, finding.owner, finding.message.to_string()))
        .collect()
}

#[test]
fn a_conversation_without_faults_is_clean_but_for_what_the_client_does_on_purpose() {
    // The conversation calls a tool that does not exist, leaves out arguments, and makes a cursor up.
    let on_purpose = ["tool-unknown", "tool-arguments-schema", "cursor-invented"];
    for (revision, speak) in all() {
        let setup = Setup::new(speak, &[]);
        schemas::talk(&setup, revision);
        let (log, status) = setup.end_log();
        for (rule, severity, owner, text) in judge(&log, status) {
            let expected = severity == Severity::Info || owner == Side::Client && on_purpose.contains(&rule);
            assert!(expected, "{revision}: {rule} ({severity:?}, {owner:?}): {text}");
        }
    }
}

/// A conversation in which the fault has an occasion to show.
fn provoke(fault: Fault) -> (Log, i32) {
    let setup = Setup::with(Speak::Modern, &[Revision::V2026_07_28], &[fault], Arc::new(Person));
    let client = &setup.client;
    let call = |tool: &str, arguments: &str| {
        let name = serde_json::Value::from(tool).to_string();
        let started = client.start_with_progress("tools/call", &[("name", &name), ("arguments", arguments)]);
        if let Ok(pending) = started {
            let _ = pending.watch(Some(Duration::from_millis(100)), |_| ());
        }
    };
    if client.tools().is_ok() {
        match fault {
            Fault::WrongNotFoundCode => drop(client.request("resources/read", &[("uri", "\"demo://nowhere\"")])),
            Fault::ErrorIdLost => call("nothing", "{}"),
            Fault::AcceptInvalidArguments => call("add", r#"{"a":1}"#),
            Fault::LateProgress => call("slow", r#"{"ms":1,"steps":1}"#),
            Fault::IgnoreCancel => {
                let slow = [("name", "\"slow\""), ("arguments", r#"{"ms":100,"steps":2}"#)];
                client.start("tools/call", &slow).unwrap().cancel("enough");
            }
            Fault::NoAcknowledge => {
                let filter = r#"{"toolsListChanged":true}"#;
                let _listen = client.start("subscriptions/listen", &[("notifications", filter)]);
                client.call_tool("change", r#"{"list":"tools"}"#, PATIENCE, |_| ()).unwrap();
            }
            Fault::VersionErrorBare => {
                let line = r#"{"jsonrpc":"2.0","id":"v","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
                client.send_raw(line.as_bytes()).unwrap();
            }
            Fault::MetaNotRequired => {
                let line = r#"{"jsonrpc":"2.0","id":"m","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
                client.send_raw(line.as_bytes()).unwrap();
            }
            _ => call("add", r#"{"a":1,"b":2}"#),
        }
    }
    setup.end_log()
}

#[test]
fn each_fault_is_found_by_its_rule() {
    let known: BTreeSet<&str> = rules::all().map(|rule| rule.id).collect();
    let mut missed = Vec::new();
    for row in FAULTS {
        let Some(rule) = row.rule else { continue };
        if !known.contains(rule) {
            eprintln!("skipped: {} has no rule {rule} yet", row.name);
            continue;
        }
        let (log, status) = provoke(row.fault);
        let found: Vec<&str> = judge(&log, status).into_iter().map(|(rule, ..)| rule).collect();
        if !found.contains(&rule) {
            missed.push(format!("{}: {rule} not among {found:?}", row.name));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
