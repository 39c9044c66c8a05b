//! The schema of a tool beside what was sent to it.

use crate::trace::{Outcome, Severity};
use crate::tui::data::Data;
use crate::tui::detail::words;
use crate::tui::page::PageLine;
use crate::tui::theme::Ink;
use crate::wire::json::{Document, Value, fit, pretty};

use super::{blank, heading, line};

/// Lines of a schema that are shown.
const MOST: usize = 2_000;

/// The tool's entry in the newest list before an exchange, else in the first one after it.
fn listed(d: &Data<'_>, index: u32, tool: &str) -> Option<Vec<u8>> {
    let store = d.store;
    let method = store.names.find("tools/list")?;
    let is_list = |i: &u32| {
        let e = &store.exchanges[*i as usize];
        e.outcome == Outcome::Ok && store.record(e.request).is_some_and(|r| r.method == method)
    };
    let entry = |i: u32| {
        let document = Document::new(d.message(store.exchanges[i as usize].response).ok()?);
        let tools = document.doc().root()?.path(&["result", "tools"])?;
        tools.elements().find(|t| t.get("name").is_some_and(|n| n.str_eq(tool))).map(|t| t.raw().to_vec())
    };
    (0..index)
        .rev()
        .filter(is_list)
        .find_map(entry)
        .or_else(|| (index..store.exchanges.len() as u32).filter(is_list).find_map(entry))
}

pub(super) fn pretty_lines(bytes: &[u8], path: &[&str]) -> Vec<String> {
    let document = Document::new(bytes);
    let Some(value) = document.doc().root().and_then(|r| r.path(path)) else { return Vec::new() };
    let mut out = Vec::new();
    pretty::write(value, &mut out);
    String::from_utf8_lossy(&out).lines().take(MOST).map(str::to_owned).collect()
}

pub(super) fn lines(d: &Data<'_>, index: u32, width: usize) -> Option<(String, Vec<PageLine>)> {
    let store = d.store;
    let e = store.exchanges.get(index as usize)?;
    let tool = store.target_of(e)?.to_owned();
    if store.method_of(e) != Some("tools/call") {
        return None;
    }
    let sent = d.message(e.request).ok()?;
    let arguments = pretty_lines(&sent, &["params", "arguments"]);
    let mut lines = Vec::new();
    let Some(entry) = listed(d, index, &tool) else {
        lines.push(line(vec![(Ink::Warning, format!("the server has not listed a tool {tool:?} in this trace"))]));
        return Some((format!("schema of {tool}"), lines));
    };
    let document = Document::new(entry.clone());
    if let Some(text) = document.doc().root().and_then(|r| r.get("description")).and_then(Value::as_str) {
        lines.extend(super::wrap(&text, width).into_iter().take(6).map(|t| line(vec![(Ink::Dim, t)])));
        lines.push(blank());
    }
    let schema = pretty_lines(&entry, &["inputSchema"]);
    let column = (width / 2).max(20);
    lines.push(line(vec![(Ink::Heading, cell("inputSchema", column)), (Ink::Heading, "  arguments as sent".into())]));
    for i in 0..schema.len().max(arguments.len()) {
        let left = schema.get(i).map_or("", String::as_str);
        let right = arguments.get(i).map_or("", String::as_str);
        lines.push(line(vec![
            (Ink::Text, cell(left, column)),
            (Ink::Rule, "│ ".into()),
            (Ink::String, right.to_owned()),
        ]));
    }
    let found: Vec<_> = store.findings_of(e.request).filter(|(_, f)| f.severity >= Severity::Info).collect();
    if !found.is_empty() {
        lines.push(blank());
        lines.push(heading("Findings on this call"));
        for (_, f) in found {
            let (ink, sign) = words::severity(f.severity);
            let pointer = f.pointer.as_deref().unwrap_or_default();
            lines.push(super::link(
                vec![(ink, format!("{sign} ")), (Ink::Key, format!("{pointer}  ")), (Ink::Text, f.message.to_string())],
                crate::tui::detail::body::Go::Rule(f.rule),
            ));
        }
    }
    let output = pretty_lines(&entry, &["outputSchema"]);
    if !output.is_empty() {
        lines.push(blank());
        lines.push(heading("outputSchema"));
        lines.extend(output.into_iter().map(|t| line(vec![(Ink::Text, t)])));
    }
    Some((format!("schema of {tool}"), lines))
}

fn cell(text: &str, width: usize) -> String {
    let fitted = fit(text, width.saturating_sub(1));
    format!("{}{}", fitted.visible.text, " ".repeat(width - fitted.columns))
}
