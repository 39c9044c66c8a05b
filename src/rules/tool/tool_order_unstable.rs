//! `tool-order-unstable`: two lists hold the same tools in another order.

use super::definitions;
use crate::mcp::Revisions;
use crate::rules::show::quoted;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "tool-order-unstable",
    layer: Layer::Tool,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    // Lists of one page are compared; how others were cut may differ for good reasons.
    let Some(result) = cx.msg().and_then(|m| m.result()).filter(|r| r.get("nextCursor").is_none()) else { return };
    let Some(before) = cx.session.lists.tools.current.as_ref().filter(|l| l.complete() && l.pages.len() == 1) else {
        return;
    };
    if cx.request_params().is_some_and(|p| p.get("cursor").is_some()) {
        return;
    }
    let now: Vec<Value<'_>> = definitions::tools(cx).filter_map(|t| t.get("name")).collect();
    if now.len() != before.items.len() || now.is_empty() {
        return;
    }
    let moved = now.iter().zip(&before.items).find(|(n, b)| !n.str_eq(&b.name));
    let Some((value, was)) = moved else { return };
    if now.iter().all(|n| n.as_str().is_some_and(|n| before.find(&n).is_some())) {
        let name = value.as_str().unwrap_or_default();
        out.say(format!("the same tools come in another order: {} where {} stood", quoted(&name), quoted(&was.name)))
            .pointer(result.get("tools").map(Value::pointer).unwrap_or_default())
            .expected("the order of the list before")
            .actual(quoted(&name));
    }
}
