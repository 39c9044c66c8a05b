//! `meta-missing`: _meta is missing.

use super::support::{cut, from_client};
use crate::mcp::{Method, Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "meta-missing",
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
    let Some(message) = from_client(cx).filter(|m| !m.is(Method::Initialize)) else { return };
    let meta = message.env.params_meta().filter(|m| !m.is_null());
    // With some of the keys there, the rules for those that are missing say more.
    let any = |m: Value<'_>| {
        [meta::PROTOCOL_VERSION, meta::CLIENT_CAPABILITIES, meta::CLIENT_INFO].iter().any(|k| m.get(k).is_some())
    };
    if meta.is_some_and(|m| !m.is_object() || any(m)) {
        return;
    }
    let name = message.method_name().unwrap_or_default();
    let what = if meta.is_some() { "neither protocol version nor client capabilities in _meta" } else { "no _meta" };
    let draft = out.say(format!("{} has {what}", cut(&name)));
    draft.expected("_meta with protocolVersion and clientCapabilities").actual("missing");
    match (meta, message.params()) {
        (Some(meta), _) => draft.at(meta),
        (None, Some(params)) if params.is_object() => draft.missing(params, "_meta"),
        _ => draft.pointer("/params"),
    };
}
