//! `tool-refused-although-valid`: the server refuses arguments that its schema allows.

use super::calls;
use crate::mcp::Revisions;
use crate::mcp::{errors, meta};
use crate::rules::schema::Verdict;
use crate::rules::show::{has, quoted, short};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::Open;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "tool-refused-although-valid",
    layer: Layer::Tool,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Error(error), On::Result(result)],
};

fn error(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (Some(open), Some(message)) = (calls::call(cx), cx.msg()) else { return };
    if message.env.error_code() != Some(errors::INVALID_PARAMS) {
        return;
    }
    let complete = !cx.revision.is_modern()
        || cx
            .request_envelope()
            .and_then(|e| e.params_meta())
            .is_some_and(|m| m.get(meta::PROTOCOL_VERSION).is_some() && m.get(meta::CLIENT_CAPABILITIES).is_some());
    let text = message.env.error_message().unwrap_or_default();
    let other = ["unknown tool", "not found", "inputresponses", "requeststate", "capabilit"];
    if complete && !other.iter().any(|w| has(&text, w)) {
        say(cx, open, &text, "-32602", out);
    }
}

fn result(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (Some(open), Some(result)) = (calls::call(cx), calls::outcome(cx)) else { return };
    if !calls::is_error(result) {
        return;
    }
    let Some(text) = calls::first_text(result).and_then(|t| t.as_str()) else { return };
    let validates = ["invalid argument", "invalid params", "validation error", "invalid_type", "is required"]
        .iter()
        .any(|w| has(&text, w))
        || has(&text, "expected ") && (has(&text, " got ") || has(&text, "received"));
    if validates && !has(&text, "not found") {
        say(cx, open, &text, "isError", out);
    }
}

fn say(cx: &Cx<'_>, open: &Open, text: &str, how: &str, out: &mut Out<'_>) {
    if calls::verdict(cx, open) == Some(Verdict::Valid) {
        let name = quoted(open.target.as_deref().unwrap_or_default());
        out.say(format!("{name} refused arguments that fit its inputSchema ({how}): {}", short(text)))
            .expected("a schema that says what the tool takes");
    }
}
