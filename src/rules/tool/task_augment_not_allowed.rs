//! `task-augment-not-allowed`: a call carries task and may not, or has to and does not.

use crate::mcp::Method;
use crate::mcp::{Revision, Revisions};
use crate::rules::show::quoted;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;
use crate::wire::json::{Document, Value};

/// See the module.
pub static RULE: Rule = Rule {
    id: "task-augment-not-allowed",
    layer: Layer::Tool,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::of(&[Revision::V2025_11_25]),
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::C2s && m.is(Method::ToolsCall)) else { return };
    let (Some(params), Some(name)) = (message.params(), message.target()) else { return };
    let task = params.get("task").filter(|t| !t.is_null());
    if let Some(task) = task {
        let capable = cx.session.server_caps.as_ref().is_none_or(|c| c.has("tasks.requests.tools.call"));
        if !capable {
            out.say("the call carries task, but the server has not declared tasks.requests.tools.call")
                .at(task)
                .expected("no task");
            return;
        }
    }
    let tools = &cx.session.lists.tools;
    let Some(tool) = tools.find(&name).filter(|_| tools.changed.is_none()) else { return };
    let definition = Document::new(Box::<[u8]>::from(&*tool.definition));
    let support = definition.doc().root().and_then(|d| d.path(&["execution", "taskSupport"])).and_then(Value::as_str);
    match (task, support.as_deref()) {
        (Some(task), None | Some("forbidden")) => {
            let says = support.as_deref().map_or("has no taskSupport", |_| "forbids it");
            out.say(format!("the call carries task, but {} {says}", quoted(&name))).at(task).expected("no task");
        }
        (None, Some("required")) => {
            out.say(format!("{} takes calls with task only", quoted(&name))).missing(params, "task").expected("task");
        }
        _ => {}
    }
}
