//! `mcpscope check`, `list` and `show` as programs: formats, exit statuses, project file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

const TRACE: &str = r#"{"t":0.1,"dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}}
{"t":0.2,"dir":"s2c","msg":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}}
{"t":0.3,"dir":"c2s","msg":{"jsonrpc":"2.0","method":"notifications/initialized"}}
{"t":0.4,"dir":"s2c","text":"ready <now> & \u001b[31m::error::red"}
{"t":0.5,"dir":"c2s","msg":{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find","arguments":{"q":"x"}}}}
{"t":0.9,"dir":"s2c","msg":{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"nothing"}],"isError":true}}}
"#;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        place.write("a.jsonl", TRACE);
        place
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_mcpscope"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env("XDG_STATE_HOME", self.folder.path().join("state"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let (_, out, err) = self.run(arguments);
        serde_json::from_str(&out).unwrap_or_else(|e| panic!("{arguments:?}: {e}: {err}"))
    }
}

fn shared(path: &str) -> Option<PathBuf> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")).join(path);
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

#[test]
fn json_is_as_its_schema_says_for_every_trace() {
    let (Some(schema), Some(traces), Some(cases)) =
        (shared("design/check.schema.json"), shared("traces/raw"), shared("cases"))
    else {
        return;
    };
    let schema: Value = serde_json::from_slice(&fs::read(schema).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let place = Place::new();
    let folders = [traces.to_str().unwrap(), cases.to_str().unwrap()];
    let report = place.json(&["check", "--format", "json", "--exchanges", folders[0], folders[1]]);
    let errors: Vec<String> = validator.iter_errors(&report).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{}", errors[..errors.len().min(10)].join("\n"));
    let files = report["files"].as_array().unwrap();
    assert!(files.len() >= 80, "{} files", files.len());
    for file in files {
        let findings = file["findings"].as_array().unwrap().len() as u64;
        for incident in file["incidents"].as_array().unwrap() {
            let members: Vec<u64> =
                incident["findings"].as_array().unwrap().iter().map(|i| i.as_u64().unwrap()).collect();
            assert!(members.len() > 1 && members.iter().all(|i| *i < findings), "{}: {incident}", file["file"]);
            assert_eq!(Some(members[0]), incident["cause"].as_u64(), "{}", file["file"]);
        }
        let n = file["exchange_list"].as_array().unwrap().len() as u64;
        assert_eq!(Some(n), file["exchanges"].as_u64(), "{}", file["file"]);
    }
}

#[test]
fn sarif_names_rules_and_places() {
    let place = Place::new();
    let report = place.json(&["check", "--format", "sarif", "a.jsonl"]);
    assert_eq!(report["version"], "2.1.0");
    let run = &report["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(results.iter().any(|r| r["ruleId"] == "stdio-noise" && r["level"] == "error"), "{results:?}");
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        for text in ["shortDescription", "fullDescription", "help"] {
            assert!(rule[text]["text"].as_str().is_some_and(|t| !t.is_empty()), "{rule}");
        }
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(result["message"]["text"].is_string());
        let location = &result["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"]["uri"], "a.jsonl");
        assert!(location["region"]["startLine"].as_u64().is_none_or(|l| l >= 1));
        assert!(["client", "server"].contains(&result["properties"]["owner"].as_str().unwrap()));
    }
}

#[test]
fn junit_is_well_formed_and_counts() {
    let place = Place::new();
    let (code, out, _) = place.run(&["check", "--format", "junit", "a.jsonl"]);
    assert_eq!(code, 1);
    assert!(!out.contains('\u{1b}'), "{out}");
    // Every tag is closed in order, and text holds no markup of its own.
    let mut open = Vec::new();
    for piece in out.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap();
        assert!(!text.contains('>') && !text.replace("&amp;", "").replace("&lt;", "").contains("& "), "{piece}");
        if tag.starts_with('?') || tag.ends_with('/') {
            continue;
        }
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop().as_deref(), Some(name)),
            None => open.push(tag.split(' ').next().unwrap().to_owned()),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert_eq!(out.matches("<failure ").count(), 1, "{out}");
    assert!(out.contains("failures=\"1\"") && out.contains("name=\"stdio-noise\""), "{out}");
    let (code, out, _) = place.run(&["check", "--format", "junit", "--fail-on", "never", "a.jsonl"]);
    assert_eq!((code, out.matches("<failure ").count()), (0, 0));
}

#[test]
fn github_commands_are_one_line_each() {
    let place = Place::new();
    let (_, out, _) = place.run(&["check", "--format", "github", "a.jsonl"]);
    let commands: Vec<&str> = out.lines().filter(|l| l.starts_with("::")).collect();
    assert!(commands.iter().any(|c| c.starts_with("::error file=a.jsonl,line=4,title=stdio-noise")), "{out}");
    assert!(!out.contains('\u{1b}') && commands.iter().all(|c| c.matches("file=").count() == 1), "{out}");
}

#[test]
fn exit_statuses() {
    let place = Place::new();
    let code = |arguments: &[&str]| place.run(arguments).0;
    assert_eq!(code(&["check", "a.jsonl"]), 1);
    assert_eq!(code(&["check", "a.jsonl", "--ignore", "stdio-noise"]), 0);
    assert_eq!(code(&["check", "a.jsonl", "--rule", "tool-is-error"]), 0);
    assert_eq!(code(&["check", "a.jsonl", "--rule", "tool-is-error", "--fail-on", "info"]), 1);
    assert_eq!(code(&["check", "a.jsonl", "--where", "tool = find"]), 0);
    assert_eq!(code(&["check", "a.jsonl", "--where", "tool = lost"]), 1);
    let (code, out, err) = place.run(&["check", "a.jsonl", "--where", "tol = find"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(err, "mcpscope: --where, column 1: there is no field tol; did you mean tool?\n");
    let (code, _, err) = place.run(&["check", "b.jsonl"]);
    assert_eq!(code, 2);
    assert!(err.starts_with("mcpscope: b.jsonl: no such file") && err.lines().count() == 1, "{err}");
}

#[test]
fn folders_and_totals() {
    let place = Place::new();
    place.write("d/b.jsonl", TRACE);
    place.write("d/e/c.jsonl", TRACE);
    place.write("d/notes.json", "{\"no\":\"trace\"}");
    place.write("d/readme.md", "# no trace");
    let (code, out, err) = place.run(&["check", "d", "a.jsonl"]);
    assert_eq!(code, 1);
    let ends: Vec<&str> = out.lines().filter(|l| l.contains(" exchanges in ")).collect();
    assert_eq!(ends.len(), 4, "{out}");
    assert!(ends[0].starts_with("d/b.jsonl: ") && ends[1].starts_with("d/e/c.jsonl: "), "{out}");
    assert!(ends[3].starts_with("3 files: ") && ends[3].contains("3 errors"), "{out}");
    assert!(err.contains("skipped: d/notes.json") && !err.contains("readme"), "{err}");
}

#[test]
fn the_project_file_sets_severities_and_exceptions() {
    let place = Place::new();
    place.write("mcpscope.toml", "[severity]\nstdio-noise = \"warning\"\ntool-is-error = \"off\"\n");
    let (code, out, _) = place.run(&["check", "a.jsonl"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("warning") && out.contains("[stdio-noise") && !out.contains("[tool-is-error"), "{out}");
    assert_eq!(place.run(&["check", "--no-config", "a.jsonl"]).0, 1);
    place.write(
        "mcpscope.toml",
        "[[exception]]\nrule = \"stdio-noise\"\nreason = \"banner\"\nfile = \"*.jsonl\"\nwhere = \"is:unreadable\"\n",
    );
    let (code, out, _) = place.run(&["check", "a.jsonl"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("1 accepted: stdio-noise: banner"), "{out}");
    place.write("mcpscope.toml", "[severty]\n");
    let (code, _, err) = place.run(&["check", "a.jsonl"]);
    assert_eq!(code, 2);
    assert!(err.contains("mcpscope.toml: there is no key severty; did you mean severity?"), "{err}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let place = Place::new();
    place.write("a.jsonl", &TRACE.repeat(500));
    for arguments in [&["check", "a.jsonl"][..], &["list", "a.jsonl"], &["check", "--format", "sarif", "a.jsonl"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mcpscope"))
            .args(arguments)
            .current_dir(place.folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.code().is_some_and(|c| c < 2), "{arguments:?}: {:?}", output.status);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

#[test]
fn list_and_show() {
    let place = Place::new();
    let (code, out, _) = place.run(&["list", "a.jsonl"]);
    assert_eq!((code, out.lines().count()), (0, 5), "{out}");
    assert!(out.contains("tool error") && !out.contains('\u{1b}'), "{out}");
    let (code, out, _) = place.run(&["list", "a.jsonl", "--where", "is:failed", "--format", "jsonl"]);
    assert_eq!((code, out.lines().count()), (0, 1));
    let row: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((row["outcome"].as_str(), row["target"].as_str()), (Some("tool_error"), Some("find")));
    let n = row["n"].to_string();
    let (code, out, _) = place.run(&["show", "a.jsonl", &n]);
    assert_eq!(code, 0);
    assert!(out.contains("tools/call find") && out.contains("\"q\": \"x\"") && out.contains("nothing"), "{out}");
    let shown = place.json(&["show", "a.jsonl", &n, "--format", "json"]);
    assert_eq!(shown["messages"][0]["message"]["params"]["arguments"]["q"], "x");
    let (_, out, _) = place.run(&["show", "a.jsonl", &n, "--format", "markdown"]);
    assert!(out.starts_with(&format!("### \\#{n} tools/call find: tool error")) && out.contains("```json"), "{out}");
    let (code, out, _) = place.run(&["list", "a.jsonl", "--where", "tool = lost"]);
    assert_eq!((code, out.as_str()), (1, ""));
    let (code, _, err) = place.run(&["show", "a.jsonl", "99"]);
    assert_eq!((code, err.as_str()), (2, "mcpscope: there is no exchange #99; they go from 1 to 4\n"));
    assert_eq!(place.run(&["list"]).0, 0);
}

#[test]
fn stats_count_by_method_and_tool() {
    let place = Place::new();
    let stats = place.json(&["stats", "a.jsonl", "--format", "json"]);
    let call = stats["methods"].as_array().unwrap().iter().find(|m| m["name"] == "tools/call").unwrap();
    assert_eq!((call["count"].as_u64(), call["tool_errors"].as_u64()), (Some(1), Some(1)));
    assert_eq!(call["latency_ms"]["p50"], 400.0);
    assert_eq!(stats["tools"][0]["name"], "find");
    let (code, out, _) = place.run(&["stats", "a.jsonl", "--where", "method = initialize"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("1 exchanges in 0.100 s") && !out.contains("TOOL  "), "{out}");
    assert_eq!(place.run(&["stats", "a.jsonl", "--where", "tool = lost"]).0, 1);
}

#[test]
fn a_list_from_outside_judges_calls_as_info_at_most() {
    let place = Place::new();
    let meta = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
                \"io.modelcontextprotocol/clientInfo\":{\"name\":\"c\",\"version\":\"1\"},\
                \"io.modelcontextprotocol/clientCapabilities\":{}}";
    let call = format!(
        "{{\"t\":0.1,\"dir\":\"c2s\",\"msg\":{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\
         \"params\":{{\"name\":\"add\",\"arguments\":{{\"a\":\"two\"}},{meta}}}}}}}\n"
    );
    place.write("call.jsonl", &call);
    place.write(
        "tools.json",
        r#"{"tools":[{"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":"number"}}}}]}"#,
    );
    let found = |arguments: &[&str]| {
        let report = place.json(arguments);
        let all = report["files"][0]["findings"].as_array().unwrap().clone();
        all.into_iter().filter(|f| f["rule"] == "tool-arguments-schema").collect::<Vec<_>>()
    };
    assert!(found(&["check", "--format", "json", "call.jsonl"]).is_empty());
    let with = found(&["check", "--format", "json", "--tools", "tools.json", "call.jsonl"]);
    assert_eq!(with.len(), 1, "{with:?}");
    assert_eq!(with[0]["severity"], "info");
    assert!(with[0]["message"].as_str().unwrap().contains("tools.json"), "{with:?}");
    // A file without tools is no list.
    place.write("empty.json", "{}");
    let (status, _, err) = place.run(&["check", "--tools", "empty.json", "call.jsonl"]);
    assert_eq!(status, 2);
    assert!(err.contains("lists no tools"), "{err}");
}
