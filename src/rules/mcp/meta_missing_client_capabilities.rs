//! `meta-missing-client-capabilities`: _meta lacks clientCapabilities.

use super::support::{cut, from_client};
use crate::mcp::{Method, Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "meta-missing-client-capabilities",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    if cx.meta_is_known() {
        return;
    }
    let Some(message) = from_client(cx).filter(|m| !m.is(Method::Initialize)) else { return };
    let Some(meta) = message.env.params_meta().filter(|m| m.is_object()) else { return };
    if meta.get(meta::CLIENT_CAPABILITIES).is_some() {
        return;
    }
    if meta.get(meta::PROTOCOL_VERSION).is_some() || meta.get(meta::CLIENT_INFO).is_some() {
        out.say(format!("_meta of {} has no clientCapabilities", cut(&message.method_name().unwrap_or_default())))
            .missing(meta, meta::CLIENT_CAPABILITIES)
            .expected("an object, {} if the client has none of the optional features");
    }
}
