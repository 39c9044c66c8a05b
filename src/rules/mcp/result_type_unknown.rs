//! `result-type-unknown`: unknown resultType.

use super::support::{declared, modern_result, shown};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "result-type-unknown",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((_, result)) = modern_result(cx) else { return };
    let Some(ty) = result.get("resultType") else { return };
    if ty.str_eq("complete") || ty.str_eq("input_required") {
        return;
    }
    let extensions = declared(cx.request_params()).and_then(|c| c.get("extensions")).filter(|e| e.is_object());
    let tasks = extensions.is_some_and(|e| e.get(TASKS_EXTENSION).is_some());
    if ty.str_eq("task") {
        // The tasks extension's own examples put it on its own methods too.
        let own = cx.request().and_then(|o| o.method).is_some_and(|m| m.name().starts_with("tasks/"));
        if !tasks && !own {
            out.say("the result is a task, and the request did not declare the tasks extension")
                .at(ty)
                .expected(format!("{TASKS_EXTENSION} in clientCapabilities.extensions, or a complete result"))
                .actual(shown(ty));
        }
        return;
    }
    let others = extensions.is_some_and(|e| e.members().any(|(k, _)| !k.eq(TASKS_EXTENSION) && !k.eq(UI_EXTENSION)));
    if ty.is_string() && others {
        out.not_judged("the value may belong to an extension that is not known here");
        return;
    }
    let draft = out.say(format!("resultType is {}", shown(ty)));
    draft.at(ty).expected("\"complete\" or \"input_required\"").actual(shown(ty));
}

const TASKS_EXTENSION: &str = crate::mcp::methods::TASKS_EXTENSION;
const UI_EXTENSION: &str = crate::mcp::methods::UI_EXTENSION;
