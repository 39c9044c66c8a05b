//! `tool-name-duplicate`: the list holds a name twice.

use super::definitions;
use crate::mcp::Revisions;
use crate::rules::show::quoted;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;
use rustc_hash::FxHashSet;

/// See the module.
pub static RULE: Rule = Rule {
    id: "tool-name-duplicate",
    layer: Layer::Tool,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let cursor = cx.request_params().and_then(|p| p.get("cursor")).and_then(Value::as_str);
    // Pages before this one count where the walk goes on with a page that is new.
    let walk = cursor.and_then(|c| {
        let walk = cx.session.lists.tools.current.as_ref()?;
        walk.page(Some(&c)).is_none().then_some(walk)
    });
    let mut seen = FxHashSet::default();
    for tool in definitions::tools(cx) {
        let Some(value) = tool.get("name") else { continue };
        let Some(name) = Value::as_str(value) else { continue };
        let before = walk.is_some_and(|w| w.find(&name).is_some());
        if !seen.insert(name.clone()) || before {
            let place = if before { "an earlier page holds it too" } else { "this page holds it twice" };
            out.say(format!("the tool name {} is not unique: {place}", quoted(&name)))
                .at(value)
                .expected("a name of its own")
                .actual(quoted(&name));
        }
    }
}
