//! `meta-missing-server-info`: result lacks serverInfo.

use super::support::modern_result;
use crate::mcp::{Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "meta-missing-server-info",
    layer: Layer::Mcp,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Once,
    tier: 2,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    if cx.meta_is_known() {
        return;
    }
    let Some((message, result)) = modern_result(cx) else { return };
    if message.env.result_meta().is_some_and(|m| m.get(meta::SERVER_INFO).is_some()) {
        return;
    }
    out.say("the server does not name itself in _meta")
        .missing(result, "_meta")
        .expected("io.modelcontextprotocol/serverInfo with name and version");
}
