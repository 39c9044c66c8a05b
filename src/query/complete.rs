//! What may stand at the cursor: fields, `is:` words, operators' values that the trace has shown.

use rustc_hash::FxHashSet;

use crate::trace::{RecordKind, Store, Sym};

use super::ast::ends_word;
use super::field::{Field, HEADER, Is};
use super::path::Root;
use super::plan::words;

/// One way to go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// Byte range of the query that it takes the place of.
    pub start: usize,
    /// End of that range.
    pub end: usize,
    /// What stands there then.
    pub text: String,
    /// What it is, in a few words.
    pub about: String,
}

/// Values that are offered at most.
const MAX: usize = 200;

/// What may stand at the cursor (a byte position), the likeliest first.
pub fn complete(text: &str, cursor: usize, store: &Store) -> Vec<Candidate> {
    let mut cursor = cursor.min(text.len());
    while !text.is_char_boundary(cursor) {
        cursor -= 1;
    }
    let before = &text[..cursor];
    if before.matches('"').count() % 2 == 1 {
        return Vec::new();
    }
    let start = before.rfind(ends_word).map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8));
    let token = &before[start..];
    let candidate =
        |start: usize, text: String, about: &str| Candidate { start, end: cursor, text, about: about.into() };
    if let Some(word) = token.strip_prefix("is:") {
        let fitting = Is::ALL.into_iter().filter(|(_, w, _)| w.starts_with(word));
        return fitting.map(|(_, w, about)| candidate(start + 3, w.to_owned(), about)).collect();
    }
    if let Some((field, value_start)) = field_before(before, start) {
        let typed = &before[value_start..];
        return values(&field, store)
            .into_iter()
            .filter(|v| v.to_lowercase().starts_with(&typed.to_lowercase()))
            .take(MAX)
            .map(|v| candidate(value_start, quoted_if_needed(v), ""))
            .collect();
    }
    let mut all = Vec::new();
    for (_, name, about) in Field::ALL {
        all.push((name.to_owned(), about.to_owned()));
    }
    if !store.http.is_empty() {
        let mut names: Vec<String> =
            store.http.values().take(2000).flat_map(|h| h.headers.iter()).map(|(n, _)| n.to_lowercase()).collect();
        names.sort_unstable();
        names.dedup();
        all.extend(names.into_iter().map(|n| (format!("{HEADER}{n}"), "HTTP header".to_owned())));
    }
    all.push(("is:".into(), "a state".into()));
    all.extend(Root::ALL.iter().map(|(_, name)| (format!("{name}."), "a path into the message".to_owned())));
    let behind_term = !before[..start].trim_end().is_empty() && !before[..start].trim_end().ends_with('(');
    if behind_term {
        all.extend(["and", "or"].map(|w| (w.to_owned(), "joins terms".to_owned())));
    }
    all.push(("not".into(), "the opposite".into()));
    all.into_iter()
        .filter(|(name, _)| name.starts_with(token) && name != token)
        .map(|(name, about)| candidate(start, name, &about))
        .collect()
}

/// The field whose value stands at the cursor, and where the value begins.
fn field_before(before: &str, token: usize) -> Option<(Field, usize)> {
    // In one piece (`tool=se`), or with blanks (`tool = se`).
    let inside = &before[token..];
    let (name, value_start) = match inside.find(['=', '~', ':', '<', '>', '!']) {
        Some(op) if op > 0 => {
            let value =
                inside[op..].find(|c| !matches!(c, '=' | '~' | ':' | '<' | '>' | '!')).unwrap_or(inside.len() - op);
            (inside[..op].to_owned(), token + op + value)
        }
        Some(_) => {
            let value = inside.find(|c| !matches!(c, '=' | '~' | '<' | '>' | '!')).unwrap_or(inside.len());
            (before[..token].trim_end().rsplit(ends_word).next()?.to_owned(), token + value)
        }
        None => {
            let head = before[..token].trim_end();
            let name = head.trim_end_matches(['=', '~', '<', '>', '!']);
            if name.len() == head.len() {
                return None;
            }
            (name.trim_end().rsplit(ends_word).next()?.to_owned(), token)
        }
    };
    Some((Field::find(&name)?, value_start))
}

fn quoted_if_needed(value: String) -> String {
    if value.is_empty() || value.contains(ends_word) || value.starts_with('=') {
        super::ast::Word { text: value, quoted: true }.to_string()
    } else {
        value
    }
}

/// The values of a field that the trace has shown, sorted; words in their own order.
fn values(field: &Field, store: &Store) -> Vec<String> {
    if let Some(words) = words(field) {
        return words.into_iter().map(str::to_owned).collect();
    }
    let mut found: Vec<String> = match field {
        Field::Method => symbols(store, |r| r.method, |_| true),
        Field::Tool => symbols(store, |r| r.target, |m| m == "tools/call"),
        Field::Prompt => symbols(store, |r| r.target, |m| m == "prompts/get"),
        Field::Uri => symbols(store, |r| r.target, |m| m.contains("resources/")),
        Field::Target => symbols(store, |r| r.target, |_| true),
        Field::Client => store.sessions.iter().filter_map(|s| s.client.as_deref()).map(name_of).collect(),
        Field::Server => store.sessions.iter().filter_map(|s| s.server.as_deref()).map(name_of).collect(),
        Field::Rule => store.findings().map(|(_, f)| f.rule.to_owned()).collect(),
        Field::HttpStatus => store.http.values().filter_map(|h| h.status).map(|s| s.to_string()).collect(),
        Field::HttpHeader(name) => {
            store.http.values().take(20_000).filter_map(|h| h.header(name)).map(str::to_owned).collect()
        }
        Field::Conn => store.sessions.iter().map(|s| s.conn.to_string()).collect(),
        _ => Vec::new(),
    };
    found.sort_unstable();
    found.dedup();
    found
}

fn name_of(info: &str) -> String {
    info.rsplit_once('/').map_or(info, |(name, _)| name).to_owned()
}

/// The different names that requests and notifications carry.
fn symbols(store: &Store, of: fn(&crate::trace::Record) -> Sym, method: fn(&str) -> bool) -> Vec<String> {
    let mut seen = FxHashSet::default();
    for r in &store.records {
        if matches!(r.kind, RecordKind::Request | RecordKind::Notification) && of(r).is_some() {
            seen.insert((r.method, of(r)));
        }
    }
    seen.into_iter()
        .filter(|(m, _)| store.name(*m).is_some_and(method))
        .filter_map(|(_, s)| store.name(s).map(str::to_owned))
        .collect()
}
