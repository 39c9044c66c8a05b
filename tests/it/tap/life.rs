//! Start, signals, half-close, exit: a tapped server lives and dies as an untapped one.

use super::*;
use rustix::process::Signal;

#[test]
fn the_exit_status_is_the_servers() {
    for (script, want) in [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -TERM $$", 143)] {
        let mut tap = Tap::start(&[], &sh(script));
        assert_eq!(tap.finish(), (Some(want), vec![], String::new()), "{script}");
    }
    let mut killed = Tap::start(&[], &sh("kill -9 $$"));
    killed.finish();
    let exit = EventKind::Exit { status: None, signal: Some("SIGKILL".into()) };
    assert!(killed.record().events.contains(&exit));
}

#[test]
fn signals_reach_the_server() {
    for (signal, name) in [(Signal::TERM, "TERM"), (Signal::INT, "INT"), (Signal::HUP, "HUP"), (Signal::USR1, "USR1")] {
        let script = format!("trap 'echo got; exit 5' {name}; echo ready; while :; do sleep 0.02; done");
        let mut tap = Tap::start(&[], &sh(&script));
        assert_eq!(tap.line(), "ready\n");
        tap.signal(signal);
        assert_eq!(tap.line(), "got\n", "SIG{name}");
        assert_eq!(tap.wait().code(), Some(5));
        assert!(tap.record().events.contains(&EventKind::Signal { name: format!("SIG{name}") }));
    }
}

#[test]
fn a_signal_that_the_server_survives_is_survived() {
    let mut tap = Tap::start(&[], &sh("trap 'echo no' TERM; echo ready; until read line; do :; done; echo $line"));
    assert_eq!(tap.line(), "ready\n");
    tap.signal(Signal::TERM);
    // The signal ends the wait for a line, the trap runs, and the shell reads again. A line sent before that could be lost
    // in the middle of the shell's own reading.
    assert_eq!(tap.line(), "no\n");
    tap.send(b"a\n");
    assert_eq!(tap.line(), "a\n");
    assert_eq!(tap.finish().0, Some(0));
}

#[test]
fn the_end_of_input_does_not_cut_the_last_answers() {
    let mut tap = Tap::start(&[], &sh("cat > /dev/null; sleep 0.3; echo last; echo word >&2; exit 4"));
    tap.send(b"x\n");
    assert_eq!(tap.finish(), (Some(4), b"last\n".to_vec(), "word\n".to_owned()));
    let order = tap.record().order.join(" ");
    assert!(order.starts_with("spawn c2s eof ") && order.ends_with("exit end"), "{order}");
    assert!(order.contains("s2c") && order.contains("err"), "{order}");
}

#[test]
fn the_server_may_close_its_output_first() {
    let mut tap = Tap::start(&[], &sh("echo bye; exec >&- 2>&-; cat > /dev/null; exit 6"));
    let mut out = Vec::new();
    // The client sees the end although the server lives and its own side is open.
    tap.child.stdout.as_mut().unwrap().read_to_end(&mut out).unwrap();
    assert_eq!(out, b"bye\n");
    assert_eq!(tap.child.try_wait().unwrap(), None);
    assert_eq!(tap.finish().0, Some(6));
}

#[test]
fn the_servers_end_is_the_taps_although_the_client_says_nothing() {
    let mut tap = Tap::start(&[], &sh("exit 3"));
    // Standard input stays open.
    assert_eq!(tap.wait().code(), Some(3));
    // A process that the server left behind holds its output: it does not hold the tap.
    let mut tap = Tap::start(&[], &sh("sleep 30 & echo $!; exit 3"));
    let left = tap.line().trim().parse().unwrap();
    let start = Instant::now();
    assert_eq!(tap.wait().code(), Some(3));
    assert!(start.elapsed() < Duration::from_secs(10));
    let _ = rustix::process::kill_process(rustix::process::Pid::from_raw(left).unwrap(), Signal::KILL);
}

#[test]
fn a_client_that_leaves_is_noticed_by_the_server() {
    let mut tap = Tap::start(&[], &["yes"]);
    assert_eq!(tap.line(), "y\n");
    drop(tap.child.stdout.take());
    // As in a pipe without a tap: SIGPIPE.
    assert_eq!(tap.wait().code(), Some(141));
    let record = tap.record();
    assert!(record.events.iter().any(|e| matches!(e, EventKind::Undelivered { dir: Dir::S2c, .. })));
}

#[test]
fn what_the_server_does_not_read_is_told() {
    let mut tap = Tap::start(&[], &sh("exec <&-; echo closed; while :; do sleep 0.02; done"));
    assert_eq!(tap.line(), "closed\n");
    tap.send(b"anybody?\n");
    // The client learns it as without a tap: its next write fails.
    let mut stdin = tap.child.stdin.take().unwrap();
    wait_until("the client's pipe breaks", || stdin.write_all(b"x\n").err());
    tap.signal(Signal::TERM);
    assert_eq!(tap.wait().code(), Some(143));
    let record = tap.record();
    let told = |e: &EventKind| matches!(e, EventKind::Undelivered { dir: Dir::C2s, bytes: 9.. });
    assert!(record.events.iter().any(told), "{:?}", record.events);
}

#[test]
fn a_server_that_cannot_be_started() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "no program").unwrap();
    for (program, status, why) in [("no-such-program", 127, "PATH"), (plain.to_str().unwrap(), 126, "not executable")] {
        let mut tap = Tap::start(&[], &[program, "--flag"]);
        let (code, out, err) = tap.finish();
        assert_eq!((code, out), (Some(status), vec![]));
        assert!(err.lines().count() == 1 && err.contains(program) && err.contains(why), "{err}");
        let record = tap.record();
        assert_eq!(record.order, ["spawn-failed", "end"]);
        let header = std::fs::read_to_string(tap.trace()).unwrap();
        let header: serde_json::Value = serde_json::from_str(header.lines().next().unwrap()).unwrap();
        assert_eq!(header["command"], serde_json::json!([program, "--flag"]));
        assert!(header["cwd"].is_string() && header["path"].is_string());
    }
}

#[test]
fn a_run_of_a_moment_is_saved_whole() {
    for _ in 0..5 {
        let mut tap = Tap::start(&[], &sh("echo '{\"a\":1}'"));
        assert_eq!(tap.finish().0, Some(0));
        let record = tap.record();
        let mut order = record.order.clone();
        assert_eq!((order.first().map(String::as_str), order.last().map(String::as_str)), (Some("spawn"), Some("end")));
        order.sort();
        order.retain(|word| word != "eof");
        assert_eq!(order, ["end", "exit", "s2c", "spawn"]);
        assert!(record.events.contains(&EventKind::End { frames: Some(1) }));
    }
}

#[test]
fn names_and_places() {
    let folder = tempfile::tempdir().unwrap();
    let mut tap = Command::new(BIN);
    // Without `attach`, and options of the command that look like ours.
    tap.args(["--", "sh", "-c", "echo $0", "--name"]);
    let mut tap = Tap::spawn(tap, folder);
    assert_eq!(tap.finish().1, b"--name\n");
    let traces = mcpscope::paths::list(&mcpscope::paths::State::new(Some(&tap.folder.path().join("mcpscope"))));
    assert_eq!((traces.len(), traces[0].name.as_str()), (1, "echo"));

    let folder = tempfile::tempdir().unwrap();
    let mut tap = Command::new(BIN);
    tap.args(["attach", "--name", "a b", "--dir"]).arg(folder.path().join("d")).args(["cat", "-"]);
    let mut tap = Tap::spawn(tap, folder);
    assert_eq!(tap.finish().0, Some(0));
    let traces = mcpscope::paths::list(&mcpscope::paths::State::new(Some(&tap.folder.path().join("d"))));
    assert_eq!((traces.len(), traces[0].name.as_str()), (1, "a-b"));

    let mut tap = Tap::start(&[], &["cat"]);
    tap.finish();
    let mut again = Command::new(BIN);
    again.args(["attach", "--trace"]).arg(tap.trace()).args(["--host", "code", "cat"]);
    let mut again = Tap::spawn(again, tempfile::tempdir().unwrap());
    again.send(b"{}\n");
    assert_eq!(again.finish().0, Some(0));
    // A host that starts a server twice with one file: both runs are in it, each a connection.
    let record = tap.record();
    assert_eq!((record.conns, record.faults), (vec![2, 2], 0));
}

#[test]
fn no_trace_and_verbose() {
    let mut tap = Tap::start(&["-v"], &["cat"]);
    // Whoever asks for it is told, if the file was open in time.
    let (_, _, err) = tap.finish();
    assert!(err.is_empty() || err.contains("recording to"), "{err}");
    let folder = tempfile::tempdir().unwrap();
    let mut tap = Command::new(BIN);
    tap.args(["attach", "--no-trace", "cat"]);
    let mut tap = Tap::spawn(tap, folder);
    tap.send(b"x");
    assert_eq!(tap.finish(), (Some(0), b"x".to_vec(), String::new()));
    assert_eq!(std::fs::read_dir(tap.folder.path()).unwrap().count(), 0);
}
