//! A comparison as text for people and as JSON for programs.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use super::words::{self, Part};
use super::{Change, Diff, Grade, Kind, Pair, Status, Trace};
use crate::report::text::Paint;
use crate::wire::frame::Dir;
use crate::wire::json::visible::{visible, visible_bytes};

/// Bytes of a value that are printed in text.
const SHOWN: usize = 400;

/// Writes what differs, then the counts.
///
/// # Errors
/// What the writer says.
pub fn text(out: &mut dyn Write, left: Trace<'_>, right: Trace<'_>, diff: &Diff, paint: Paint) -> io::Result<()> {
    for pair in diff.pairs.iter().filter(|p| p.status != Status::Same || p.moved) {
        let word = match pair.status {
            Status::Missing => paint.removed("missing"),
            Status::Extra => paint.added("extra"),
            Status::Different if pair.moved => "moved and different".into(),
            Status::Different => "different".into(),
            Status::Same => paint.dim("moved"),
        };
        writeln!(out, "{}: {word}", paint.bold(&title(left, right, pair)))?;
        for change in &pair.changes {
            self::change(out, change, paint)?;
        }
        if pair.more > 0 {
            writeln!(out, "  and {} more", pair.more)?;
        }
    }
    let count = |status| diff.count(status);
    let moved = diff.pairs.iter().filter(|p| p.moved).count();
    writeln!(
        out,
        "{} same, {} different, {} missing, {} extra, {moved} moved",
        count(Status::Same),
        count(Status::Different),
        count(Status::Missing),
        count(Status::Extra)
    )?;
    let grades = grades(diff);
    if !grades.is_empty() {
        let words: Vec<String> = grades.iter().rev().map(|(g, n)| format!("{n} {}", g.as_str())).collect();
        writeln!(out, "contract: {}", words.join(", "))?;
    }
    if !diff.ignored.is_empty() {
        let all: Vec<String> = diff.ignored.iter().map(|(p, n)| format!("{} ({n})", visible(p))).collect();
        writeln!(out, "{}", paint.dim(&format!("not compared: {}", all.join(", "))))?;
    }
    Ok(())
}

fn grades(diff: &Diff) -> BTreeMap<Grade, usize> {
    let mut grades = BTreeMap::new();
    for grade in diff.pairs.iter().flat_map(|p| &p.changes).filter_map(|c| c.grade) {
        *grades.entry(grade).or_default() += 1;
    }
    grades
}

/// `#3 → #4 tools/call search`
fn title(left: Trace<'_>, right: Trace<'_>, pair: &Pair) -> String {
    let number = match (pair.left, pair.right) {
        (Some(l), Some(r)) if l != r => format!("#{} / #{}", l + 1, r + 1),
        (Some(n), _) | (None, Some(n)) => format!("#{}", n + 1),
        (None, None) => String::new(),
    };
    let (trace, index) = either(left, right, pair);
    let e = &trace.store.exchanges[index as usize];
    let names = [trace.store.method_of(e), trace.store.target_of(e)];
    let names: Vec<String> = names.into_iter().flatten().map(|n| visible(n).into_owned()).collect();
    if names.is_empty() { format!("{number} {}", e.outcome.as_str()) } else { format!("{number} {}", names.join(" ")) }
}

fn either<'a>(left: Trace<'a>, right: Trace<'a>, pair: &Pair) -> (Trace<'a>, u32) {
    match (pair.left, pair.right) {
        (Some(l), _) => (left, l),
        (None, r) => (right, r.unwrap_or_default()),
    }
}

fn change(out: &mut dyn Write, change: &Change, paint: Paint) -> io::Result<()> {
    let grade = match change.grade {
        Some(Grade::Breaking) => paint.removed(" breaking"),
        Some(grade) => paint.dim(&format!(" {}", grade.as_str())),
        None => String::new(),
    };
    let place = match change.kind {
        Kind::Outcome => "outcome".into(),
        _ if change.pointer.is_empty() => "the whole message".into(),
        _ => visible(&change.pointer).into_owned(),
    };
    let side = if change.response { "" } else { " (request)" };
    writeln!(out, "  {place}{side}{grade}")?;
    let plain = |b: &Option<Vec<u8>>| b.as_ref().and_then(|b| serde_json::from_slice::<String>(b).ok());
    if let (Some(l), Some(r)) = (plain(&change.left), plain(&change.right))
        && (l.contains(' ') || r.contains(' '))
        && let Some(parts) = words::words(&l, &r)
    {
        let shown: String = parts.iter().map(|(part, text)| word(*part, text, paint)).collect();
        return writeln!(out, "    ~ {shown}");
    }
    if let Some(left) = &change.left {
        writeln!(out, "    {}", paint.removed(&format!("- {}", short(left))))?;
    }
    if let Some(right) = &change.right {
        writeln!(out, "    {}", paint.added(&format!("+ {}", short(right))))?;
    }
    Ok(())
}

/// Equal text is cut to what stands beside a difference.
fn word(part: Part, text: &str, paint: Paint) -> String {
    let shown = visible(text);
    match part {
        Part::Equal => {
            let chars: Vec<char> = shown.chars().collect();
            if chars.len() <= 80 {
                return shown.into_owned();
            }
            let (head, tail): (String, String) =
                (chars[..30].iter().collect(), chars[chars.len() - 30..].iter().collect());
            format!("{head} … {tail}")
        }
        Part::Removed if paint.on => paint.removed(&shown),
        Part::Added if paint.on => paint.added(&shown),
        Part::Removed => format!("[-{shown}-]"),
        Part::Added => format!("{{+{shown}+}}"),
    }
}

fn short(bytes: &[u8]) -> String {
    let cut = visible_bytes(&bytes[..bytes.len().min(SHOWN)]);
    if bytes.len() > SHOWN { format!("{cut} … ({} bytes)", bytes.len()) } else { cut.into_owned() }
}

#[derive(Serialize)]
struct Report<'a> {
    left: &'a str,
    right: &'a str,
    same: usize,
    different: usize,
    missing: usize,
    extra: usize,
    moved: usize,
    breaking: usize,
    safe: usize,
    cosmetic: usize,
    exchanges: Vec<JsonPair<'a>>,
    not_compared: &'a BTreeMap<String, usize>,
}

#[derive(Serialize)]
struct JsonPair<'a> {
    status: &'a str,
    left: Option<u32>,
    right: Option<u32>,
    method: Option<&'a str>,
    target: Option<&'a str>,
    moved: bool,
    changes: Vec<JsonChange<'a>>,
    more: usize,
}

#[derive(Serialize)]
struct JsonChange<'a> {
    pointer: &'a str,
    kind: &'a str,
    part: &'a str,
    owner: &'a str,
    grade: Option<&'a str>,
    left: Option<Box<RawValue>>,
    right: Option<Box<RawValue>>,
}

/// A value as it is written; what is no JSON (any more) as a string.
fn raw(bytes: &[u8]) -> Option<Box<RawValue>> {
    let text = String::from_utf8_lossy(bytes);
    RawValue::from_string(text.trim().to_owned())
        .or_else(|_| RawValue::from_string(serde_json::to_string(&text).unwrap_or_default()))
        .ok()
}

/// Writes everything as one JSON object. What does not apply is `null`, never absent.
///
/// # Errors
/// What the writer says.
pub fn json(out: &mut dyn Write, left: (&str, Trace<'_>), right: (&str, Trace<'_>), diff: &Diff) -> io::Result<()> {
    let grades = grades(diff);
    let grade = |g: Grade| grades.get(&g).copied().unwrap_or(0);
    let exchanges = diff.pairs.iter().map(|pair| {
        let (trace, index) = either(left.1, right.1, pair);
        let e = &trace.store.exchanges[index as usize];
        let owner = |c: &Change| {
            let dir = if c.response { e.dir.opposite() } else { e.dir };
            if dir == Dir::C2s { "client" } else { "server" }
        };
        JsonPair {
            status: pair.status.as_str(),
            left: pair.left.map(|n| n + 1),
            right: pair.right.map(|n| n + 1),
            method: trace.store.method_of(e),
            target: trace.store.target_of(e),
            moved: pair.moved,
            more: pair.more,
            changes: pair
                .changes
                .iter()
                .map(|c| JsonChange {
                    pointer: &c.pointer,
                    kind: c.kind.as_str(),
                    part: if c.response { "response" } else { "request" },
                    owner: owner(c),
                    grade: c.grade.map(Grade::as_str),
                    left: c.left.as_deref().and_then(raw),
                    right: c.right.as_deref().and_then(raw),
                })
                .collect(),
        }
    });
    let report = Report {
        left: left.0,
        right: right.0,
        same: diff.count(Status::Same),
        different: diff.count(Status::Different),
        missing: diff.count(Status::Missing),
        extra: diff.count(Status::Extra),
        moved: diff.pairs.iter().filter(|p| p.moved).count(),
        breaking: grade(Grade::Breaking),
        safe: grade(Grade::Safe),
        cosmetic: grade(Grade::Cosmetic),
        exchanges: exchanges.collect(),
        not_compared: &diff.ignored,
    };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}
