//! `mcpscope demo --headless`: the script through the tap, and what is found in it.

use std::process::{Command, Stdio};

#[test]
fn the_demo_shows_every_outcome_that_stdio_knows_and_names_the_faults() {
    let state = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_mcpscope"))
        .args(["demo", "--headless", "--fast", "--dir"])
        .arg(state.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    for outcome in [
        " ok ",
        " tool error ",
        " error -32602 ",
        " input required ",
        " cancelled ",
        " unanswered ",
        " open ",
        " – ",
        " orphan ",
        " not a message ",
    ] {
        assert!(text.contains(outcome), "no{outcome}in\n{text}");
    }
    // Both eras, each with its first exchange.
    assert!(text.contains("server/discover") && text.contains("initialize"));
    // Nothing of the hostile text gets through.
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
    assert_eq!(output.stderr, b"");
}
