//! `tool-unknown`: the tool is not in the list.

use super::nearest::nearest;
use crate::mcp::Method;
use crate::mcp::Revisions;
use crate::rules::show::{quoted, short};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "tool-unknown",
    layer: Layer::Tool,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::C2s && m.is(Method::ToolsCall)) else { return };
    let Some(name) = message.params().and_then(|p| p.get("name")).filter(|n| n.is_string()) else { return };
    let Some(wanted) = Value::as_str(name) else { return };
    let tools = &cx.session.lists.tools;
    let near = |found: Option<&str>| match found {
        Some(near) => (format!("; the nearest is {}", quoted(near)), short(near)),
        None => (String::new(), "a name of the list".to_owned()),
    };
    if tools.is_settled() {
        if tools.find(&wanted).is_none() {
            let (hint, expected) = near(nearest(&wanted, tools.names()));
            out.say(format!("the latest tools/list has no tool {}{hint}", quoted(&wanted)))
                .at(name)
                .expected(expected)
                .actual(quoted(&wanted));
        }
    } else if let Some(known) = cx.options.tools.as_deref().filter(|k| !tools.is_known() && !k.is_empty()) {
        if known.find(&wanted).is_none() {
            let (hint, expected) = near(nearest(&wanted, known.names()));
            let origin = short(&known.origin);
            out.say(format!("{origin} (not this wire) has no tool {}{hint}", quoted(&wanted)))
                .at(name)
                .expected(expected)
                .actual(quoted(&wanted))
                .severity(Severity::Info);
        }
    }
}
