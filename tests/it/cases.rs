//! Wires rebuilt from public reports, and recorded traffic: what is found in them is what is expected, no more, no less.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use mcpscope::analysis::{Analyzer, Origin};
use mcpscope::format::native::Reader;
use mcpscope::rules::{self, Options};
use mcpscope::trace::{Finding, Severity, Store};
use serde::Deserialize;

/// What an inspector has to say about a case.
#[derive(Deserialize)]
struct Expect {
    #[serde(default)]
    must_report: Vec<Must>,
    #[serde(default)]
    must_not_rules: Vec<MustNot>,
    #[serde(default)]
    clean: bool,
    #[serde(default)]
    also: Vec<String>,
}

#[derive(Deserialize)]
struct Must {
    about: serde_json::Value,
    problem: String,
    layer: Vec<String>,
    side: String,
    rules: Vec<String>,
    #[serde(default)]
    judgement: bool,
}

#[derive(Deserialize)]
struct MustNot {
    line: Option<u32>,
    rules: Vec<String>,
}

/// `4`, `2,4` and `5-8` as a set of lines.
fn lines(about: &serde_json::Value) -> BTreeSet<u32> {
    let text = about.as_str().map_or_else(|| about.to_string(), str::to_owned);
    let mut all = BTreeSet::new();
    for part in text.replace(' ', "").split(',') {
        let (a, b) = part.split_once('-').unwrap_or((part, part));
        all.extend(a.parse::<u32>().unwrap()..=b.parse().unwrap());
    }
    all
}

fn shared(path: &str) -> Option<PathBuf> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")).join(path);
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

/// Everything that is found in a file.
fn analyse(path: &Path, origin: Origin) -> Store {
    let bytes = std::fs::read(path).unwrap();
    let mut store = Store::new();
    let mut analyzer = Analyzer::new(Options::default(), origin);
    let mut reader = Reader::new();
    let mut each = |item: mcpscope::wire::frame::Item<'_>| analyzer.push(&mut store, item);
    reader.feed(&bytes, &mut each);
    reader.finish(&mut each);
    assert_eq!(reader.fault_count(), 0, "{}: {:?}", path.display(), reader.faults());
    analyzer.finish(&mut store);
    store
}

fn line_of(store: &Store, finding: &Finding) -> u32 {
    store.records[finding.record as usize].line
}

fn show(store: &Store, f: &Finding) -> String {
    format!("line {} {} {} ({}): {}", line_of(store, f), f.severity.as_str(), f.rule, f.owner.as_str(), f.message)
}

/// The score of all cases, and by rule what is missing and what is false.
#[derive(Default)]
struct Score {
    expectations: u32,
    met: u32,
    right_layer: u32,
    missed: BTreeMap<String, Vec<String>>,
    alarms: BTreeMap<String, Vec<String>>,
}

impl Score {
    fn case(&mut self, name: &str, expect: &Expect, store: &Store) {
        let mut named = BTreeSet::new();
        for must in &expect.must_report {
            let at = lines(&must.about);
            let hits: Vec<&Finding> = store
                .findings()
                .map(|(_, f)| f)
                .filter(|f| must.rules.iter().any(|r| r == f.rule) && at.contains(&line_of(store, f)))
                .filter(|f| must.side == "either" || must.side == f.owner.as_str())
                .collect();
            let right = hits.iter().any(|f| must.layer.iter().any(|l| l == f.layer.as_str()));
            self.expectations += u32::from(!hits.is_empty() || !must.judgement);
            self.met += u32::from(!hits.is_empty());
            self.right_layer += u32::from(right);
            if !right && (!must.judgement || !hits.is_empty()) {
                let what = if hits.is_empty() { "missed" } else { "wrong layer" };
                let text = format!("{name} line {} ({}): {what}: {}", must.about, must.side, must.problem);
                self.missed.entry(must.rules.join("|")).or_default().push(text);
            }
            named.extend(at);
        }
        for (_, f) in store.findings() {
            let line = line_of(store, f);
            let banned = expect
                .must_not_rules
                .iter()
                .any(|b| b.rules.iter().any(|r| r == f.rule) && (b.line.is_none() || b.line == Some(line)));
            let stray =
                f.severity == Severity::Error && !named.contains(&line) && !expect.also.iter().any(|r| r == f.rule);
            if banned || stray || (expect.clean && f.severity >= Severity::Warning) {
                self.alarms.entry(f.rule.to_owned()).or_default().push(format!("{name} {}", show(store, f)));
            }
        }
    }
}

/// `MCPSCOPE_CASES=part-of-a-name` narrows the run and prints all findings; the misses and false alarms are printed by
/// rule, those of rules that are built first.
#[test]
fn the_cases_are_judged_as_they_say() {
    let Some(folder) = shared("cases") else { return };
    let only = std::env::var("MCPSCOPE_CASES").ok();
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    let mut score = Score::default();
    for path in names.iter().filter(|p| p.join("wire.jsonl").exists()) {
        let name = path.file_name().unwrap().to_string_lossy();
        if only.as_ref().is_some_and(|o| !name.contains(o.as_str())) {
            continue;
        }
        let expect: Expect = serde_json::from_slice(&std::fs::read(path.join("expect.json")).unwrap()).unwrap();
        let store = analyse(&path.join("wire.jsonl"), Origin::Foreign);
        if only.is_some() {
            store.findings().for_each(|(_, f)| eprintln!("{name} {}", show(&store, f)));
        }
        score.case(&name, &expect, &store);
    }
    let Score { expectations, met, right_layer, missed, alarms } = &score;
    let false_alarms: usize = alarms.values().map(Vec::len).sum();
    eprintln!("expectations {expectations}  met {met}  right layer {right_layer}  false alarms {false_alarms}");
    // A miss that only rules explain which are not built is none yet.
    let built = |ids: &str| ids.split('|').any(|id| rules::find(id).is_some());
    for (rule, list) in alarms {
        list.iter().for_each(|text| eprintln!("false alarm {rule}: {text}"));
    }
    for (rules, list) in missed {
        let word = if built(rules) { "miss" } else { "not built" };
        list.iter().for_each(|text| eprintln!("{word} {rules}: {text}"));
    }
    let misses: usize = missed.iter().filter(|(r, _)| built(r)).map(|(_, l)| l.len()).sum();
    assert!(misses == 0 && false_alarms == 0, "{misses} misses, {false_alarms} false alarms");
}

/// Prints what is found in the recorded traffic, errors and warnings one by one (`MCPSCOPE_TRACES=part-of-a-name`). What
/// must hold of all of it: nothing panics, requests are paired, and the same bytes give the same findings.
#[test]
fn recorded_traffic_is_read_whole() {
    let Some(folder) = shared("traces/raw") else { return };
    let only = std::env::var("MCPSCOPE_TRACES").ok();
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    assert!(!names.is_empty());
    for path in names {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|o| !name.contains(o.as_str())) {
            continue;
        }
        let store = analyse(&path, Origin::Foreign);
        assert!(store.messages > 0, "{name}");
        for (_, f) in store.findings() {
            let info = f.severity == Severity::Info;
            if only.is_some() || !info {
                eprintln!("{name} {}", show(&store, f));
            }
        }
        let again = analyse(&path, Origin::Foreign);
        assert!(store.findings().eq(again.findings()), "{name}");
    }
}
