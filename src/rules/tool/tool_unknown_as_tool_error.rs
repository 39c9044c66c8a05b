//! `tool-unknown-as-tool-error`: an unknown tool is reported as a failure of the tool.

use super::calls;
use crate::mcp::Revisions;
use crate::rules::show::{has, short};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "tool-unknown-as-tool-error",
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
    let (Some(open), Some(result)) = (calls::call(cx), calls::outcome(cx)) else { return };
    let Some(text) = calls::first_text(result).filter(|_| calls::is_error(result)) else { return };
    let Some(said) = text.as_str() else { return };
    let name = open.target.as_deref().unwrap_or_default();
    if cx.session.lists.tools.find(name).is_some() {
        return;
    }
    let unlisted = cx.store.fired(open.record, "tool-unknown");
    let names_it = !name.is_empty() && has(&said, name);
    let unknown = has(&said, "unknown tool")
        || has(&said, "tool not found")
        || has(&said, "no such tool")
        || names_it && has(&said, "tool") && has(&said, "not found")
        || unlisted && (has(&said, "not found") || has(&said, "unknown") || has(&said, "does not exist"));
    if unknown {
        out.say(format!("an unknown tool was reported with isError: {}", short(&said)))
            .at(text)
            .expected("error -32602")
            .actual("isError: true");
    }
}
