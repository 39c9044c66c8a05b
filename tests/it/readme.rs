//! What the README shows is what the program prints.

use std::path::Path;
use std::process::Command;

#[test]
fn the_check_in_the_readme_prints_what_stands_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let (_, rest) = readme.split_once("$ mcpscope check ").unwrap();
    let (arguments, rest) = rest.split_once('\n').unwrap();
    let shown = rest.split("```").next().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_mcpscope"))
        .arg("check")
        .args(arguments.split(' '))
        .current_dir(root)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), shown);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn every_command_in_the_readme_exists() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let help = Command::new(env!("CARGO_BIN_EXE_mcpscope")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let known: Vec<&str> = help.lines().filter_map(|l| l.strip_prefix("  ")?.split(' ').next()).collect();
    let mut seen = 0;
    for line in readme.lines().filter_map(|l| l.strip_prefix("mcpscope ")) {
        let command = line.split(' ').next().unwrap();
        seen += 1;
        assert!(known.contains(&command), "mcpscope {command} is in the README and not in the help: {known:?}");
    }
    assert!(seen > 8, "only {seen} commands were found");
}
