//! `request-slow`: the answer took long.

use super::seconds;
use crate::mcp::Method;
use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "request-slow",
    layer: Layer::JsonRpc,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Responder,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(check), On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(open) = cx.open else { return };
    let took = cx.t - open.t;
    if took < cx.options.slow_ms.saturating_mul(1000) || open.method == Some(Method::Listen) {
        return;
    }
    let name = cx.store.name(open.name).unwrap_or("the request");
    out.say(format!("{} (id {}) was answered after {}", cut(name, 60), cut(&open.id.text, 60), seconds(took)))
        .on(open.record)
        .expected(format!("an answer within {}", seconds(cx.options.slow_ms.saturating_mul(1000))))
        .actual(seconds(took));
}
