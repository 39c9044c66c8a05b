//! `init-version-downgraded`: another version was agreed.

use super::support::{cut, from_server, shown};
use crate::mcp::{Method, Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "init-version-downgraded",
    layer: Layer::Mcp,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::LEGACY,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    if cx.request().is_none_or(|o| o.method != Some(Method::Initialize)) {
        return;
    }
    let Some(agreed) = message.result().and_then(|r| r.get("protocolVersion")) else { return };
    let (Some(text), Some(asked)) = (agreed.as_str(), cx.session.handshake.requested.as_deref()) else { return };
    // A version that has no handshake is another matter: `version-wrong-era`.
    let modern = Revision::parse(&text).is_some_and(Revision::is_modern);
    if text != asked && !modern {
        out.say(format!("the client asked for \"{}\", the server offers \"{}\"", cut(asked), cut(&text)))
            .at(agreed)
            .actual(shown(agreed));
    }
}
