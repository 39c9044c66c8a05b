//! `diff` as a program: what it finds, what it leaves out, and how it ends.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// Messages in turn from the client and from the server.
fn trace(messages: &[&str]) -> String {
    let mut out = String::from("{\"mcpscope_trace\":1,\"created\":\"2026-11-30T09:31:08Z\"}\n");
    for (i, message) in messages.iter().enumerate() {
        let dir = if message.contains("\"method\"") { "c2s" } else { "s2c" };
        out += &format!("{{\"t\":{i}.0,\"dir\":\"{dir}\",\"msg\":{message}}}\n");
    }
    out + "{\"t\":99.0,\"event\":\"end\"}\n"
}

fn call(id: &str, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},"_meta":{{"progressToken":{id}}}}}}}"#
    )
}

fn reply(id: &str, text: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":{}}}]}}}}"#, json!(text))
}

fn program(arguments: &[&str]) -> (i32, String, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_mcpscope")).args(arguments).output().unwrap();
    let text = |b: Vec<u8>| String::from_utf8(b).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn new(left: &str, right: &str) -> Files {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("left.jsonl"), left).unwrap();
        std::fs::write(folder.path().join("right.jsonl"), right).unwrap();
        Files { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn diff(&self, more: &[&str]) -> (i32, Value) {
        let (left, right) = (self.path("left.jsonl"), self.path("right.jsonl"));
        let (status, out, err) = program(&[&["diff", &left, &right, "--format", "json"], more].concat());
        (status, serde_json::from_str(&out).unwrap_or_else(|_| panic!("{status} {out} {err}")))
    }
}

fn changes(report: &Value) -> Vec<String> {
    let all = report["exchanges"].as_array().unwrap().iter().flat_map(|e| e["changes"].as_array().unwrap());
    all.map(|c| {
        let word = |k: &str| c[k].as_str().unwrap_or("").to_owned();
        format!("{} {} {} {} {}", word("pointer"), word("kind"), word("part"), word("owner"), word("grade"))
            .trim()
            .to_owned()
    })
    .collect()
}

#[test]
fn what_differs_on_every_run_is_left_out_and_listed() {
    let left = trace(&[&call("1", "echo", r#"{"n":1}"#), &reply("1", "at 2026-01-01T00:00:00Z: ok")]);
    let right = trace(&[&call(r#""a-7""#, "echo", r#"{"n":1.0}"#), &reply(r#""a-7""#, "at 2026-01-01T00:00:00Z: ok")]);
    let files = Files::new(&left, &right);
    let (status, report) = files.diff(&[]);
    assert_eq!((status, changes(&report)), (0, vec![]), "{report:#}");
    assert_eq!(report["not_compared"], json!({"/id": 2, "/params/_meta/progressToken": 1}));
    let (status, report) = files.diff(&["--strict"]);
    assert_eq!(status, 1);
    assert_eq!(changes(&report)[0], "/id changed request client");
}

#[test]
fn an_added_and_a_moved_call_do_not_spoil_the_rest() {
    let one = |id: &str, tool: &str, text: &str| [call(id, tool, r#"{"q":1}"#), reply(id, text)];
    let turn = |parts: &[[String; 2]]| trace(&parts.concat().iter().map(String::as_str).collect::<Vec<_>>());
    let left =
        turn(&[one("1", "a", "x"), one("2", "b", "x"), one("3", "c", "the quick brown fox"), one("4", "d", "x")]);
    let right = turn(&[
        one("1", "b", "x"),
        one("2", "new", "x"),
        one("3", "c", "the slow brown fox"),
        one("4", "d", "x"),
        one("5", "a", "x"),
    ]);
    let files = Files::new(&left, &right);
    let (status, report) = files.diff(&[]);
    assert_eq!(status, 1);
    let count = |k: &str| report[k].as_u64().unwrap();
    assert_eq!(
        (count("same"), count("different"), count("missing"), count("extra"), count("moved")),
        (3, 1, 0, 1, 1),
        "{report:#}"
    );
    assert_eq!(changes(&report), ["/result/content/0/text changed response server"]);
    let (_, text, _) = program(&["diff", &files.path("left.jsonl"), &files.path("right.jsonl")]);
    assert!(text.contains("~ the [-quick-]{+slow+} brown fox"), "{text}");
    assert_eq!(files.diff(&["--where", "tool = c"]).1["extra"], 0);
    assert_eq!(files.diff(&["--where", "tool = d"]).0, 0);
    assert_eq!(files.diff(&["--where", "tool = c", "--ignore", "/result/content/*/text"]).0, 0);
    assert_eq!(files.diff(&["--where", "tool = c", "--only", "/result/isError"]).0, 0);
}

#[test]
fn matchers_stand_for_what_they_say() {
    let of = |text: &str| {
        let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"structuredContent":{text}}}}}"#);
        trace(&[&call("1", "t", "{}"), &answer])
    };
    let left = of(r#"{"a":"<<any>>","b":"<<number>>","c":"<<string>>","d":["<<regex:v[0-9]+>>"],"e":"<<any>>"}"#);
    let good = Files::new(&left, &of(r#"{"a":{"x":[1]},"b":1.5,"c":"x","d":["v12"]}"#));
    assert_eq!(good.diff(&[]).0, 0, "{:#}", good.diff(&[]).1);
    let bad = Files::new(&left, &of(r#"{"a":null,"b":"1","c":2,"d":["w1"]}"#));
    let places: Vec<String> =
        changes(&bad.diff(&[]).1).iter().map(|c| c.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(places, ["/result/structuredContent/b", "/result/structuredContent/c", "/result/structuredContent/d/0"]);
}

#[test]
fn tools_are_compared_as_a_contract() {
    let list = |tools: &str| {
        let ask = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        trace(&[ask, &format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{tools}]}}}}"#)])
    };
    let left = list(concat!(
        r#"{"name":"gone","inputSchema":{"type":"object"}},"#,
        r#"{"name":"t","description":"old","inputSchema":{"type":"object","properties":{"q":{"type":"integer","maximum":9},"#,
        r#""mode":{"enum":["a","b"]}},"required":["q"]},"outputSchema":{"type":"object","properties":{"x":{}},"required":["x"]}}"#,
    ));
    let right = list(concat!(
        r#"{"name":"t","description":"new","inputSchema":{"type":"object","properties":{"q":{"type":"number","maximum":5},"#,
        r#""mode":{"enum":["b","c"]},"more":{}},"required":["more","q"]},"outputSchema":{"type":"object","properties":{"x":{}}}},"#,
        r#"{"name":"fresh","inputSchema":{"type":"object"}}"#,
    ));
    let (status, report) = Files::new(&left, &right).diff(&[]);
    assert_eq!(status, 1);
    let mut found: Vec<String> = changes(&report)
        .iter()
        .map(|c| c.trim_start_matches("/result/tools/").replace(" response server", ""))
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            "0 removed breaking",
            "1 added safe",
            "1/description changed cosmetic",
            "1/inputSchema/properties/mode/enum/0 removed breaking",
            "1/inputSchema/properties/mode/enum/1 added safe",
            "1/inputSchema/properties/more added safe",
            "1/inputSchema/properties/q/maximum changed breaking",
            "1/inputSchema/properties/q/type changed safe",
            "1/inputSchema/required/0 added breaking",
            "1/outputSchema/required removed breaking",
        ]
    );
}

#[test]
fn every_sample_is_the_same_as_itself() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-traces");
    let samples: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    for path in samples.iter().filter(|p| p.extension().is_some_and(|e| e == "jsonl")) {
        let path = path.display().to_string();
        let (status, out, err) = program(&["diff", &path, &path, "--strict"]);
        assert_eq!(status, 0, "{path}: {out} {err}");
    }
}

#[test]
fn deep_and_wide_messages_end_in_an_answer() {
    let deep = |n: usize| format!("{}1{}", "[".repeat(n), "]".repeat(n));
    let wide = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    let of = |v: &str| trace(&[&call("1", "t", "{}"), &format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"v":{v}}}}}"#)]);
    let files = Files::new(&of(&deep(50_000)), &of(&deep(50_001)));
    assert_eq!(files.diff(&[]).0, 1);
    let files = Files::new(&of(&format!("[{}]", wide(20_000))), &of(&format!("[5,{}]", wide(20_000))));
    let (status, report) = files.diff(&[]);
    assert_eq!((status, changes(&report).len()), (1, 1));
}

#[test]
fn what_cannot_be_read_ends_with_2() {
    let files = Files::new("", "");
    let (left, right) = (files.path("left.jsonl"), files.path("right.jsonl"));
    for arguments in [
        vec!["diff", &left, &right],
        vec!["diff", "/nowhere/x.jsonl", &right],
        vec!["diff", &left, &right, "--ignore", "no-pointer"],
        vec!["diff", &left, &right, "--where", "tool ="],
        vec!["sanitize", "/nowhere/x.jsonl", "-o", "-"],
        vec!["sanitize", &left],
    ] {
        let (status, _, err) = program(&arguments);
        assert_eq!(status, 2, "{arguments:?}: {err}");
        assert!(!err.is_empty());
    }
}

#[test]
fn sanitize_writes_a_private_file_and_lists_without_values() {
    use std::os::unix::fs::PermissionsExt as _;
    let left = trace(&[&call("1", "login", r#"{"password":"hunter2-x","mail":"a.b@corp.io"}"#), &reply("1", "hi")]);
    let files = Files::new(&left, "");
    let (input, output) = (files.path("left.jsonl"), files.path("out.jsonl"));
    let (status, listed, err) = program(&["sanitize", &input, "--dry-run"]);
    assert_eq!(status, 0, "{err}");
    assert!(listed.contains("line 2  password  /msg/params/arguments/password"), "{listed}");
    assert!(!listed.contains("hunter2") && !listed.contains("a.b@"), "{listed}");
    let (status, _, err) = program(&["sanitize", &input, "-o", &output]);
    assert_eq!(status, 0, "{err}");
    let clean = std::fs::read_to_string(&output).unwrap();
    assert!(
        clean.starts_with(r#"{"mcpscope_trace":1,"created":"2026-11-30T09:31:08Z","sanitized":"secrets"}"#),
        "{clean}"
    );
    assert!(clean.contains(r#""password":"<<secret:password:1>>""#) && !clean.contains("corp.io"), "{clean}");
    assert_eq!(std::fs::metadata(&output).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(program(&["sanitize", &input, "-o", &input]).0, 2);
}
