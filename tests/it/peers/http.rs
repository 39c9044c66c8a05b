//! The same over HTTP, with the HTTP tap between them.

use super::*;
use std::io::{BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::time::Instant;

/// A server that listens on a port of its own.
struct Listening {
    child: Child,
    port: u16,
}

impl Listening {
    /// `command`: makes the command for a port.
    fn start(command: impl FnOnce(u16) -> Command) -> Listening {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = command(port);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let end = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < end, "{command:?} does not listen");
            std::thread::sleep(Duration::from_millis(50));
        }
        Listening { child, port }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The tap in front of it: asks `talk` with its URL, ends it, and checks the trace; returns what `check` says.
fn tapped(server: &Listening, path: &str, more: &[&str], talk: impl FnOnce(&str)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("t.jsonl");
    let url = format!("http://127.0.0.1:{}{path}", server.port);
    let mut tap = Command::new(BIN)
        .args(["attach", "--headless", "--url", &url, "--listen", "0", "--trace"])
        .arg(&trace)
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(tap.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
    talk(url.trim());
    rustix::process::kill_process(rustix::process::Pid::from_child(&tap), rustix::process::Signal::TERM).unwrap();
    assert!(tap.wait().unwrap().success());
    let check = Command::new(BIN).arg("check").arg(&trace).output().unwrap();
    let said = String::from_utf8_lossy(&check.stdout).into_owned();
    assert!(check.status.success(), "{url}: {said}");
    said
}

/// Each client calls `add` (or what `more` names) and prints 5.
fn five(client: Command, url: &str, more: &[&str]) {
    let words: Vec<OsString> = std::iter::once(url).chain(more.iter().copied()).map(Into::into).collect();
    let said = says(client, &words);
    assert!(said.contains('5'), "{said}");
}

/// The built-in client.
fn ours(url: &str, tool: &str, revision: &str) {
    let state = tempfile::tempdir().unwrap();
    let mut call = Command::new(BIN);
    call.args(["call", tool, "a=2", "b=3", "--allow-calls", "--revision", revision, "--url", url]);
    let said = says(
        {
            call.env("XDG_STATE_HOME", state.path());
            call
        },
        &[],
    );
    assert!(said.contains('5'), "{said}");
}

#[test]
fn both_eras_through_the_tap() {
    let Some(folder) = peers("npm") else { return };
    let ts2 = Listening::start(|port| {
        let mut command = node(&folder, "srv_ts2.mjs");
        command.arg(port.to_string());
        command
    });
    tapped(&ts2, "/mcp", &[], |url| {
        for mode in ["auto", "legacy"] {
            let mut client = node(&folder, "cli_ts2.mjs");
            client.arg(mode);
            five(client, url, &[]);
        }
        five(node(&folder, "cli_ts1.mjs"), url, &[]);
        if peers("py2").is_some() {
            five(python(&folder, "py2", "cli_py2.py"), url, &[]);
        }
        ours(url, "add", "auto");
        ours(url, "add", "2025-06-18");
    });
    if peers("py2").is_none() {
        return;
    }
    let py2 = Listening::start(|port| {
        let mut command = python(&folder, "py2", "srv_py2.py");
        command.arg(port.to_string());
        command
    });
    tapped(&py2, "/mcp", &[], |url| {
        for mode in ["auto", "legacy"] {
            let mut client = node(&folder, "cli_ts2.mjs");
            client.arg(mode);
            five(client, url, &[]);
        }
        five(python(&folder, "py2", "cli_py2.py"), url, &[]);
        ours(url, "add", "auto");
        ours(url, "add", "2025-11-25");
    });
}

#[test]
fn everything_with_sessions_and_with_the_old_transport() {
    let Some(folder) = peers("npm") else { return };
    let everything = |transport: &str| {
        let script = folder.join("npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
        Listening::start(|port| {
            let mut command = Command::new("node");
            command.arg(script).arg(transport).env("PORT", port.to_string());
            command
        })
    };
    tapped(&everything("streamableHttp"), "/mcp", &[], |url| {
        five(node(&folder, "cli_ts1.mjs"), url, &["everything"]);
        ours(url, "get-sum", "auto");
    });
    let said = tapped(&everything("sse"), "/sse", &[], |url| five(node(&folder, "cli_ts1.mjs"), url, &["everything"]));
    assert!(said.contains("deprecated-http-sse"), "{said}");
}

/// The server says where it is, and a client that dials the tap does not believe it, unless the tap says so too.
#[test]
fn a_protected_server_through_the_tap() {
    let Some(folder) = peers("npm") else { return };
    let server = Listening::start(|port| {
        let mut command = node(&folder, "srv_oauth.mjs");
        command.arg(port.to_string());
        command
    });
    let issuer = format!("http://127.0.0.1:{}", server.port);
    tapped(&server, "/mcp", &[], |url| {
        let output = node(&folder, "cli_oauth.mjs").args([url, &issuer]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("does not match expected"), "{said}");
    });
    tapped(&server, "/mcp", &["--rewrite-oauth"], |url| five(node(&folder, "cli_oauth.mjs"), url, &[&issuer]));
}
