//! Real clients against the demo server, and the built-in client against real servers, both over stdio.
//!
//! They are looked for in the folder that the environment variable `MCPSCOPE_PEERS` names, filled by
//! `tests/peers/install.sh`; without it, and for each part that is not there, the tests say that they are skipped. With
//! `MCPSCOPE_PEERS_REQUIRED` a missing part is a failure.

mod http;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use mcpscope::mcp::Revision;
use mcpscope::peer::client::{Client, FormAnswers, List, Options, Speak, Transport};

const BIN: &str = env!("CARGO_BIN_EXE_mcpscope");
const PATIENCE: Option<Duration> = Some(Duration::from_secs(60));

/// The folder, if it has that part in working order.
fn peers(part: &str) -> Option<PathBuf> {
    // Where the peers have to be there, a test that skips itself would hide that they are not.
    let required = std::env::var_os("MCPSCOPE_PEERS_REQUIRED").is_some();
    let Some(folder) = std::env::var_os("MCPSCOPE_PEERS") else {
        assert!(!required, "MCPSCOPE_PEERS is not set");
        eprintln!("skipped: MCPSCOPE_PEERS is not set; fill a folder with tests/peers/install.sh");
        return None;
    };
    let folder = PathBuf::from(folder);
    if !folder.join(part).join(".stamp").exists() {
        assert!(!required, "{} has no {part}", folder.display());
        eprintln!("skipped: {} has no {part}", folder.display());
        return None;
    }
    Some(folder)
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(name)
}

/// Node looks for packages beside the script, so the installer copied the scripts there.
fn node(folder: &Path, name: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(folder.join("npm").join(name));
    command
}

fn python(folder: &Path, venv: &str, name: &str) -> Command {
    let mut command = Command::new(folder.join(venv).join("bin/python"));
    command.arg(script(name));
    command
}

/// Runs a client that starts the demo server, and returns what it printed.
fn client_says(client: Command) -> String {
    says(client, &[BIN.into(), "demo-server".into()])
}

/// Runs a client that starts a server, and returns what it printed.
fn says(client: Command, server: &[OsString]) -> String {
    tries(client, server).unwrap_or_else(|why| panic!("{why}"))
}

/// As [`says`], for those who know of a reason to fail.
fn tries(mut client: Command, server: &[OsString]) -> Result<String, String> {
    let output =
        client.args(server).stdin(Stdio::null()).output().unwrap_or_else(|failure| panic!("{client:?}: {failure}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(text)
    } else {
        Err(format!("{client:?} ended with {}\n{text}\n{errors}", output.status))
    }
}

/// A server as a child process, with our client connected to it.
struct Attached {
    client: Client,
    child: Child,
}

impl Attached {
    fn start(mut command: Command, speak: Speak) -> Attached {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|failure| panic!("{command:?}: {failure}"));
        let transport = Transport::lines(child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let answerer = Arc::new(FormAnswers::default());
        // A busy machine may need longer than the default to start Python; silence would count as legacy.
        let probe_timeout = Duration::from_secs(60);
        let options = Options { speak, probe_timeout, timeout: PATIENCE, answerer, ..Options::default() };
        match Client::connect(transport, options) {
            Ok(client) => Attached { client, child },
            Err(failure) => panic!("{command:?}: {failure}"),
        }
    }

    /// Lists and calls `add` in the expected revision; ends the server.
    fn adds(mut self, revision: Revision) {
        assert_eq!(self.client.revision(), revision);
        let (tools, listing) = self.client.tools().unwrap();
        assert!(listing.error.is_none() && listing.incomplete.is_none());
        assert!(tools.iter().any(|tool| tool.name == "add"));
        let sum = self.client.call_tool("add", r#"{"a":2,"b":3}"#, PATIENCE, |_| ()).unwrap();
        assert!(sum.is_ok(), "{}", String::from_utf8_lossy(sum.bytes()));
        assert!(sum.texts()[0].contains('5'), "{:?}", sum.texts());
        // Servers differ in how they refuse it, not in that they do.
        let unknown = self.client.call_tool("no-such-tool", "{}", PATIENCE, |_| ()).unwrap();
        assert!(!unknown.is_ok());
        self.client.close();
        self.child.wait().unwrap();
    }
}

#[test]
fn typescript_2_client() {
    let Some(folder) = peers("npm") else { return };
    for mode in ["auto", "legacy"] {
        let mut client = node(&folder, "cli_ts2.mjs");
        client.arg(mode);
        let said = client_says(client);
        for part in ["tools: 11", r#""sum":5"#, r#""city":"Oslo""#, "prompts: 2", "resources: 6", "read: 1"] {
            assert!(said.contains(part), "{mode}: no {part} in\n{said}");
        }
        assert_eq!(said.contains("serverInfo"), mode == "auto");
    }
}

#[test]
fn typescript_1_client() {
    let Some(folder) = peers("npm") else { return };
    let said = client_says(node(&folder, "cli_ts1.mjs"));
    assert!(said.contains("tools: 7") && said.contains(r#""sum":5"#), "{said}");
}

#[test]
fn python_clients() {
    for (venv, name) in [("py2", "cli_py2.py"), ("py1", "cli_py1.py")] {
        let Some(folder) = peers(venv) else { continue };
        let said = client_says(python(&folder, venv, name));
        assert!(said.contains("tools: 7") && said.contains(r#"{"sum":5}"#), "{said}");
    }
}

#[test]
fn rmcp_client() {
    let Some(folder) = peers("rmcp") else { return };
    let said = client_says(Command::new(folder.join("rmcp/peer")));
    assert!(said.contains("tools: 7") && said.contains(r#""sum":5"#), "{said}");
}

#[test]
fn typescript_2_server() {
    let Some(folder) = peers("npm") else { return };
    Attached::start(node(&folder, "srv_ts2.mjs"), Speak::Auto).adds(Revision::V2026_07_28);
    Attached::start(node(&folder, "srv_ts2.mjs"), Speak::Legacy(Revision::V2025_11_25)).adds(Revision::V2025_11_25);
}

#[test]
fn python_servers() {
    let modern = Revision::V2026_07_28;
    let legacy = Revision::V2025_11_25;
    for (venv, name, revision) in
        [("py2", "srv_py2.py", modern), ("py1", "srv_py1.py", legacy), ("fastmcp", "srv_fastmcp.py", modern)]
    {
        let Some(folder) = peers(venv) else { continue };
        Attached::start(python(&folder, venv, name), Speak::Auto).adds(revision);
    }
}

#[test]
fn rmcp_server() {
    let Some(folder) = peers("rmcp") else { return };
    Attached::start(Command::new(folder.join("rmcp/peer")), Speak::Auto).adds(Revision::V2026_07_28);
    for revision in Revision::ALL.into_iter().filter(|revision| !revision.is_modern()) {
        Attached::start(Command::new(folder.join("rmcp/peer")), Speak::Legacy(revision)).adds(revision);
    }
}

#[test]
fn everything_server() {
    let Some(folder) = peers("npm") else { return };
    let mut command = Command::new("node");
    command.arg(folder.join("npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js")).arg("stdio");
    let mut attached = Attached::start(command, Speak::Auto);
    let client = &attached.client;
    assert_eq!(client.revision(), Revision::V2025_11_25);
    let (tools, _) = client.tools().unwrap();
    assert!(tools.len() > 5, "{tools:?}");
    let echo = client.call_tool("echo", r#"{"message":"hello"}"#, PATIENCE, |_| ()).unwrap();
    assert!(echo.texts()[0].contains("hello"));
    for list in [List::Prompts, List::Resources, List::Templates] {
        assert!(!client.list(list).unwrap().items.is_empty(), "{list:?}");
    }
    attached.client.close();
    attached.child.wait().unwrap();
}

/// A command as words, to be handed to a client.
fn words(command: &Command) -> Vec<OsString> {
    std::iter::once(command.get_program()).chain(command.get_args()).map(ToOwned::to_owned).collect()
}

/// Real clients and real servers with the tap between them: the answer is the same, and nothing on the wire is an error.
#[test]
fn clients_and_servers_with_the_tap_between_them() {
    let parts = ["npm", "py1", "py2", "fastmcp", "rmcp"];
    if parts.iter().any(|part| peers(part).is_none()) {
        return;
    }
    let Some(folder) = peers("npm") else { return };
    let ts2 = |mode: &str| {
        let mut client = node(&folder, "cli_ts2.mjs");
        client.arg(mode);
        client
    };
    let clients = || {
        [
            ("ts2", ts2("auto")),
            ("ts2-legacy", ts2("legacy")),
            ("ts1", node(&folder, "cli_ts1.mjs")),
            ("py2", python(&folder, "py2", "cli_py2.py")),
            ("py1", python(&folder, "py1", "cli_py1.py")),
            ("rmcp", Command::new(folder.join("rmcp/peer"))),
        ]
    };
    let servers = [
        ("ts2", node(&folder, "srv_ts2.mjs")),
        ("py2", python(&folder, "py2", "srv_py2.py")),
        ("py1", python(&folder, "py1", "srv_py1.py")),
        ("fastmcp", python(&folder, "fastmcp", "srv_fastmcp.py")),
        ("rmcp", Command::new(folder.join("rmcp/peer"))),
    ];
    // Every third pair, so that each client meets a modern and a legacy server; all with MCPSCOPE_PEERS_ALL.
    let all = std::env::var_os("MCPSCOPE_PEERS_ALL").is_some();
    let traces = tempfile::tempdir().unwrap();
    let pair = |client: &str, program: Command, server: &str, command: &Command| {
        let trace = traces.path().join(format!("{client}-{server}.jsonl"));
        let mut tapped: Vec<OsString> =
            vec![BIN.into(), "attach".into(), "--trace".into(), trace.clone().into(), "--".into()];
        tapped.extend(words(command));
        let said = match tries(program, &tapped) {
            Ok(said) => said,
            // rmcp waits 10 s for the answer to its probe, goes on with initialize, and then takes the late answer to the
            // probe for that to initialize. A Python server needs so long to start where many others do the same.
            Err(why) if client == "rmcp" && why.contains("ConflictInitResponseId") => {
                eprintln!("not judged: {client} -> {server}: the server took more than 10 s to start");
                return;
            }
            Err(why) => panic!("{client} -> {server}: {why}"),
        };
        assert!(said.contains('5'), "{client} -> {server}: {said}");
        let check = Command::new(BIN).arg("check").arg(&trace).output().unwrap();
        assert!(check.status.success(), "{client} -> {server}: {}", String::from_utf8_lossy(&check.stdout));
    };
    let mut chosen = Vec::new();
    for (at, (server, command)) in servers.iter().enumerate() {
        for (index, (client, program)) in clients().into_iter().enumerate() {
            if all || (index + at) % 3 == 0 {
                chosen.push((client, program, *server, command));
            }
        }
    }
    // Most of the time is spent waiting; two at a time, because Python and Node are slow to start.
    let queue = std::sync::Mutex::new(chosen);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap().pop();
                    let Some((client, program, server, command)) = next else { break };
                    pair(client, program, server, command);
                }
            });
        }
    });
}
