//! `mcpscope rules` as a program: what it prints where, and how it ends.

#![allow(clippy::unwrap_used)]

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_mcpscope")).arg("rules").args(arguments).output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn a_rule_is_explained() {
    let (code, out, err) = run(&["meta-missing-client-capabilities"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("meta-missing-client-capabilities: "), "{out}");
    assert!(
        out.contains("\nGood (2026-07-28):\n") && out.contains("\nBad (2026-07-28), reported at line 1:\n>"),
        "{out}"
    );
}

#[test]
fn an_unknown_rule_is_a_failure_that_helps() {
    let (code, out, err) = run(&["id-nul"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(err, "mcpscope: there is no rule \"id-nul\"; did you mean id-null? `mcpscope rules` lists all\n");
}

#[test]
fn the_list_in_each_format_holds_the_same_rules() {
    let (code, json, _) = run(&["--format", "json"]);
    assert_eq!(code, 0);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let ids: Vec<&str> = json["rules"].as_array().unwrap().iter().map(|r| r["id"].as_str().unwrap()).collect();
    let (_, text, _) = run(&[]);
    let (_, markdown, _) = run(&["--format", "markdown"]);
    assert_eq!(mcpscope::rules::all().count(), ids.len());
    for id in &ids {
        assert!(text.contains(&format!("  {id} ")), "{id} is not in the list");
        assert!(markdown.contains(&format!("\n### {id}\n")), "{id} is not in the document");
    }
    assert!(text.ends_with("explains one.\n"), "{text}");
}
