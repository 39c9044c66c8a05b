//! `json-syntax`: an attempt at a message is no JSON.

use crate::mcp::Revisions;
use crate::rules::TextClass;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "json-syntax",
    layer: Layer::Json,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Text(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(text) = cx.text.filter(|t| t.class == TextClass::Broken) else { return };
    let doc = text.doc;
    match &doc.faults().syntax {
        Some(fault) if fault.eof => {
            let text = format!("the JSON ends at byte {} in the middle of a value", fault.offset);
            out.say(text).expected(fault.expected).actual("the end of the text");
        }
        Some(fault) => {
            let there = text.bytes.get(fault.offset..).unwrap_or_default();
            let there = String::from_utf8_lossy(&there[..there.len().min(16)]);
            let actual = format!("{:?}", there.chars().take(12).collect::<String>());
            let text = format!("JSON cannot be parsed from byte {} on: expected {}", fault.offset, fault.expected);
            out.say(text).expected(fault.expected).actual(actual);
        }
        None if doc.faults().trailing => {
            out.say(format!("text stands after the JSON value, from byte {} on", doc.end())).expected("one JSON value");
        }
        None => {
            out.say("the text is no JSON").expected("a JSON object");
        }
    }
}
