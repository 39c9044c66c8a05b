//! JUnit XML: a suite a file, a case a rule that fired, and one case for a file in which nothing was found.
//!
//! Findings at or above the level that makes the run fail are failures; the others stand in the output of a passed case.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::rules::catalogue;
use crate::trace::Severity;
use crate::wire::json::visible::visible;

use super::json::File;
use super::view::FindingView;

/// Text for XML 1.0: what it cannot hold is written out.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Lines of one finding.
fn line(file: &str, v: &FindingView<'_>) -> String {
    let f = v.finding;
    let mut text = match v.line {
        Some(line) => format!("{file}:{line}: "),
        None => format!("{file}: "),
    };
    text.push_str(&format!("{} {} ({})", v.severity.as_str(), f.message, f.owner.as_str()));
    for (name, value) in [("at", &f.pointer), ("expected", &f.expected), ("actual", &f.actual)] {
        if let Some(value) = value.as_deref().filter(|v| !v.is_empty()) {
            text.push_str(&format!("; {name} {value}"));
        }
    }
    text
}

/// Writes the report. `fails`: the lowest severity that is a failure; `None` = nothing is.
///
/// # Errors
/// What the writer says.
pub fn write(out: &mut dyn Write, files: &[File<'_>], fails: Option<Severity>) -> io::Result<()> {
    let is_failure = |v: &FindingView<'_>| fails.is_some_and(|least| v.severity >= least);
    let mut suites = Vec::new();
    for file in files {
        let mut by_rule: BTreeMap<&str, Vec<&FindingView<'_>>> = BTreeMap::new();
        for v in file.findings {
            by_rule.entry(v.finding.rule).or_default().push(v);
        }
        let failed = by_rule.values().filter(|list| list.iter().any(|v| is_failure(v))).count();
        suites.push((file, failed, by_rule));
    }
    let tests: usize = suites.iter().map(|(_, _, rules)| rules.len().max(1)).sum();
    let failures: usize = suites.iter().map(|(_, failed, _)| failed).sum();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"mcpscope check\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">")?;
    for (file, failed, by_rule) in suites {
        let name = xml(file.file);
        let tests = by_rule.len().max(1);
        writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failed}\" errors=\"0\" skipped=\"0\">"
        )?;
        if by_rule.is_empty() {
            writeln!(out, "    <testcase classname=\"{name}\" name=\"no findings\"/>")?;
        }
        for (rule, findings) in by_rule {
            let title = catalogue::entry(rule).map_or("", |e| e.title.as_str());
            writeln!(out, "    <testcase classname=\"{name}\" name=\"{rule}\">")?;
            let text: Vec<String> = findings.iter().map(|v| xml(&line(file.file, v))).collect();
            if findings.iter().any(|v| is_failure(v)) {
                writeln!(
                    out,
                    "      <failure type=\"{rule}\" message=\"{} ({})\">{}</failure>",
                    xml(title),
                    findings.len(),
                    text.join("\n")
                )?;
            } else {
                writeln!(out, "      <system-out>{}</system-out>", text.join("\n"))?;
            }
            writeln!(out, "    </testcase>")?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}
