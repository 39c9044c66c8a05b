//! `batch-refused`: the server answered an array with one error.

use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::How;
use crate::trace::why::place;
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "batch-refused",
    layer: Layer::JsonRpc,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::of(&[Revision::V2025_03_26]),
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(answer) = cx.answer().filter(|a| a.how == How::Batch && cx.dir == Dir::S2c) else { return };
    let Some(first) = answer.exchange.and_then(|e| cx.store.exchanges.get(e as usize)) else { return };
    let count = cx.session.batch[0].len();
    let code = cx.msg().and_then(|m| m.env.error_code());
    let code = code.map(|c| format!(" {c}")).unwrap_or_default();
    let there = place(cx.store, first.request);
    out.say(format!("the array of {there} with {count} requests was answered with one error{code}"))
        .expected("an answer to each request of the array");
}
