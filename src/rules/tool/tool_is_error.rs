//! `tool-is-error`: the tool reports a failure of its own.

use super::calls;
use crate::mcp::Method;
use crate::mcp::Revisions;
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "tool-is-error",
    layer: Layer::Tool,
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
    let asks = cx.revision.is_modern() && result.get("resultType").is_some_and(|t| t.str_eq("input_required"));
    if asks
        || !calls::is_error(result)
        || cx.open.is_some_and(|o| !matches!(o.method, Some(Method::ToolsCall | Method::TasksResult)))
    {
        return;
    }
    let said = calls::first_text(result).and_then(|t| t.as_str()).map(|t| format!(": {}", short(&t)));
    let name = cx.open.and_then(|o| o.target.as_deref()).map_or_else(|| "the tool".to_owned(), short);
    let draft = out.say(format!("{name} reports a failure{}", said.unwrap_or_default()));
    if let Some(flag) = result.get("isError") {
        draft.at(flag);
    }
}
