//! `version-unknown`: protocol version is not a known revision.

use super::support::{from_client, from_server, nearest, shown};
use crate::mcp::{Method, Revision, Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "version-unknown",
    layer: Layer::Mcp,
    severity: Severity::Warning,
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
    let offered = message.params().filter(|_| message.is(Method::Initialize)).and_then(|p| p.get("protocolVersion"));
    let named = message.env.params_meta().and_then(|m| m.get(meta::PROTOCOL_VERSION));
    for version in [offered, named].into_iter().flatten() {
        judge(version, "the client uses", out);
    }
}

fn result(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    if cx.request().is_some_and(|o| o.method == Some(Method::Initialize))
        && let Some(version) = message.result().and_then(|r| r.get("protocolVersion"))
    {
        judge(version, "the server agrees to", out);
    }
}

fn judge(version: Value<'_>, who: &str, out: &mut Out<'_>) {
    let Some(text) = version.as_str() else { return };
    if Revision::parse(&text).is_some() {
        return;
    }
    let later = crate::mcp::revision::is_date(&text) && text.as_ref() > Revision::NEWEST.as_str();
    let draft = out.say(format!("{who} version {}, which is no published revision known here", shown(version)));
    draft.at(version).actual(shown(version));
    if later {
        draft.severity(Severity::Info);
    } else {
        let near = nearest(&text, Revision::ALL.iter().map(|r| r.as_str()));
        draft.expected(near.unwrap_or(Revision::NEWEST.as_str()));
    }
}
