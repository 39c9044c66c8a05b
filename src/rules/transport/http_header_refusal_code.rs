//! `http-header-refusal-code`: a header fault is refused without -32020 and 400.

use super::mirror;
use crate::mcp::Revisions;
use crate::mcp::errors;
use crate::rules::show::has;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-header-refusal-code",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::S2c) else { return };
    let (Some(open), Some(code)) = (cx.open, message.env.error_code()) else { return };
    let status = cx.stream.and_then(|s| s.status());
    if code == errors::HEADER_MISMATCH && status == Some(400) {
        return;
    }
    if !mirror::RULES.iter().any(|r| cx.store.fired(open.record, r)) {
        return;
    }
    let mut text = message.env.error_message().unwrap_or_default().into_owned();
    if let Some(data) = message.env.error.and_then(|e| e.get("data")) {
        text.push_str(&crate::rules::show::value(data));
    }
    if ["header", "mcp-method", "mcp-name", "mcp-param-", "mcp-protocol-version"].iter().any(|w| has(&text, w)) {
        let status = status.map_or_else(|| "no status".to_owned(), |s| format!("status {s}"));
        out.say(format!("a header fault was refused with {code} and {status}"))
            .pointer("/error/code")
            .expected("-32020 and status 400")
            .actual(format!("{code}, {status}"));
    }
}
