//! `input-never-retried`: input was asked for, no retry followed.

use super::support::cut;
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "input-never-retried",
    layer: Layer::Mcp,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::End(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    if cx.session.gap {
        return;
    }
    for waiting in cx.session.waiting.iter().filter(|w| w.retried_by.is_none()) {
        let what = waiting.method.map_or("the request", Method::name);
        let of = waiting.target.as_deref().map(|t| format!(" of \"{}\"", cut(t))).unwrap_or_default();
        out.say(format!("{what}{of} ended with a question, and no retry followed")).on(waiting.record);
    }
}
