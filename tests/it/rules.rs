//! The catalogue's own examples: each rule fires on its bad one, on the line that the catalogue names, with nothing
//! beside it that the catalogue does not name; and is silent on its good one.

use std::collections::BTreeSet;

use mcpscope::analysis::{Analyzer, Origin};
use mcpscope::rules::catalogue::{self, Entry};
use mcpscope::rules::examples::Example;
use mcpscope::rules::{self, Options, Owner, Report, Wire};
use mcpscope::trace::Store;

/// Feeds an example and gives what was found on its own lines: (rule, line).
fn judge(entry: &Entry, bad: bool) -> Vec<(String, u32)> {
    let example = Example::of(entry, bad).unwrap_or_else(|e| panic!("{}: {e}", entry.id));
    let mut store = Store::new();
    // Some messages of 2026-07-28 are wrong just because they show no sign of it: only told can they be judged.
    let told = entry.example_revision.is_modern() && !shows_revision(if bad { &entry.bad } else { &entry.good });
    let options = Options { revision: told.then_some(entry.example_revision), ..Options::default() };
    let mut analyzer = Analyzer::new(options, Origin::Native);
    for item in example.items() {
        analyzer.push(&mut store, item);
    }
    if example.ends {
        analyzer.finish(&mut store);
    } else {
        analyzer.settle(&mut store);
    }
    let mut found: Vec<(String, u32)> =
        store.findings().map(|(_, f)| (f.rule.to_owned(), store.records[f.record as usize].line)).collect();
    found.sort();
    found
}

/// Whether anything in an example tells by which revision it is to be judged.
fn shows_revision(text: &str) -> bool {
    ["io.modelcontextprotocol/", "initialize", "mcp-protocol-version", "mcp-method", "resultType"]
        .iter()
        .any(|sign| text.contains(sign))
}

/// What is wrong with an example, in words.
fn faults_of(entry: &Entry) -> Vec<String> {
    let mut faults = Vec::new();
    let names = |found: &[(String, u32)]| found.iter().map(|(r, _)| r.clone()).collect::<BTreeSet<_>>();
    let bad = judge(entry, true);
    let want: BTreeSet<String> = entry.also.iter().cloned().chain([entry.id.clone()]).collect();
    if names(&bad) != want {
        faults.push(format!("{} bad: found {bad:?}, want {want:?}", entry.id));
    }
    if !bad.iter().any(|(rule, line)| *rule == entry.id && *line == entry.bad_line) {
        faults.push(format!("{} bad: not on line {}: {bad:?}", entry.id, entry.bad_line));
    }
    let good = judge(entry, false);
    let want: BTreeSet<String> = entry.good_also.iter().cloned().collect();
    if names(&good) != want {
        faults.push(format!("{} good: found {good:?}, want {want:?}", entry.id));
    }
    faults
}

/// Rules that are in the catalogue and not in the code: none, once all are built.
fn missing() -> Vec<String> {
    catalogue::ids().filter(|id| rules::find(id).is_none()).map(str::to_owned).collect()
}

/// `MCPSCOPE_RULES=mcp` (a layer, or a part of an id) narrows the run while one works on some rules.
#[test]
fn every_rule_fires_on_its_bad_example_and_is_silent_on_its_good_one() {
    let only = std::env::var("MCPSCOPE_RULES").unwrap_or_default();
    let missing: BTreeSet<String> = missing().into_iter().collect();
    let mut faults = Vec::new();
    let mut run = 0;
    for entry in catalogue::entries() {
        if missing.contains(&entry.id) || !(entry.layer == only || entry.id.contains(&only)) {
            continue;
        }
        run += 1;
        // A rule that is not built yet cannot be asked for beside another one.
        let mut entry = entry.clone();
        entry.also.retain(|id| !missing.contains(id));
        entry.good_also.retain(|id| !missing.contains(id));
        faults.extend(faults_of(&entry));
    }
    assert!(run > 0, "no rule matches {only:?}");
    assert!(faults.is_empty(), "{} of {run} rules:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn code_and_catalogue_say_the_same() {
    for rule in rules::all() {
        let entry = catalogue::entry(rule.id).unwrap_or_else(|| panic!("{} is not in the catalogue", rule.id));
        assert_eq!(rule.layer.as_str(), entry.layer, "{}", rule.id);
        assert_eq!(rule.severity.as_str(), entry.severity, "{}", rule.id);
        let by: Vec<_> = rule.severity_by_revision.iter().map(|(r, s)| (*r, s.as_str().to_owned())).collect();
        assert_eq!(by, entry.severity_by_revision, "{}", rule.id);
        let owner = match rule.owner {
            Owner::Client => "client",
            Owner::Server => "server",
            Owner::Sender => "sender",
            Owner::Responder => "responder",
        };
        assert_eq!(owner, entry.owner, "{}", rule.id);
        assert_eq!(rule.revisions, entry.revisions, "{}", rule.id);
        let wire = match rule.wire {
            Wire::Any => "any",
            Wire::Stdio => "stdio",
            Wire::Http => "http",
        };
        assert_eq!(wire, entry.wire, "{}", rule.id);
        assert_eq!(if rule.report == Report::Once { "once" } else { "each" }, entry.report, "{}", rule.id);
        assert_eq!(rule.tier, entry.tier, "{}", rule.id);
    }
}

#[test]
fn each_rule_is_listed_once_and_sorted_within_its_layer() {
    let mut seen = BTreeSet::new();
    let mut last = (None, "");
    for rule in rules::all() {
        assert!(seen.insert(rule.id), "{} is listed twice", rule.id);
        if last.0 == Some(rule.layer) {
            assert!(last.1 < rule.id, "{} stands after {}", rule.id, last.1);
        }
        last = (Some(rule.layer), rule.id);
    }
}
