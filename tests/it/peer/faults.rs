//! Every switch does what the table says, and can be seen on the wire.

use std::sync::Arc;
use std::time::Duration;

use mcpscope::mcp::Revision;
use mcpscope::peer::client::Speak;
use mcpscope::peer::demo::faults::{FAULTS, Fault};

use super::{PATIENCE, Person, Setup};

const MODERN: &[Revision] = &[Revision::V2026_07_28];

/// Calls a tool with that fault switched on, and returns what the server wrote and its status.
fn call_under(fault: Fault, name: &str, arguments: &str) -> (Vec<String>, i32) {
    let setup = Setup::with(Speak::Modern, MODERN, &[fault], Arc::new(Person));
    let tool = serde_json::Value::from(name).to_string();
    let pending = setup.client.start_with_progress("tools/call", &[("name", &tool), ("arguments", arguments)]).unwrap();
    // Some faults mean that nothing comes that could be understood; what matters is on the wire.
    let _ = pending.watch(Some(Duration::from_millis(300)), |_| ());
    let (_, s2c, status) = setup.end();
    (s2c, status)
}

fn add(fault: Fault) -> Vec<String> {
    call_under(fault, "add", r#"{"a":1,"b":2}"#).0
}

/// What must be seen on the wire for each fault. A `match`, so that no fault is forgotten.
fn observe(fault: Fault) {
    match fault {
        Fault::StdoutNoise => assert!(add(fault).iter().any(|line| !line.starts_with('{'))),
        Fault::MissingResultType => assert!(add(fault).iter().all(|line| !line.contains("resultType"))),
        Fault::UnknownResultType => {
            // Already the probe is answered so; the version list is what decides.
            assert!(add(fault).iter().all(|line| line.contains(r#""resultType":"done""#)));
        }
        Fault::BadStructuredContent => assert!(add(fault)[1].contains(r#""structuredContent":{"unexpected":true}"#)),
        Fault::NoAnswer => assert_eq!(add(fault).len(), 1),
        Fault::ErrorIdLost => {
            let (lines, _) = call_under(fault, "nothing", "{}");
            assert!(lines[1].contains("error") && !lines[1].contains("\"id\""), "{lines:?}");
        }
        Fault::IdTypeChanged => assert!(add(fault)[1].contains(r#""id":"2""#)),
        Fault::WrongNotFoundCode => {
            for (speak, code) in [(Speak::Modern, -32002), (Speak::Legacy(Revision::V2025_11_25), -32602)] {
                let setup = Setup::new(speak, &[fault]);
                let answer = setup.client.request("resources/read", &[("uri", "\"demo://nowhere\"")]).unwrap();
                assert_eq!(answer.error().unwrap().code, code);
            }
        }
        Fault::LateProgress => {
            let (lines, _) = call_under(fault, "slow", r#"{"ms":1,"steps":1}"#);
            assert!(lines.last().unwrap().contains("notifications/progress"), "{lines:?}");
        }
        Fault::DuplicateResponse => {
            let lines = add(fault);
            assert_eq!(lines[1], lines[2]);
        }
        Fault::UnaskedChange => assert!(add(fault)[1].contains("prompts/list_changed")),
        Fault::HalfLineAtExit => {
            assert!(serde_json::from_str::<serde_json::Value>(add(fault).last().unwrap()).is_err())
        }
        Fault::Crash => {
            let (lines, status) = call_under(fault, "add", r#"{"a":1,"b":2}"#);
            assert_eq!((lines.len(), status), (1, 3));
        }
        Fault::HostileText => {
            let lines = add(fault);
            // JSON hides control characters, but not what reorders or hides text.
            assert!(lines[1].contains("\\u001b]0;") && lines[1].contains('\u{202e}') && lines[1].contains('\u{200b}'));
        }
        Fault::PrettyJson => assert!(add(fault).iter().any(|line| line == "{")),
        Fault::Bom => assert!(add(fault)[1].starts_with('\u{feff}')),
        Fault::NanLiteral => assert!(add(fault)[1].contains(":NaN,")),
        Fault::AcceptInvalidArguments => {
            let (lines, _) = call_under(fault, "add", r#"{"a":1}"#);
            assert!(!lines[1].contains("isError"), "{lines:?}");
        }
        Fault::CursorLoop => {
            let setup = Setup::new(Speak::Modern, &[fault]);
            let (_, listing) = setup.client.tools().unwrap();
            assert!(listing.incomplete.unwrap().contains("leads back"));
        }
        Fault::NoAcknowledge => {
            let setup = Setup::new(Speak::Modern, &[fault]);
            let filter = r#"{"toolsListChanged":true}"#;
            let _listen = setup.client.start("subscriptions/listen", &[("notifications", filter)]).unwrap();
            setup.client.call_tool("change", r#"{"list":"tools"}"#, PATIENCE, |_| ()).unwrap();
            setup.note("notifications/tools/list_changed");
        }
        Fault::IgnoreCancel => {
            let setup = Setup::new(Speak::Modern, &[fault]);
            let slow = [("name", "\"slow\""), ("arguments", r#"{"ms":60,"steps":2}"#)];
            let pending = setup.client.start("tools/call", &slow).unwrap();
            let id = pending.id();
            pending.cancel("enough");
            let (_, s2c, _) = setup.end();
            assert!(s2c.iter().any(|line| line.contains(&format!("\"id\":{id},"))));
        }
        Fault::VersionErrorBare => {
            let lines = raw(
                fault,
                r#"{"jsonrpc":"2.0","id":"v","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
            );
            assert!(lines[1].contains("-32022") && !lines[1].contains("supported\""), "{lines:?}");
        }
        Fault::StrayResponse => assert!(add(fault)[1].contains(r#""id":"nobody-asked""#)),
        Fault::MetaNotRequired => {
            let lines = raw(fault, r#"{"jsonrpc":"2.0","id":"m","method":"tools/list"}"#);
            assert!(lines[1].contains("\"tools\""), "{lines:?}");
        }
    }
}

fn raw(fault: Fault, line: &str) -> Vec<String> {
    let setup = Setup::with(Speak::Modern, MODERN, &[fault], Arc::new(Person));
    setup.client.send_raw(line.as_bytes()).unwrap();
    setup.end().1
}

#[test]
fn every_fault_can_be_seen() {
    for row in FAULTS {
        observe(row.fault);
    }
}

#[test]
fn misbehave_commits_one_fault_and_the_next_call_is_well_behaved() {
    let setup = Setup::new(Speak::Modern, &[]);
    let misbehave = |fault: &str| {
        let arguments = format!(r#"{{"fault":"{fault}"}}"#);
        let members = [("name", "\"misbehave\""), ("arguments", arguments.as_str())];
        let pending = setup.client.start_with_progress("tools/call", &members).unwrap();
        pending.watch(Some(Duration::from_millis(200)), |_| ()).map(|answer| answer.unwrap())
    };
    assert!(misbehave("duplicate-response").unwrap().is_ok());
    assert!(misbehave("stdout-noise").is_some());
    assert!(misbehave("no-answer").is_none());
    assert!(misbehave("id-type-changed").is_none());
    assert!(misbehave("missing-result-type").unwrap().result().unwrap().get("resultType").is_none());
    assert!(misbehave("wrong-not-found-code").unwrap().is_ok());
    let read =
        || setup.client.request("resources/read", &[("uri", "\"demo://nowhere\"")]).unwrap().error().unwrap().code;
    assert_eq!((read(), read()), (-32002, -32602));
    let sum = setup.client.call_tool("add", r#"{"a":1,"b":2}"#, PATIENCE, |_| ()).unwrap();
    assert!(sum.is_ok());
    assert!(misbehave("half-line-at-exit").unwrap().is_ok());
    let (_, s2c, status) = setup.end();
    assert_eq!(status, 0);
    assert_eq!(s2c.iter().filter(|line| !line.starts_with('{')).count(), 1);
    assert_eq!(s2c.iter().filter(|line| line.contains("duplicate-response")).count(), 2);
    assert!(!s2c.last().unwrap().ends_with('}'));
}

#[test]
fn a_crash_leaves_the_callers_with_an_error_at_once() {
    let setup = Setup::new(Speak::Modern, &[]);
    let slow = [("name", "\"slow\""), ("arguments", r#"{"ms":60000}"#)];
    let pending = setup.client.start("tools/call", &slow).unwrap();
    let crash = setup.client.call_tool("misbehave", r#"{"fault":"crash"}"#, PATIENCE, |_| ());
    assert!(crash.err().unwrap().to_string().contains("ended without an answer"));
    assert!(pending.wait(PATIENCE).is_err());
}
