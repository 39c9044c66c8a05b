//! `tool-error-text`: a result reads like a failure, and isError is not set.

use super::calls;
use crate::mcp::Revisions;
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "tool-error-text",
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
    let Some(result) = calls::outcome(cx).filter(|r| !calls::is_error(*r)) else { return };
    let Some(text) = calls::first_text(result) else { return };
    let Some(said) = text.as_str() else { return };
    let said = said.trim_start();
    let begins = |prefix: &String| {
        let head = said.get(..prefix.len()).filter(|h| h.eq_ignore_ascii_case(prefix));
        // "exceptional" is no "exception".
        let word = prefix.ends_with(|c: char| c.is_ascii_alphanumeric());
        head.is_some() && !(word && said[prefix.len()..].starts_with(|c: char| c.is_alphanumeric()))
    };
    if cx.options.error_prefixes.iter().any(begins) {
        out.say(format!("the text reads like a failure, isError is not set: {}", short(said)))
            .at(text)
            .expected("isError: true, if it failed");
    }
}
