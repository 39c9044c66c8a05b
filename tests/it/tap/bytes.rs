//! Every byte, unchanged, in both directions, and the same out of the trace.

use super::*;
use sha2::{Digest as _, Sha256};

/// A small generator: the test is the same each time, and its seed is in the failure's text.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // xorshift64
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Random bytes with line ends often enough.
    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len)
            .map(|_| match self.next() {
                n if n % 97 == 0 => b'\n',
                n if n % 89 == 0 => b'\r',
                n => (n >> 24) as u8,
            })
            .collect()
    }
}

fn sha(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

#[test]
fn random_bytes_in_random_pieces_both_ways() {
    for seed in [1, 0x9e37_79b9_7f4a_7c15] {
        let mut random = Random(seed);
        let sent = random.bytes(1_500_000);
        let answer = random.bytes(1_500_001);
        let folder = tempfile::tempdir().unwrap();
        let (answer_file, received_file) = (folder.path().join("answer"), folder.path().join("received"));
        std::fs::write(&answer_file, &answer).unwrap();
        let server = [
            OsStr::new("sh"),
            OsStr::new("-c"),
            // In the background a shell's command reads /dev/null unless it is told what to read.
            OsStr::new("cat \"$0\" & cat > \"$1\"; wait"),
            answer_file.as_os_str(),
            received_file.as_os_str(),
        ];
        let mut tap = Tap::start(&[], &server);
        let mut stdin = tap.child.stdin.take().unwrap();
        let (code, out, err) = std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut rest = &sent[..];
                while !rest.is_empty() {
                    let (piece, after) = rest.split_at(rest.len().min(1 + (random.next() % 9000) as usize));
                    stdin.write_all(piece).unwrap();
                    rest = after;
                }
                drop(stdin);
            });
            tap.finish()
        });
        assert_eq!((code, err.as_str()), (Some(0), ""), "seed {seed}");
        let record = tap.record();
        assert_eq!(record.faults, 0);
        let received = std::fs::read(&received_file).unwrap();
        for (what, bytes) in [("server", &received), ("trace", &record.bytes[Dir::C2s as usize])] {
            assert_eq!(sha(bytes), sha(&sent), "what the {what} has of c2s, seed {seed}");
        }
        for (what, bytes) in [("client", &out), ("trace", &record.bytes[Dir::S2c as usize])] {
            assert_eq!(sha(bytes), sha(&answer), "what the {what} has of s2c, seed {seed}");
        }
    }
}

#[test]
fn half_a_line_at_the_end_and_odd_line_ends() {
    let mut tap = Tap::start(&[], &["cat"]);
    let sent = b"{\"a\":1}\r\n\n\r\n\x00\xff\r\r\n  {\"half\":";
    tap.send(sent);
    let (code, out, err) = tap.finish();
    assert_eq!((code, &out[..], err.as_str()), (Some(0), &sent[..], ""));
    let record = tap.record();
    assert_eq!((&record.bytes[0][..], &record.bytes[1][..]), (&sent[..], &sent[..]));
    assert_eq!(record.frames, 10);
}

#[test]
fn stderr_is_passed_on_and_recorded() {
    let mut tap = Tap::start(&[], &sh("printf 'one\\ntwo' >&2; echo out"));
    assert_eq!(tap.finish(), (Some(0), b"out\n".to_vec(), "one\ntwo".to_owned()));
    assert_eq!(tap.record().text(Dir::Err), "one\ntwo");
}

#[test]
fn a_line_of_100_megabytes() {
    let folder = tempfile::tempdir().unwrap();
    let received = folder.path().join("received");
    let mut tap = Tap::start(&[], &["sh", "-c", "cat > \"$0\"; echo done", received.to_str().unwrap()]);
    let mut line = b"{\"jsonrpc\":\"2.0\",\"x\":\"".to_vec();
    line.resize(100_000_000, b'x');
    line.extend_from_slice(b"\"}\n");
    tap.send(&line);
    let (code, out, _) = tap.finish();
    assert_eq!((code, &out[..]), (Some(0), &b"done\n"[..]));
    assert!(std::fs::read(&received).unwrap() == line, "the server got something else");
    let record = tap.record();
    assert!(record.bytes[0] == line, "the trace has something else");
    assert_eq!((record.lost(Dir::C2s), record.faults), ((0, 0), 0));
}

#[test]
fn a_request_stands_before_its_reply() {
    let mut tap = Tap::start(&[], &["cat"]);
    for n in 0..300 {
        let line = format!("{{\"id\":{n}}}\n");
        tap.send(line.as_bytes());
        assert_eq!(tap.line(), line);
    }
    assert_eq!(tap.finish().0, Some(0));
    let order: Vec<_> =
        tap.record().order.into_iter().filter(|word| word.ends_with('c') || word.ends_with('s')).collect();
    assert_eq!(order, ["c2s", "s2c"].repeat(300));
}

#[test]
fn a_client_of_our_own_is_tapped_too() {
    use mcpscope::paths::State;
    use mcpscope::tap::child::Launch;
    use mcpscope::tap::record::{Record, ourselves};
    let folder = tempfile::tempdir().unwrap();
    let state = State::new(Some(folder.path()));
    let launch = |words: &[&str]| Launch { command: words.iter().map(Into::into).collect(), ..Launch::default() };
    let start = |words: &[&str]| {
        let launch = launch(words);
        let record = Record::stdio(&launch, None, ourselves(), None, state.clone());
        mcpscope::tap::stdio::spawn(&launch, Some(record)).unwrap()
    };
    let mut tapped = start(&["cat"]).ok().unwrap();
    let trace = tapped.handle.trace().unwrap().clone();
    assert!(trace.starts_with(folder.path().join("traces/cat")) && mcpscope::paths::is_live(&trace));
    tapped.stdin.write_all(b"{\"id\":1}\n").unwrap();
    let mut answer = [0; 9];
    tapped.stdout.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"{\"id\":1}\n");
    drop(tapped.stdin);
    assert_eq!(tapped.handle.wait(PATIENCE).map(|e| e.code()), Some(0));
    assert_eq!(super::Record::read(&trace).frames, 2);
    assert!(!mcpscope::paths::is_live(&trace));

    // A server that ignores the end of its input, and SIGTERM.
    let stubborn = start(&sh("trap '' TERM; echo up; while :; do sleep 0.1; done")).ok().unwrap();
    drop(stubborn.stdin);
    let mut up = [0; 3];
    (&stubborn.stdout).read_exact(&mut up).unwrap();
    assert_eq!(stubborn.handle.stop(Duration::from_millis(100)).map(|e| e.code()), Some(137));

    let failed = start(&["no-such-thing"]).err().unwrap();
    assert_eq!(failed.error.status, 127);
    assert_eq!(super::Record::read(&failed.trace.unwrap()).order, ["spawn-failed", "end"]);
}
