//! `error-code-retired`: the code was retired in 2026-07-28.

use super::code_of;
use crate::mcp::Revisions;
use crate::mcp::errors;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "error-code-retired",
    layer: Layer::JsonRpc,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((value, code)) = code_of(cx) else { return };
    let instead = match code {
        errors::RESOURCE_NOT_FOUND => "-32602",
        errors::URL_ELICITATION_REQUIRED => "an input_required result with a URL elicitation",
        _ => return,
    };
    out.say(format!("code {code} was retired in 2026-07-28")).at(value).expected(instead).actual(code.to_string());
}
