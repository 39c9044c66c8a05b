//! `access-refusal-in-tool-result`: a tool reports a refusal by the service behind it.

use super::refusal;
use crate::mcp::Method;
use crate::mcp::Revisions;
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "access-refusal-in-tool-result",
    layer: Layer::Access,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(result) = cx.msg().filter(|m| m.dir == Dir::S2c).and_then(|m| m.result()) else { return };
    if result.get("isError").and_then(Value::as_bool) != Some(true)
        || cx.open.is_some_and(|o| o.method != Some(Method::ToolsCall))
    {
        return;
    }
    let Some(content) = result.get("content") else { return };
    for block in content.elements().take(8) {
        let Some(value) = block.get("text") else { continue };
        let Some(text) = value.as_str() else { continue };
        if refusal::is(refusal::head(&text)) {
            out.say(format!("the tool reports a refusal: {}", short(&text))).at(value);
            return;
        }
    }
}
