//! `meta-missing-client-info`: _meta lacks clientInfo.

use super::support::from_client;
use crate::mcp::{Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "meta-missing-client-info",
    layer: Layer::Mcp,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Once,
    tier: 2,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    if cx.meta_is_known() {
        return;
    }
    let Some(message) = from_client(cx) else { return };
    let Some(meta) = message.env.params_meta().filter(|m| m.is_object()) else { return };
    let modern = meta.get(meta::PROTOCOL_VERSION).is_some() || meta.get(meta::CLIENT_CAPABILITIES).is_some();
    if modern && meta.get(meta::CLIENT_INFO).is_none() {
        out.say("the client does not name itself in _meta")
            .missing(meta, meta::CLIENT_INFO)
            .expected("an object with name and version");
    }
}
