//! Holds the direction of imports: reads the `use` lines and paths of every source file and refuses what goes against it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Folder → what it may import of the crate. `ARCHITECTURE.md` says why.
const ALLOWED: &[(&str, &[&str])] = &[
    ("wire", &[]),
    ("error", &[]),
    ("mcp", &["wire"]),
    ("trace", &["wire", "mcp"]),
    ("rules", &["wire", "mcp", "trace"]),
    ("analysis", &["wire", "mcp", "trace", "rules"]),
    ("format", &["wire", "mcp", "trace", "error"]),
    ("query", &["wire", "mcp", "trace", "rules", "error"]),
    ("report", &["wire", "mcp", "trace", "rules", "analysis", "query", "error"]),
    ("sanitize", &["wire", "mcp", "trace", "rules", "analysis", "format", "error"]),
    ("diff", &["wire", "mcp", "trace", "rules", "analysis", "format", "query", "report", "error"]),
    ("paths", &["error"]),
    ("config", &["wire", "mcp", "trace", "rules", "query", "error"]),
    ("tap", &["wire", "format", "sanitize", "paths", "error"]),
    ("peer", &["wire", "mcp", "trace", "rules", "analysis", "format", "diff", "query", "error"]),
    ("hosts", &["wire", "error", "paths"]),
    ("feed", &["wire", "mcp", "trace", "rules", "analysis", "format", "query", "diff", "paths", "error"]),
    (
        "tui",
        &[
            "wire", "mcp", "trace", "rules", "analysis", "format", "query", "report", "sanitize", "diff", "paths",
            "config", "feed", "peer", "hosts", "error",
        ],
    ),
];

/// Words that the core may not hold: no terminal, runtime, process, socket, thread or clock.
const CORE: &[&str] = &["wire", "mcp", "trace", "rules", "analysis", "query", "format", "report", "sanitize", "diff"];
const OUTSIDE: &[&str] = &[
    "ratatui",
    "crossterm",
    "tokio",
    "hyper",
    "std::process",
    "std::net",
    "std::thread",
    "SystemTime",
    "jiff::Timestamp::now",
    "std::env",
];

fn sources() -> BTreeMap<String, Vec<(PathBuf, String)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found: BTreeMap<String, Vec<(PathBuf, String)>> = BTreeMap::new();
    let mut todo = vec![root.clone()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let inside = path.strip_prefix(&root).unwrap();
                let first = inside.iter().next().unwrap().to_string_lossy();
                let module = first.trim_end_matches(".rs").to_owned();
                let text = fs::read_to_string(&path).unwrap();
                found.entry(module).or_default().push((inside.to_path_buf(), text));
            }
        }
    }
    found
}

/// The text of a file without comments and without its test module: tests may look at everything.
fn code(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    for (n, line) in text.lines().enumerate() {
        if line.trim() == "#[cfg(test)]" {
            // A test module stands last in a file; `#[cfg(test)] mod tests;` is one line more.
            if text
                .lines()
                .nth(n + 1)
                .is_some_and(|next| next.trim_start().starts_with("mod") && next.trim_end().ends_with('{'))
            {
                break;
            }
        }
        let line = line.split("//").next().unwrap_or(line);
        lines.push((n + 1, line));
    }
    lines
}

/// The modules of the crate that a line names: `crate::wire::…`, `use crate::{wire, mcp}`.
fn named(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find("crate::") {
        rest = &rest[at + 7..];
        if let Some(group) = rest.strip_prefix('{') {
            for part in group.split(['{', '}', ',']) {
                let word: String = part.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                found.push(word);
            }
        } else {
            found.push(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    found
}

fn is_test_file(path: &Path) -> bool {
    path.components().any(|c| c.as_os_str().to_string_lossy().trim_end_matches(".rs").ends_with("tests"))
}

#[test]
fn imports_go_one_way() {
    let sources = sources();
    let mut wrong = Vec::new();
    for (module, allowed) in ALLOWED {
        for (path, text) in sources.get(*module).into_iter().flatten().filter(|(p, _)| !is_test_file(p)) {
            for (n, line) in code(text) {
                for name in named(line) {
                    let known = sources.contains_key(&name);
                    if known && name != *module && !allowed.contains(&name.as_str()) {
                        wrong.push(format!("src/{}:{n}: {module} may not import {name}", path.display()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_core_knows_no_terminal_runtime_process_or_clock() {
    let sources = sources();
    let mut wrong = Vec::new();
    for module in CORE {
        for (path, text) in sources.get(*module).into_iter().flatten().filter(|(p, _)| !is_test_file(p)) {
            for (n, line) in code(text) {
                for word in OUTSIDE {
                    if line.contains(word) {
                        wrong.push(format!("src/{}:{n}: {word}", path.display()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_folder_has_a_direction() {
    let free = ["main", "lib", "cli"];
    for module in sources().keys() {
        assert!(
            free.contains(&module.as_str()) || ALLOWED.iter().any(|(m, _)| m == module),
            "src/{module} is not in the table of directions"
        );
    }
}

/// A file is one thing. What grows beyond this has become two.
#[test]
fn files_stay_small_enough_to_hold_in_mind() {
    let mut long = Vec::new();
    for (path, text) in sources().into_values().flatten() {
        let lines = text.lines().count();
        if lines > 900 {
            long.push(format!("src/{}: {lines} lines", path.display()));
        }
    }
    assert!(long.is_empty(), "split these: {}", long.join(", "));
}
