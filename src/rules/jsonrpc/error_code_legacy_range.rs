//! `error-code-legacy-range`: the code is one of -32000 to -32019.

use super::code_of;
use crate::mcp::Revisions;
use crate::mcp::errors;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "error-code-legacy-range",
    layer: Layer::JsonRpc,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((value, code)) = code_of(cx) else { return };
    if (-32019..=-32000).contains(&code) && code != errors::RESOURCE_NOT_FOUND {
        let meant = match errors::class(code, cx.revision) {
            errors::Class::Draft(now) => format!("; a draft used it for what is now {now}"),
            _ => String::new(),
        };
        out.say(format!("code {code} is in the legacy range -32000 to -32019, where no code has a meaning{meant}"))
            .at(value)
            .expected("a standard code, or one outside -32768 to -32000")
            .actual(code.to_string());
    }
}
