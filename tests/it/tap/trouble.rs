//! Disks that are full or dead, viewers that stop, taps that are killed: the wire goes on.

use super::*;
use rustix::process::Signal;

/// About a megabyte of messages.
fn messages() -> Vec<u8> {
    (0..10_000)
        .map(|n| format!("{{\"jsonrpc\":\"2.0\",\"id\":{n},\"method\":\"{}\"}}\n", "x".repeat(60)))
        .collect::<String>()
        .into()
}

/// Sends all through `cat` and checks that it comes back.
#[track_caller]
fn through_cat(tap: &mut Tap, sent: &[u8]) {
    let mut stdin = tap.child.stdin.take().unwrap();
    let (code, out, err) = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(sent).unwrap());
        tap.finish()
    });
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out == sent, "the wire has changed: {} of {} bytes", out.len(), sent.len());
}

#[test]
fn a_full_disk() {
    let sent = messages();
    // From a limit that the header alone fills to one that takes half.
    for blocks in [1, 8, 64, 1000] {
        let folder = tempfile::tempdir().unwrap();
        let mut tap = Command::new("sh");
        tap.args(["-c", &format!("ulimit -f {blocks}; exec \"$@\""), "sh", BIN, "attach", "--trace"]);
        tap.arg(folder.path().join("t.jsonl")).arg("cat");
        let mut tap = Tap::spawn(tap, folder);
        through_cat(&mut tap, &sent);
        let record = tap.record();
        if blocks > 1 {
            assert!(record.order.contains(&"gap".to_owned()), "{blocks} blocks: {:?}", record.events);
            assert!(record.order.contains(&"exit".to_owned()), "{blocks} blocks: {:?}", record.events);
            assert_eq!(record.faults, 0);
            assert_eq!(
                record.frames + record.lost(Dir::C2s).0 + record.lost(Dir::S2c).0,
                20_000,
                "{:?}",
                record.events
            );
        }
    }
}

#[test]
fn a_trace_that_has_reached_its_size() {
    let mut tap = Tap::start(&["--max-trace", "100k"], &["cat"]);
    through_cat(&mut tap, &messages());
    let size = std::fs::metadata(tap.trace()).unwrap().len();
    assert!(size < 102 << 10 && size > 90 << 10, "{size}");
    let record = tap.record();
    assert_eq!(record.frames + record.lost(Dir::C2s).0 + record.lost(Dir::S2c).0, 20_000);
}

/// A pipe in the trace's place: whoever holds `end` and does not read is a disk that hangs.
fn fifo(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("t.jsonl");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    path
}

#[test]
fn a_disk_that_hangs_in_a_write_or_when_it_is_opened() {
    for readable in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let path = fifo(&folder);
        let _end = readable.then(|| std::fs::File::options().read(true).write(true).open(&path).unwrap());
        let mut tap = Command::new(BIN);
        tap.args(["attach", "--trace"]).arg(&path).arg("cat");
        let mut tap = Tap::spawn(tap, folder);
        let sent = messages();
        for _ in 0..5 {
            tap.send(b"{\"ping\":1}\n");
            assert_eq!(tap.line(), "{\"ping\":1}\n");
        }
        let start = Instant::now();
        through_cat(&mut tap, &sent);
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }
}

#[test]
fn an_unwritable_state_falls_back_or_is_done_without() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mut tap = Command::new(BIN);
    tap.args(["attach", "--dir"]).arg(file.join("x")).arg("cat").env("TMPDIR", folder.path());
    let mut tap = Tap::spawn(tap, folder);
    tap.send(b"x\n");
    assert_eq!(tap.finish(), (Some(0), b"x\n".to_vec(), String::new()));
    let user = rustix::process::geteuid().as_raw();
    let traces = tap.folder.path().join(format!("mcpscope-{user}/traces/cat"));
    assert_eq!(std::fs::read_dir(traces).unwrap().count(), 1);

    // Not even there.
    let mut tap = Command::new(BIN);
    tap.args(["attach", "-v", "--trace", "/no/such/folder/t.jsonl", "cat"]);
    let mut tap = Tap::spawn(tap, tempfile::tempdir().unwrap());
    tap.send(b"x\n");
    let (code, out, err) = tap.finish();
    assert_eq!((code, &out[..]), (Some(0), &b"x\n"[..]));
    assert!(err.contains("nothing is recorded"), "{err}");
}

#[test]
fn a_viewer_that_is_stopped() {
    let mut tap = Tap::start(&[], &["cat"]);
    tap.send(b"{}\n");
    assert_eq!(tap.line(), "{}\n");
    wait_until("the trace is there", || tap.trace().exists().then_some(()));
    let mut viewer =
        Command::new("tail").args(["-f", "-n", "+1"]).arg(tap.trace()).stdout(Stdio::piped()).spawn().unwrap();
    let pid = rustix::process::Pid::from_raw(viewer.id() as i32).unwrap();
    rustix::process::kill_process(pid, Signal::STOP).unwrap();
    let sent = messages();
    through_cat(&mut tap, &sent);
    viewer.kill().unwrap();
    viewer.wait().unwrap();
    let record = tap.record();
    assert_eq!((record.frames, record.lost(Dir::C2s)), (20_002, (0, 0)));
}

#[test]
fn a_tap_that_is_killed_loses_its_last_batch_at_most_and_leaves_no_orphan() {
    let mut tap = Tap::start(&[], &sh("trap '' TERM HUP; cat; while :; do sleep 0.05; done"));
    for n in 0..50 {
        let line = format!("{{\"id\":{n}}}\n");
        tap.send(line.as_bytes());
        assert_eq!(tap.line(), line);
    }
    wait_until("a batch is written", || (tap.record().frames == 100).then_some(()));
    let server = wait_until("the server is named", || {
        tap.record().events.iter().find_map(|e| if let EventKind::Spawn { pid } = e { *pid } else { None })
    });
    tap.send(b"{\"id\":\"last\"}\n");
    assert_eq!(tap.line(), "{\"id\":\"last\"}\n");
    tap.signal(Signal::KILL);
    tap.wait();
    let record = tap.record();
    assert!((100..=102).contains(&record.frames) && record.faults == 0);
    assert!(!record.order.contains(&"end".to_owned()));
    // A server that ignores the end of its input goes too. Who has ended and is not reaped (by a parent that is not
    // ours) is gone as well.
    if cfg!(target_os = "linux") {
        wait_until("the server is gone", || {
            let stat = std::fs::read_to_string(format!("/proc/{server}/stat")).unwrap_or_default();
            let state = stat.rsplit(')').next().and_then(|rest| rest.trim().chars().next());
            matches!(state, None | Some('Z' | 'X')).then_some(())
        });
    }
}

#[test]
fn what_is_stuck_is_told() {
    let mut tap = Tap::start(&[], &sh("printf half; sleep 30"));
    // The server reads nothing: what it does not take is more than pipes hold.
    let mut stdin = tap.child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&[b'x'; 400_000]));
    let found = wait_until("both are told", || {
        let events = tap.record().events;
        let partial = events.iter().find(|e| matches!(e, EventKind::Partial { dir: Dir::S2c, bytes: 4, .. }))?.clone();
        let blocked = events.iter().find(|e| matches!(e, EventKind::Blocked { dir: Dir::C2s, .. }))?.clone();
        Some((partial, blocked))
    });
    let (EventKind::Partial { since, .. }, EventKind::Blocked { since: blocked, .. }) = found else { panic!() };
    assert!(since >= 0 && blocked > 0);
    tap.signal(Signal::TERM);
    assert_eq!(tap.wait().code(), Some(143));
    // The writer was cut off with the tap.
    assert!(writer.join().unwrap().is_err());
    assert!(tap.record().events.iter().filter(|e| matches!(e, EventKind::Partial { dir: Dir::S2c, .. })).count() == 1);
}

#[test]
fn each_batch_to_the_disk() {
    let mut tap = Tap::start(&["--sync"], &["cat"]);
    tap.send(b"{}\n");
    assert_eq!(tap.finish().0, Some(0));
    assert_eq!(tap.record().frames, 2);
}
