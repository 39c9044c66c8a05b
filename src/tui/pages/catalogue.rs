//! Tools, prompts and resources as the server listed them, with what became of them.

use std::collections::BTreeMap;

use crate::trace::{NONE, Outcome};
use crate::tui::data::{Data, count, duration, size};
use crate::tui::detail::body::Go;
use crate::tui::list::Sel;
use crate::tui::page::PageLine;
use crate::tui::theme::Ink;
use crate::wire::json::{Document, Value, visible};

use super::{blank, heading, line, link, wrap};

struct Entry {
    bytes: Vec<u8>,
    about: String,
    exchange: u32,
}

/// Kinds: method of the list, member of the result, member that names an item, method that uses it, title.
const KINDS: [(&str, &str, &str, &str, &str); 4] = [
    ("tools/list", "tools", "name", "tools/call", "Tools"),
    ("prompts/list", "prompts", "name", "prompts/get", "Prompts"),
    ("resources/list", "resources", "uri", "resources/read", "Resources"),
    ("resources/templates/list", "resourceTemplates", "uriTemplate", "", "Resource templates"),
];

/// Listings that are compared; more are only counted.
const LISTINGS: usize = 400;

pub(super) fn lines(d: &Data<'_>, width: usize) -> (String, Vec<PageLine>) {
    let mut lines = Vec::new();
    for kind in KINDS {
        section(d, kind, width, &mut lines);
    }
    if lines.is_empty() {
        lines.push(line(vec![(Ink::Dim, "the server has not listed anything in this trace".into())]));
    }
    ("catalogue".to_owned(), lines)
}

fn section(
    d: &Data<'_>,
    (list, member, name, uses, title): (&str, &str, &str, &str, &str),
    width: usize,
    out: &mut Vec<PageLine>,
) {
    let store = d.store;
    let mut known: BTreeMap<String, Entry> = BTreeMap::new();
    let mut changes: Vec<(u32, String)> = Vec::new();
    let mut listings = 0;
    let Some(method) = store.names.find(list) else { return };
    for (index, e) in store.exchanges.iter().enumerate() {
        let Some(request) = store.record(e.request).filter(|r| r.method == method && e.outcome == Outcome::Ok) else {
            continue;
        };
        listings += 1;
        if listings > LISTINGS {
            continue;
        }
        let Ok(bytes) = d.message(e.response) else { continue };
        let document = Document::new(bytes);
        let Some(items) = document.doc().root().and_then(|r| r.path(&["result", member])) else { continue };
        let first = known.is_empty();
        let _ = request;
        for item in items.elements() {
            let Some(key) = item.get(name).and_then(Value::as_str) else { continue };
            let about = ["description", "title", "mimeType"].iter().find_map(|k| item.get(k).and_then(Value::as_str));
            let entry = Entry {
                bytes: item.raw().to_vec(),
                about: about.unwrap_or_default().chars().take(2_000).collect(),
                exchange: index as u32,
            };
            match known.get(key.as_ref()) {
                Some(old) if old.bytes != entry.bytes => changes.push((index as u32, format!("{key} changed"))),
                None if !first => changes.push((index as u32, format!("{key} is new"))),
                _ => {}
            }
            known.insert(key.into_owned(), entry);
        }
    }
    if listings == 0 {
        return;
    }
    if !out.is_empty() {
        out.push(blank());
    }
    let weight: usize = known.values().map(|e| e.bytes.len()).sum();
    out.push(heading(format!(
        "{title}: {}, {} bytes, listed {} ",
        known.len(),
        size(weight as u64),
        count(listings, "time")
    )));
    let use_method = store.names.find(uses);
    for (key, entry) in &known {
        let target = store.names.find(key);
        let (mut calls, mut refused, mut failed, mut latencies) = (0, 0, 0, Vec::new());
        for e in &store.exchanges {
            let Some(r) = store.record(e.request).filter(|r| Some(r.method) == use_method && Some(r.target) == target)
            else {
                continue;
            };
            calls += usize::from(r.exchange != NONE);
            refused += usize::from(matches!(e.outcome, Outcome::ProtocolError | Outcome::Refused));
            failed += usize::from(e.outcome == Outcome::ToolError);
            latencies.extend(store.latency(e));
        }
        latencies.sort_unstable();
        let mut text = vec![
            (Ink::Accent, format!("  {}", visible(key))),
            (Ink::Dim, format!("  {} bytes", size(entry.bytes.len() as u64))),
        ];
        if calls > 0 {
            text.push((Ink::Text, format!("  used {}", count(calls, "time"))));
        }
        if refused > 0 {
            text.push((Ink::ProtocolError, format!("  {refused} refused")));
        }
        if failed > 0 {
            text.push((Ink::ToolError, format!("  {failed} failed")));
        }
        if let Some(median) = latencies.get(latencies.len() / 2) {
            text.push((Ink::Dim, format!("  median {}", duration(*median))));
        }
        out.push(link(text, Go::Sel(Sel::Exchange(entry.exchange))));
        for row in wrap(&visible(&entry.about.replace(['\n', '\r'], " ")), width.saturating_sub(6)).into_iter().take(3)
        {
            out.push(line(vec![(Ink::Dim, format!("      {row}"))]));
        }
        if let Some(schema) = Document::new(entry.bytes.clone()).doc().root().and_then(|r| r.get("inputSchema")) {
            let required: Vec<_> =
                schema.get("required").into_iter().flat_map(Value::elements).filter_map(Value::as_str).collect();
            let mut text = vec![(Ink::Dim, "      ".to_owned())];
            for (key, property) in schema.get("properties").into_iter().flat_map(Value::members).take(30) {
                let key = key.as_str();
                let kind = property.get("type").and_then(Value::as_str).unwrap_or_else(|| "any".into());
                let star = if required.contains(&key) { "*" } else { "" };
                text.push((Ink::Key, format!("{}{star}", visible(&key))));
                text.push((Ink::Dim, format!(" {}  ", visible(&kind))));
            }
            out.push(line(text));
        }
    }
    for (exchange, what) in changes.into_iter().take(100) {
        out.push(link(
            vec![(Ink::Warning, "  ± ".into()), (Ink::Text, what), (Ink::Dim, format!("  with #{}", exchange + 1))],
            Go::Sel(Sel::Exchange(exchange)),
        ));
    }
}
