//! Files in other people's formats, from the command line: what they are read as, what is not judged, what `convert` makes
//! of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

const INIT: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
const INIT_ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#;
const CALL: &str =
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find","arguments":{"q":"x","q":"y"}}}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"none"}],"isError":true}}"#;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        let log: String = [(INIT, "client"), (INIT_ANSWER, "server"), (CALL, "client"), (ANSWER, "server")]
            .iter()
            .zip(1..)
            .map(|((message, side), n)| {
                format!(
                    "2026-01-02T10:00:0{n}.000Z [git] [info] Message from {side}: {message} {{ metadata: undefined }}\n"
                )
            })
            .collect();
        place.write("desktop.txt", log.as_bytes());
        place.write("raw.jsonl", format!("{INIT}\n{INIT_ANSWER}\n{CALL}\n{ANSWER}\n").as_bytes());
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_mcpscope"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env("XDG_STATE_HOME", self.folder.path().join("state"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn check(&self, name: &str) -> Value {
        let (_, out, err) = self.run(&["check", "--no-config", "--format", "json", "--exchanges", name]);
        serde_json::from_str::<Value>(&out).unwrap_or_else(|e| panic!("{name}: {e}: {err}"))["files"][0].clone()
    }
}

fn rules(report: &Value, key: &str) -> Vec<String> {
    let list = report[key].as_array().unwrap();
    list.iter().map(|f| f["rule"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn bytes_are_judged_where_they_are_and_not_judged_where_they_are_not() {
    let place = Place::new();
    let (log, raw) = (place.check("desktop.txt"), place.check("raw.jsonl"));
    assert_eq!(log["format"], "claude-desktop");
    assert_eq!(raw["format"], "raw");
    for report in [&log, &raw] {
        assert_eq!(report["exchange_list"].as_array().unwrap().len(), 2, "{report}");
        assert!(rules(report, "findings").contains(&"tool-is-error".to_owned()));
    }
    let duplicate = "json-duplicate-key".to_owned();
    assert!(rules(&raw, "findings").contains(&duplicate) && !rules(&raw, "not_judged").contains(&duplicate));
    assert!(rules(&log, "not_judged").contains(&duplicate) && !rules(&log, "findings").contains(&duplicate));
    assert_eq!(log["exchange_list"][1]["latency_ms"], 1000.0);
    assert_eq!(raw["exchange_list"][1]["latency_ms"], Value::Null, "there are no times");
}

#[test]
fn a_format_can_be_named_and_an_unknown_file_is_told_what_is_known() {
    let place = Place::new();
    let (status, out, _) = place.run(&["list", "raw.jsonl", "--from", "tee"]);
    assert_eq!(status, 0);
    assert!(out.contains("tools/call"), "{out}");
    let (status, _, err) = place.run(&["check", "raw.jsonl", "--from", "vscod"]);
    assert_eq!(status, 2);
    assert!(err.contains("did you mean vscode?"), "{err}");
    place.write("note.txt", b"hello\nworld\n");
    let (status, _, err) = place.run(&["check", "note.txt"]);
    assert!(status == 2 && err.contains("claude-desktop") && err.contains("--from"), "{err}");
    place.write("empty", b"");
    assert!(place.run(&["check", "empty"]).2.contains("is empty"));
    place.write("wire.pcap", b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00");
    let (status, _, err) = place.run(&["check", "wire.pcap"]);
    assert!(status == 2 && err.contains("tshark") && err.contains("mitmdump"), "{err}");
    place.write("quiet.log", b"2026-01-02 10:00:00.000 [info] Connection state: Running\n");
    let (status, out, _) = place.run(&["check", "--no-config", "quiet.log"]);
    assert!(status == 0 && out.contains("Trace"), "{out}");
}

#[test]
fn a_converted_log_is_judged_as_the_log() {
    let place = Place::new();
    let (status, _, err) = place.run(&["convert", "desktop.txt", "-o", "out.jsonl"]);
    assert_eq!(status, 0, "{err}");
    assert!(err.contains("not in it: the bytes of the wire"), "{err}");
    let text = place.read("out.jsonl");
    assert!(
        text.lines().next().unwrap().contains(r#""imported":{"from":"claude-desktop","lacks":["bytes"]}"#),
        "{text}"
    );
    assert!(text.contains(CALL), "the payload is written as it was");
    assert!(text.lines().last().unwrap().contains(r#""event":"end""#));
    let (before, mut after) = (place.check("desktop.txt"), place.check("out.jsonl"));
    assert_eq!(rules(&before, "findings"), rules(&after, "findings"));
    assert_eq!(before["not_judged"], after["not_judged"]);
    for (a, b) in before["exchange_list"].as_array().unwrap().iter().zip(after["exchange_list"].as_array_mut().unwrap())
    {
        for key in ["method", "outcome", "latency_ms", "dir"] {
            assert_eq!(a[key], b[key], "{key}");
        }
    }
    // Again: nothing more is lost.
    assert_eq!(place.run(&["convert", "out.jsonl", "-o", "again.jsonl"]).0, 0);
    assert_eq!(place.read("out.jsonl"), place.read("again.jsonl"));
}

#[test]
fn raw_messages_markdown_and_csv() {
    let place = Place::new();
    let (status, out, _) = place.run(&["convert", "desktop.txt", "-o", "-", "--to", "raw"]);
    assert_eq!(status, 0);
    assert_eq!(out, place.read("raw.jsonl"));
    let (_, out, _) = place.run(&["convert", "desktop.txt", "-o", "-", "--to", "raw", "--where", "tool:find"]);
    assert_eq!(out, format!("{CALL}\n{ANSWER}\n"));
    assert_eq!(place.run(&["convert", "desktop.txt", "-o", "x.csv"]).0, 0);
    let csv = place.read("x.csv");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 3, "{csv}");
    assert!(lines[2].starts_with("2,3,2.000000,client,tools/call,find,tool_error,,1000.000,"), "{csv}");
    assert_eq!(place.run(&["convert", "desktop.txt", "-o", "x.md", "--where", "tool:find"]).0, 0);
    let text = place.read("x.md");
    assert!(
        text.starts_with("# desktop.txt\n") && text.contains("tools/call find") && !text.contains("#1 initialize"),
        "{text}"
    );
    assert_eq!(place.run(&["convert", "desktop.txt", "-o", "y.md", "--where", "tool:nobody"]).0, 1);
}

#[test]
fn nothing_is_written_over() {
    let place = Place::new();
    let (status, _, err) = place.run(&["convert", "raw.jsonl", "-o", "raw.jsonl", "--force"]);
    assert!(status == 2 && err.contains("is the file that is read"), "{err}");
    place.write("there.jsonl", b"mine");
    let (status, _, err) = place.run(&["convert", "raw.jsonl", "-o", "there.jsonl"]);
    assert!(status == 2 && err.contains("--force"), "{err}");
    assert_eq!(place.read("there.jsonl"), "mine");
    place.write("note.txt", b"hello");
    assert_eq!(place.run(&["convert", "note.txt", "-o", "there.jsonl", "--force"]).0, 2);
    assert_eq!(place.read("there.jsonl"), "mine");
    assert_eq!(place.run(&["convert", "raw.jsonl", "-o", "there.jsonl", "--force"]).0, 0);
    let left: Vec<_> = fs::read_dir(place.folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!left.iter().any(|n| n.to_string_lossy().ends_with(".part")), "{left:?}");
}

#[test]
fn packed_and_sixteen_bit_files_and_standard_input() {
    let place = Place::new();
    let text = place.read("raw.jsonl");
    let wide: Vec<u8> = [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    place.write("wide.jsonl", &wide);
    assert_eq!(place.check("wide.jsonl")["exchange_list"].as_array().unwrap().len(), 2);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
    place.write("raw.gz", &packed.finish().unwrap());
    assert_eq!(place.check("raw.gz")["format"], "raw");
    let output = Command::new(env!("CARGO_BIN_EXE_mcpscope"))
        .args(["list", "-"])
        .stdin(fs::File::open(place.path("desktop.txt")).unwrap())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("tools/call"));
}

#[test]
fn every_sample_is_converted_and_opens_with_the_same_exchanges() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/formats/samples"));
    if !folder.is_dir() {
        eprintln!("skipped: {} is not there", folder.display());
        return;
    }
    let place = Place::new();
    let mut samples = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("out.") {
            continue;
        }
        let (status, _, err) = place.run(&["convert", path.to_str().unwrap(), "-o", "x.jsonl", "--force"]);
        assert_eq!(status, 0, "{name}: {err}");
        let words = |report: &Value| -> Vec<String> {
            let list = report["exchange_list"].as_array().unwrap();
            list.iter().map(|e| format!("{} {} {}", e["method"], e["outcome"], e["latency_ms"])).collect()
        };
        let (before, after) = (place.check(path.to_str().unwrap()), place.check("x.jsonl"));
        assert_eq!(words(&before), words(&after), "{name}");
        assert_eq!(rules(&before, "findings"), rules(&after, "findings"), "{name}");
        samples += 1;
    }
    assert!(samples >= 25, "{samples}");
}
