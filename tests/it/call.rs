//! `mcpscope call` against the demo server.

use std::process::{Command, Output, Stdio};

const BIN: &str = env!("CARGO_BIN_EXE_mcpscope");

/// Runs `call` with its state in a folder of its own and without a terminal.
fn call(arguments: &[&str]) -> Output {
    let state = tempfile::tempdir().unwrap();
    Command::new(BIN)
        .arg("call")
        .args(arguments)
        .args(["--", BIN, "demo-server"])
        .env("XDG_STATE_HOME", state.path())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[track_caller]
fn expect(arguments: &[&str], status: i32, stdout: &str, stderr: &str) {
    let output = call(arguments);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{out}\n{err}");
    assert!(out.contains(stdout), "no {stdout:?} in {out}");
    assert!(err.contains(stderr), "no {stderr:?} in {err}");
}

#[test]
fn a_good_call_prints_the_result_and_ends_with_0() {
    expect(&["add", "a=2", "b=3"], 0, "{\"sum\":5}\n", "");
    expect(&["add", "--json", r#"{"a":2,"b":3.5}"#], 0, "5.5", "");
    // 2024-11-05 has no annotations: nothing is known to be read-only.
    expect(&["add", "a=2", "b=3", "--revision", "2024-11-05", "--allow-calls"], 0, "5", "");
    expect(&["weather", "city=Oslo", "unit=celsius", "place.lat=59.9", "place.lon=10.7"], 0, "Oslo", "");
    expect(&["--resource", "demo://shelf/rope"], 0, "\"stock\":7", "");
    expect(&["--prompt", "packing-list", "city=12"], 0, "packing list for 12", "");
}

#[test]
fn lists_are_printed_a_line_an_item() {
    expect(&["--list"], 0, "weather city= unit= [days=] [place=]  # Forecast for a city\n", "");
    expect(&["--list=templates"], 0, "demo://shelf/{item}", "");
    expect(&["--list", "--format", "json"], 0, "{\"name\":\"add\"", "");
}

#[test]
fn failures_of_tool_and_protocol_end_with_1() {
    expect(&["fail", "reason=no paper"], 1, "no paper", "the tool failed");
    expect(&["nothing", "--anyway", "--allow-calls"], 1, "", "protocol error -32602");
    expect(&["fail", "--format", "json"], 1, r#"{"outcome":"tool_error","response":{"jsonrpc":"2.0","#, "");
    expect(&["book", "from=A", "to=B", "--allow-calls"], 1, "", "-32021");
}

#[test]
fn what_does_not_reach_the_tool_ends_with_2() {
    expect(&["wether"], 2, "", "did you mean `weather`?");
    expect(&["weather", "city=Oslo"], 2, "", "\"unit\" is a required property");
    expect(&["slow", "ms=60000", "--timeout", "0.05"], 2, "", "no answer within 50 ms");
    expect(&["add", "--json", "[1]"], 2, "", "must be a JSON object");
    expect(&[], 2, "", "no tool was named");
    let output = Command::new(BIN).args(["call", "x", "--", "/no/such/program"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_tool_that_may_change_something_needs_leave() {
    expect(&["restock", "item=rope", "stock=1"], 2, "", "restock {\"item\":\"rope\",\"stock\":1}");
    expect(&["restock", "item=rope", "stock=1", "--allow-calls=book"], 2, "", "--allow-calls");
    expect(&["restock", "item=rope", "stock=1", "--allow-calls=book,restock"], 0, "\"before\":7", "");
}

#[test]
fn questions_are_answered_from_the_command_line() {
    let book = ["book", "from=A", "to=B", "--allow-calls", "--answer", "name=Ada", "--answer", "class=first"];
    expect(&book, 0, "\"traveller\":\"Ada\"", "");
    expect(&[&book[..], &["--revision", "2025-06-18"]].concat(), 0, "\"traveller\":\"Ada\"", "");
    expect(&book[..6], 0, "\"booked\":false", "");
}

#[test]
fn pictures_are_written_and_never_over_something() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    expect(&["media", "--save", path], 0, "image/png", "wrote");
    assert!(std::fs::read(folder.path().join("1.png")).unwrap().starts_with(b"\x89PNG"));
    expect(&["media", "--save", path], 2, "", "cannot write");
}
