//! `version-wrong-era`: version from the other era.

use super::support::{from_client, from_server, shown};
use crate::mcp::{Method, Revision, Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "version-wrong-era",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(request), On::Result(result)],
};

fn request(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_client(cx) else { return };
    if message.is(Method::Initialize) {
        let version = message.params().and_then(|p| p.get("protocolVersion"));
        if let Some((value, revision)) = version.and_then(known).filter(|(_, r)| r.is_modern()) {
            out.say(format!("initialize asks for {revision}, which has no initialize"))
                .at(value)
                .expected(Revision::NEWEST_LEGACY.as_str())
                .actual(shown(value));
        }
        return;
    }
    let version = message.env.params_meta().and_then(|m| m.get(meta::PROTOCOL_VERSION));
    if let Some((value, revision)) = version.and_then(known).filter(|(_, r)| !r.is_modern()) {
        out.say(format!("_meta names {revision}, which has no version in _meta"))
            .at(value)
            .expected(Revision::NEWEST.as_str())
            .actual(shown(value));
    }
}

fn result(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    if cx.request().is_none_or(|o| o.method != Some(Method::Initialize)) {
        return;
    }
    let version = message.result().and_then(|r| r.get("protocolVersion"));
    if let Some((value, revision)) = version.and_then(known).filter(|(_, r)| r.is_modern()) {
        out.say(format!("the server agrees to {revision} in initialize, which that revision does not have"))
            .at(value)
            .expected(Revision::NEWEST_LEGACY.as_str())
            .actual(shown(value));
    }
}

fn known(value: Value<'_>) -> Option<(Value<'_>, Revision)> {
    Some((value, Revision::parse(&value.as_str()?)?))
}
