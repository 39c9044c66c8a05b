//! `http-version-header-missing`: a request lacks the MCP-Protocol-Version header.

use crate::mcp::{Method, headers};
use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-version-header-missing",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::since(Revision::V2025_06_18),
    wire: Wire::Http,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Request) else { return };
    if stream.two_endpoints || http.header(headers::PROTOCOL_VERSION).is_some() {
        return;
    }
    let post = stream.is_method("POST") && stream.before.posted;
    let version = if cx.revision.is_modern() {
        if !post {
            return;
        }
        cx.revision.as_str()
    } else {
        let listens = stream.before.posted && (stream.is_method("GET") || stream.is_method("DELETE"));
        let Some(agreed) = cx.session.handshake.agreed.as_deref() else { return };
        let initialize = cx.this().and_then(|r| cx.store.name(r.method)) == Some(Method::Initialize.name());
        if !(post || listens) || initialize {
            return;
        }
        agreed
    };
    out.say("the request has no MCP-Protocol-Version header").expected(version).actual("missing");
}
