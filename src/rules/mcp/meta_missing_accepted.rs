//! `meta-missing-accepted`: server accepted a request without required _meta.

use super::support::{modern_result, request_lacked_meta};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::Probe;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "meta-missing-accepted",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((message, _)) = modern_result(cx) else { return };
    // An older server, which knows nothing of it, does not write such results.
    if Probe::is_modern_result(message) && request_lacked_meta(cx) {
        out.say("the server answers a request that lacks a required field of _meta")
            .pointer("/result")
            .expected("error -32602")
            .actual("a result");
    }
}
