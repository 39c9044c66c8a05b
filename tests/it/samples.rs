//! The sample traces: each has a line in their README, and shows what that line says and no other fault.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mcpscope::feed;
use mcpscope::rules::Options;
use mcpscope::trace::Severity;

/// File → rules that it fires at warning or error.
const SHOWS: &[(&str, &[&str])] = &[
    ("bad-arguments", &["tool-arguments-not-object", "tool-arguments-schema", "tool-unknown"]),
    ("batch", &[]),
    ("crash", &["request-unanswered", "stdio-server-exited"]),
    ("fallback", &[]),
    ("hostile-text", &[]),
    ("id-type-changed", &["id-type-changed"]),
    ("legacy-not-found", &["resource-not-found-code"]),
    ("missing-client-capabilities", &["meta-missing-client-capabilities"]),
    ("pretty-printed", &["json-embedded-newline"]),
    ("stdout-noise", &["stdio-noise"]),
    ("typescript", &[]),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-traces")
}

#[test]
fn each_sample_shows_its_fault_and_no_other() {
    for (name, rules) in SHOWS {
        let loaded = feed::load(&folder().join(format!("{name}.jsonl")), Options::default()).unwrap();
        assert_eq!(loaded.fault_count, 0, "{name}");
        let found: BTreeSet<&str> =
            loaded.store.findings().filter(|(_, f)| f.severity >= Severity::Warning).map(|(_, f)| f.rule).collect();
        assert_eq!(found, rules.iter().copied().collect(), "{name}");
    }
}

#[test]
fn the_demo_shows_every_outcome_of_stdio() {
    let loaded = feed::load(&folder().join("every-outcome.jsonl"), Options::default()).unwrap();
    let outcomes: BTreeSet<&str> = loaded.store.exchanges.iter().map(|e| e.outcome.as_str()).collect();
    // `refused` needs HTTP, `pending` a live wire; a subscription ends as `open`.
    for outcome in [
        "ok",
        "tool_error",
        "protocol_error",
        "input_required",
        "cancelled",
        "unanswered",
        "open",
        "notification",
        "orphan",
        "unreadable",
    ] {
        assert!(outcomes.contains(outcome), "{outcome} is missing: {outcomes:?}");
    }
}

#[test]
fn every_sample_has_a_line_in_the_readme() {
    let readme = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let mut files: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|n| n.ends_with(".jsonl"))
        .collect();
    files.sort();
    let lines: Vec<&str> = readme.lines().filter_map(|l| l.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(lines, files);
}
