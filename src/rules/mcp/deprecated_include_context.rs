//! `deprecated-include-context`: includeContext value is deprecated.

use super::support::{each_input, from_server, shown};
use crate::mcp::{Method, Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "deprecated-include-context",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_11_25),
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Request(check), On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    each_input(message, |method, params| {
        let Some(context) = params.and_then(|p| p.get("includeContext")) else { return };
        if method == Method::CreateMessage && (context.str_eq("thisServer") || context.str_eq("allServers")) {
            out.say(format!("includeContext is {}", shown(context)))
                .at(context)
                .expected("no includeContext")
                .actual(shown(context));
        }
    });
}
