//! `http-header-mismatch-accepted`: the server served a request whose mirrored headers are missing or wrong.

use super::mirror;
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-header-mismatch-accepted",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(open) = cx.open.filter(|_| cx.dir == Dir::S2c) else { return };
    let broken: Vec<&str> = mirror::RULES.iter().copied().filter(|r| cx.store.fired(open.record, r)).collect();
    if broken.is_empty() || cx.stream.and_then(|s| s.status()).is_some_and(|s| s >= 300) {
        return;
    }
    out.say("the server answered a request whose headers contradict its body")
        .expected("status 400 and error -32020")
        .actual("a result");
}
