//! The tap as a process: where it is found, and how it ends.

use super::*;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

const BIN: &str = env!("CARGO_BIN_EXE_mcpscope");

struct Process {
    child: Child,
    url: String,
    trace: PathBuf,
    _folder: tempfile::TempDir,
}

fn start(server: SocketAddr, more: &[&str]) -> Process {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("t.jsonl");
    let url = format!("http://{server}/mcp");
    let mut child = Command::new(BIN)
        .args(["attach", "--headless", "--url", &url, "--trace"])
        .arg(&trace)
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
    Process { child, url: url.trim().to_owned(), trace, _folder: folder }
}

impl Process {
    fn client(&self) -> Wire {
        let address = self.url.strip_prefix("http://").unwrap().split('/').next().unwrap();
        Wire::new(TcpStream::connect(address).unwrap())
    }

    fn end(&mut self, signal: rustix::process::Signal) -> (Option<i32>, String) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
        let status = self.child.wait().unwrap();
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (status.code(), errors)
    }
}

#[test]
fn the_url_is_the_same_at_each_start_and_signals_end_it_in_order() {
    use rustix::process::Signal;
    let (tx, streams) = std::sync::mpsc::channel();
    let tx: std::sync::Mutex<_> = tx.into();
    let address = server(move |mut wire| {
        if wire.message().is_some() {
            wire.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
            let _ = tx.lock().unwrap().send(wire);
        }
    });
    let mut first = start(address, &[]);
    // A second one while the first runs goes elsewhere, and says so.
    let mut second = start(address, &[]);
    assert_ne!(first.url, second.url);
    let (status, said) = second.end(Signal::INT);
    assert_eq!(status, Some(0));
    assert!(said.contains("taken"), "{said}");

    let mut client = first.client();
    let host = first.url.split('/').nth(2).unwrap();
    client.send(format!("GET /mcp HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    let mut upstream = streams.recv_timeout(PATIENCE).unwrap();
    client.head().unwrap();
    // A lost terminal does not end it.
    let pid = rustix::process::Pid::from_child(&first.child);
    rustix::process::kill_process(pid, Signal::HUP).unwrap();
    upstream.send("9\r\ndata: 1\n\n\r\n");
    client.chunk().unwrap();
    let (status, said) = first.end(Signal::TERM);
    assert_eq!(status, Some(0));
    assert!(said.contains("instead of the server's") && !said.contains("taken"), "{said}");
    assert!(client.ended() && upstream.ended());
    let (frames, events) = read(&std::fs::read(&first.trace).unwrap());
    assert_eq!(shorts(&frames), ["> GET ", "< 200 ", "~ 1", "s2c Reset"]);
    assert!(matches!(events.last(), Some(EventKind::End { frames: Some(4) })));

    let mut third = start(address, &[]);
    assert_eq!(third.url, first.url);
    third.end(Signal::TERM);
}

#[test]
fn what_cannot_be_done_is_said_and_ends_with_2() {
    for (arguments, says) in [
        (&["--url", "mcp.example.com"][..], "is no http or https URL"),
        (&["--url", "https://user:secret@mcp.example.com/"], "with a password in it"),
        (&["--url", "https://x.example/", "--listen", "0.0.0.0:0"], "--allow-remote"),
        (&["--url", "https://x.example/", "--ca", "/no/such/file"], "--ca /no/such/file"),
        (&["--ca", "/no/such/file", "--", "cat"], "--url"),
        (&["--url", "https://x.example/", "--", "cat"], "not both"),
    ] {
        let output = Command::new(BIN).arg("attach").args(arguments).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(says) && !said.contains("secret"), "{arguments:?}: {said}");
    }
}
