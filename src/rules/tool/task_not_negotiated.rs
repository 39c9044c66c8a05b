//! `task-not-negotiated`: a task is returned to a client that cannot read it.

use crate::mcp::Revisions;
use crate::mcp::methods::TASKS_EXTENSION;
use crate::mcp::{Method, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "task-not-negotiated",
    layer: Layer::Tool,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(result) = cx.msg().filter(|m| m.dir == Dir::S2c).and_then(|m| m.result()) else { return };
    let Some(kind) = result.get("resultType").filter(|t| t.str_eq("task")) else { return };
    let Some(open) = cx.open else { return };
    // Two examples of the extension's text show this for tasks/get.
    let own = matches!(open.method, Some(Method::TasksGet | Method::TasksUpdate | Method::TasksCancel));
    if own {
        return;
    }
    let declared = cx
        .request_envelope()
        .and_then(|e| e.params_meta())
        .and_then(|m| m.get(meta::CLIENT_CAPABILITIES))
        .and_then(|c| c.path(&["extensions", TASKS_EXTENSION]))
        .is_some();
    let why = match (declared, open.method) {
        (false, _) => "the request did not declare the tasks extension",
        (true, Some(Method::ToolsCall)) => return,
        (true, _) => "only tools/call may return a task",
    };
    out.say(format!("a task was returned, but {why}")).at(kind).expected("\"complete\"").actual("\"task\"");
}
