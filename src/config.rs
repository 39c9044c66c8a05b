//! The project file `mcpscope.toml`: severities, thresholds and exceptions for the traces of one project.
//!
//! ```toml
//! [severity]                       # error, warning, info or off
//! request-slow = "warning"
//!
//! [thresholds]
//! slow_ms = 2000
//!
//! [[exception]]
//! rule = "tool-unknown"            # one rule, or a list
//! reason = "the host calls tools of the old server until May"
//! where = "tool = legacy_search"   # optional: a query
//! file = "fixtures/**"             # optional: a pattern for the path, from this file's folder
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::error::{Failure, Result};
use crate::query::Query;
use crate::rules::{self, Options, catalogue};
use crate::trace::Severity;

/// Name of the project file, looked for from the working directory upwards.
pub const FILE: &str = "mcpscope.toml";

/// What a project says of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Its findings are left out.
    Off,
    /// Its findings have this severity.
    At(Severity),
}

/// Findings that a project accepts.
#[derive(Clone, Debug)]
pub struct Exception {
    /// Rules.
    pub rules: Vec<String>,
    /// Why.
    pub reason: String,
    /// Only on what this query selects.
    pub query: Option<Query>,
    /// Only in these files.
    pub file: Option<String>,
}

/// A project file that was read.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// Where it is.
    pub path: PathBuf,
    /// By rule.
    pub severities: BTreeMap<String, Level>,
    /// In the order of the file.
    pub exceptions: Vec<Exception>,
    thresholds: Table,
}

const TOP: [&str; 3] = ["severity", "thresholds", "exception"];
const LEVELS: [&str; 4] = ["error", "warning", "info", "off"];
const EXCEPTION: [&str; 4] = ["rule", "reason", "where", "file"];
const THRESHOLDS: [&str; 10] = [
    "slow_ms",
    "min_wait_ms",
    "max_depth",
    "max_bytes",
    "blob_bytes",
    "schema_max_depth",
    "schema_max_subschemas",
    "repeats",
    "error_prefixes",
    "dialects",
];

impl Project {
    /// The project file of a folder or of one above it.
    ///
    /// # Errors
    /// When there is one and it cannot be read.
    pub fn find(from: &Path) -> Result<Option<Project>> {
        from.ancestors().map(|folder| folder.join(FILE)).find(|p| p.is_file()).map(|p| Project::read(&p)).transpose()
    }

    /// Reads a project file.
    ///
    /// # Errors
    /// When it cannot be read, or says something that nobody understands.
    pub fn read(path: &Path) -> Result<Project> {
        let text =
            fs::read_to_string(path).map_err(|e| Failure::new(format!("cannot read {}: {e}", path.display())))?;
        Project::parse(&text, path)
    }

    /// Reads the text of a project file.
    ///
    /// # Errors
    /// As [`Project::read`].
    pub fn parse(text: &str, path: &Path) -> Result<Project> {
        let place = |what: String| format!("{}: {what}", path.display());
        let table: Table = text.parse().map_err(|e: toml::de::Error| {
            let line = e.span().map_or(1, |s| text[..s.start.min(text.len())].matches('\n').count() + 1);
            Failure::new(format!("{}:{line}: {}", path.display(), e.message().lines().next().unwrap_or_default()))
        })?;
        let fail = |what: String| Failure::new(place(what));
        known_keys(&table, &TOP, "").map_err(&fail_hint(path))?;
        let mut project = Project { path: path.to_owned(), ..Project::default() };
        if let Some(severity) = table.get("severity") {
            let severity = severity.as_table().ok_or_else(|| fail("severity is a table of rules".into()))?;
            for (rule, level) in severity {
                known_rule(rule).map_err(&fail_hint(path))?;
                let level = match level.as_str() {
                    Some("error") => Level::At(Severity::Error),
                    Some("warning") => Level::At(Severity::Warning),
                    Some("info") => Level::At(Severity::Info),
                    Some("off") => Level::Off,
                    other => {
                        let near = other.and_then(|o| nearest(o, &LEVELS));
                        return Err(fail_hint(path)((
                            format!("severity of {rule} is {level}"),
                            near.or(Some(LEVELS.join(", "))),
                        )));
                    }
                };
                project.severities.insert(rule.clone(), level);
            }
        }
        if let Some(thresholds) = table.get("thresholds") {
            let thresholds = thresholds.as_table().ok_or_else(|| fail("thresholds is a table".into()))?;
            known_keys(thresholds, &THRESHOLDS, "thresholds.").map_err(&fail_hint(path))?;
            project.thresholds = thresholds.clone();
            apply(&project.thresholds, &mut Options::default()).map_err(fail)?;
        }
        let exceptions = match table.get("exception") {
            None => &[][..],
            Some(Value::Array(list)) => list.as_slice(),
            Some(_) => return Err(fail("exceptions are written as [[exception]]".into())),
        };
        for (i, exception) in exceptions.iter().enumerate() {
            project.exceptions.push(read_exception(exception, i + 1, path)?);
        }
        Ok(project)
    }

    /// The rules' limits with this project's thresholds.
    #[must_use]
    pub fn options(&self, mut base: Options) -> Options {
        // Checked when it was read.
        let _ = apply(&self.thresholds, &mut base);
        base
    }

    /// What it says of a rule.
    pub fn level(&self, rule: &str) -> Option<Level> {
        self.severities.get(rule).copied()
    }
}

impl Exception {
    /// Whether it may be about a rule in a file.
    pub fn covers(&self, rule: &str, file: &Path, project: &Path) -> bool {
        self.rules.iter().any(|r| r == rule) && self.file.as_deref().is_none_or(|p| covers_file(p, file, project))
    }
}

/// Compares the path as it was given, and as it is seen from the project file's folder.
fn covers_file(pattern: &str, file: &Path, project: &Path) -> bool {
    if glob(pattern, &file.to_string_lossy()) {
        return true;
    }
    let folder = project.parent().map(Path::to_path_buf).unwrap_or_default();
    let (Ok(folder), Ok(file)) = (
        fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { &folder }),
        fs::canonicalize(file),
    ) else {
        return false;
    };
    file.strip_prefix(folder).is_ok_and(|inside| glob(pattern, &inside.to_string_lossy()))
}

/// `*` and `?` stand for characters within a name, `**` for any, slashes included. Linear but for the stars, which are
/// tried from the last one only.
fn glob(pattern: &str, text: &str) -> bool {
    let (p, t): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    // Row by row: which prefixes of the pattern match what was read so far.
    let closure = |row: &mut Vec<bool>| {
        for i in 0..p.len() {
            if row[i] && p[i] == '*' {
                row[i + 1] = true;
            }
            // `**/` may also stand for nothing.
            if row[i] && p[i..].starts_with(&['*', '*', '/']) {
                row[i + 3] = true;
            }
        }
    };
    let mut row = vec![false; p.len() + 1];
    row[0] = true;
    closure(&mut row);
    for c in t {
        let mut next = vec![false; p.len() + 1];
        for i in 0..p.len() {
            if !row[i] {
                continue;
            }
            let double = p[i] == '*' && (p.get(i + 1) == Some(&'*') || (i > 0 && p[i - 1] == '*'));
            match p[i] {
                '*' if c != '/' || double => next[i] = true,
                '?' if c != '/' => next[i + 1] = true,
                x if x == c => next[i + 1] = true,
                _ => {}
            }
        }
        closure(&mut next);
        row = next;
    }
    row[p.len()]
}

type Complaint = (String, Option<String>);

fn fail_hint(path: &Path) -> impl Fn(Complaint) -> Failure + '_ {
    move |(what, near)| {
        let failure = Failure::new(format!("{}: {what}", path.display()));
        match near {
            Some(near) if near.contains(',') => failure.hint(format!("known: {near}")),
            Some(near) => failure.hint(format!("did you mean {near}?")),
            None => failure,
        }
    }
}

fn nearest(word: &str, names: &[&str]) -> Option<String> {
    let word: String = word.chars().take(80).collect();
    let near = names.iter().map(|n| (strsim::damerau_levenshtein(&word, n), *n)).min_by_key(|(d, _)| *d);
    near.filter(|(d, n)| *d <= 3 && d * 2 <= n.len()).map(|(_, n)| n.to_owned())
}

fn known_keys(table: &Table, known: &[&str], prefix: &str) -> std::result::Result<(), Complaint> {
    match table.keys().find(|k| !known.contains(&k.as_str())) {
        Some(key) => {
            Err((format!("there is no key {prefix}{key}"), nearest(key, known).or_else(|| Some(known.join(", ")))))
        }
        None => Ok(()),
    }
}

fn known_rule(rule: &str) -> std::result::Result<(), Complaint> {
    if rules::find(rule).is_some() || catalogue::entry(rule).is_some() {
        return Ok(());
    }
    Err((format!("there is no rule {rule}"), catalogue::nearest(rule).map(str::to_owned)))
}

fn read_exception(value: &Value, number: usize, path: &Path) -> Result<Exception> {
    let fail = |what: &str| Failure::new(format!("{}: exception {number}: {what}", path.display()));
    let table = value.as_table().ok_or_else(|| fail("it is no table"))?;
    known_keys(table, &EXCEPTION, "exception.").map_err(&fail_hint(path))?;
    let text = |key: &str| match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(fail(&format!("{key} is a text"))),
    };
    let rules: Vec<String> = match table.get("rule") {
        Some(Value::String(rule)) => vec![rule.clone()],
        Some(Value::Array(list)) => list.iter().filter_map(|r| r.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    };
    if rules.is_empty() {
        return Err(fail("it names no rule").hint("rule = \"id\" or a list of ids"));
    }
    for rule in &rules {
        known_rule(rule).map_err(&fail_hint(path))?;
    }
    let reason = text("reason")?.filter(|r| !r.trim().is_empty());
    let Some(reason) = reason else {
        return Err(fail("it has no reason").hint("say in reason = \"…\" why the findings are accepted"));
    };
    let query = match text("where")? {
        Some(query) => Some(Query::parse(&query).map_err(|e| fail(&format!("where: {e}")))?),
        None => None,
    };
    Ok(Exception { rules, reason, query, file: text("file")? })
}

/// Puts thresholds into the options.
fn apply(table: &Table, options: &mut Options) -> std::result::Result<(), String> {
    for (key, value) in table {
        let number = || match value.as_integer() {
            Some(n) if (0..=i64::from(u32::MAX)).contains(&n) => Ok(n),
            _ => Err(format!("thresholds.{key} is a whole number from 0 on")),
        };
        let texts = || {
            let list: Option<Vec<String>> =
                value.as_array().and_then(|l| l.iter().map(|t| t.as_str().map(str::to_owned)).collect());
            list.ok_or_else(|| format!("thresholds.{key} is a list of texts"))
        };
        match key.as_str() {
            "slow_ms" => options.slow_ms = number()?,
            "min_wait_ms" => options.min_wait_ms = number()?,
            "max_depth" => options.max_depth = number()? as u32,
            "max_bytes" => options.max_bytes = number()? as usize,
            "blob_bytes" => options.blob_bytes = number()? as usize,
            "schema_max_depth" => options.schema_max_depth = number()? as u32,
            "schema_max_subschemas" => options.schema_max_subschemas = number()? as u32,
            "repeats" => options.repeats = number()? as u32,
            "error_prefixes" => options.error_prefixes = texts()?,
            "dialects" => options.dialects = texts()?,
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parse(text: &str) -> std::result::Result<Project, String> {
        Project::parse(text, Path::new("mcpscope.toml")).map_err(|e| e.to_string())
    }

    #[test]
    fn all_of_it() {
        let p = parse(
            "[severity]\njson-bom = \"warning\"\nrequest-slow = \"off\"\n[thresholds]\nslow_ms = 2000\nerror_prefixes = [\"oops\"]\n\
             [[exception]]\nrule = [\"tool-unknown\"]\nreason = \"old host\"\nwhere = \"tool = x\"\nfile = \"a/**\"\n",
        )
        .unwrap();
        assert_eq!(p.level("json-bom"), Some(Level::At(Severity::Warning)));
        assert_eq!(p.level("request-slow"), Some(Level::Off));
        assert_eq!(p.level("json-syntax"), None);
        let options = p.options(Options::default());
        assert_eq!((options.slow_ms, options.error_prefixes), (2000, vec!["oops".to_owned()]));
        assert!(p.exceptions[0].covers("tool-unknown", Path::new("a/b/c.jsonl"), &p.path));
        assert!(!p.exceptions[0].covers("tool-unknown", Path::new("b/c.jsonl"), &p.path));
        assert!(!p.exceptions[0].covers("json-bom", Path::new("a/c.jsonl"), &p.path));
        assert!(parse("").unwrap().exceptions.is_empty());
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("[severty]\n", "there is no key severty; did you mean severity?"),
            ("[severity]\njson-bomb = \"off\"", "there is no rule json-bomb; did you mean json-bom?"),
            ("[severity]\njson-bom = \"eror\"", "did you mean error?"),
            ("[severity]\njson-bom = 3", "known: error, warning, info, off"),
            ("[thresholds]\nslow = 1", "no key thresholds.slow"),
            ("[thresholds]\nslow_ms = -1", "whole number"),
            ("[[exception]]\nrule = \"json-bom\"", "it has no reason"),
            ("[[exception]]\nreason = \"x\"", "it names no rule"),
            ("[[exception]]\nrule = \"json-bom\"\nreason = \"x\"\nwhere = \"tol = 1\"", "did you mean tool?"),
            ("[[exception]]\nrule = \"json-bom\"\nreson = \"x\"", "did you mean reason?"),
            ("a = = 1\n", "mcpscope.toml:1:"),
            ("exception = 1", "[[exception]]"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn patterns() {
        for (pattern, text, want) in [
            ("*.jsonl", "a.jsonl", true),
            ("*.jsonl", "d/a.jsonl", false),
            ("**/*.jsonl", "d/e/a.jsonl", true),
            ("**/*.jsonl", "a.jsonl", true),
            ("d/**", "d/e/f", true),
            ("d/?", "d/e", true),
            ("d/?", "d//", false),
            ("", "", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
        ] {
            assert_eq!(glob(pattern, text), want, "{pattern} {text}");
        }
    }
}
