//! `version-not-supported`: version the server does not offer.

use super::support::{cut, from_client, list, shown};
use crate::mcp::{Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "version-not-supported",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_client(cx) else { return };
    let Some(versions) = cx.session.server_versions.as_deref().filter(|v| !v.is_empty()) else { return };
    let Some(version) = message.env.params_meta().and_then(|m| m.get(meta::PROTOCOL_VERSION)) else { return };
    if !version.is_string() || versions.iter().any(|v| version.str_eq(v)) {
        return;
    }
    let named: Vec<_> = versions.iter().take(8).map(|v| cut(v)).collect();
    out.say(format!("the request is in version {}, which the server does not list", shown(version)))
        .at(version)
        .expected(list(&named, " or "))
        .actual(shown(version));
}
