//! SARIF 2.1.0: findings for code-scanning services and editors.
//!
//! One run for all files; the rules that fired stand in the driver with their texts from the catalogue.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use crate::rules::catalogue::{self, Entry};
use crate::rules::page;
use crate::trace::Severity;

use super::json::File;
use super::view::FindingView;

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn level_of_word(word: &str) -> &'static str {
    match word {
        "error" => "error",
        "warning" => "warning",
        _ => "note",
    }
}

fn rule(entry: &Entry) -> Value {
    json!({
        "id": entry.id,
        "name": pascal(&entry.id),
        "shortDescription": { "text": entry.title },
        "fullDescription": { "text": entry.explain },
        "help": { "text": page::text(entry, 88), "markdown": page::markdown(entry) },
        "defaultConfiguration": { "level": level_of_word(&entry.severity) },
        "properties": { "tags": ["mcp", entry.layer], "spec": entry.spec },
    })
}

/// `json-syntax` as `JsonSyntax`.
fn pascal(id: &str) -> String {
    id.split('-')
        .flat_map(|word| {
            let mut chars = word.chars();
            chars.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(chars)
        })
        .collect()
}

/// A relative or absolute path as a URI reference (RFC 3986): what is not plain is escaped.
pub(super) fn uri(path: &str) -> String {
    let mut out = String::new();
    if path.starts_with('/') {
        out.push_str("file://");
    }
    for b in path.bytes() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(b)),
            _ => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}

fn result(file: &File<'_>, v: &FindingView<'_>, rules: &BTreeMap<&str, usize>) -> Value {
    let f = v.finding;
    let mut text = f.message.to_string();
    if let Some(expected) = &f.expected {
        text.push_str(&format!("; expected {expected}"));
    }
    let mut location = json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file.file) } } });
    if let Some(line) = v.line {
        location["physicalLocation"]["region"] = json!({ "startLine": line });
    }
    if let Some(pointer) = &f.pointer {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": pointer, "kind": "member" }]);
    }
    let mut properties = json!({ "layer": f.layer.as_str(), "owner": f.owner.as_str() });
    for (name, value) in [
        ("frame", v.frame.map(Value::from)),
        ("exchange", v.exchange.map(Value::from)),
        ("connection", v.conn.map(Value::from)),
        ("id", v.id.as_deref().map(Value::from)),
        ("method", v.method.map(Value::from)),
        ("actual", f.actual.as_deref().map(Value::from)),
    ] {
        if let Some(value) = value {
            properties[name] = value;
        }
    }
    json!({
        "ruleId": f.rule,
        "ruleIndex": rules.get(f.rule),
        "level": level(v.severity),
        "message": { "text": text },
        "locations": [location],
        "properties": properties,
    })
}

/// Writes the report.
///
/// # Errors
/// What the writer says.
pub fn write(out: &mut dyn Write, files: &[File<'_>]) -> io::Result<()> {
    let mut used: Vec<&str> = files.iter().flat_map(|f| f.findings.iter().map(|v| v.finding.rule)).collect();
    used.sort_unstable();
    used.dedup();
    let entries: Vec<&Entry> = used.iter().filter_map(|id| catalogue::entry(id)).collect();
    let places: BTreeMap<&str, usize> = entries.iter().enumerate().map(|(i, e)| (e.id.as_str(), i)).collect();
    let driver = json!({
        "name": "mcpscope",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": entries.iter().map(|e| rule(e)).collect::<Vec<_>>(),
    });
    let artifacts: Vec<Value> = files.iter().map(|f| json!({ "location": { "uri": uri(f.file) } })).collect();
    write!(
        out,
        "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{driver}}},\
         \"columnKind\":\"unicodeCodePoints\",\"artifacts\":{},\"results\":[",
        Value::Array(artifacts)
    )?;
    let mut first = true;
    for file in files {
        for v in file.findings {
            out.write_all(if std::mem::take(&mut first) { b"\n" } else { b",\n" })?;
            serde_json::to_writer(&mut *out, &result(file, v, &places))?;
        }
    }
    out.write_all(b"]}]}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_uris() {
        assert_eq!(pascal("json-lone-surrogate"), "JsonLoneSurrogate");
        assert_eq!(uri("a b/ü.jsonl"), "a%20b/%C3%BC.jsonl");
        assert_eq!(uri("/x#y"), "file:///x%23y");
    }
}
