//! `message-oversize`: the message is very large.

use super::readable;
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "message-oversize",
    layer: Layer::Json,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Text(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(text) = cx.text else { return };
    let (len, limit) = (text.bytes.len(), cx.options.max_bytes);
    if len > limit && readable(cx).is_some() {
        out.say(format!("the message has {len} bytes"))
            .expected(format!("at most {limit} bytes"))
            .actual(len.to_string());
    }
}
