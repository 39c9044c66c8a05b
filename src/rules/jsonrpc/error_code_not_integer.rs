//! `error-code-not-integer`: the code of an error is no integer.

use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "error-code-not-integer",
    layer: Layer::JsonRpc,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(code) = cx.msg().and_then(|m| m.env.error?.get("code")) else { return };
    if !code.is_integer() && !code.is_open() {
        let actual = cut(&code.raw_str(), 60);
        out.say(format!("the error code {actual} is no integer")).at(code).expected("an integer").actual(actual);
    }
}
