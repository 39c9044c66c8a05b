//! `init-server-request-early`: server request before initialized.

use super::support::{cut, from_server, is_mixed};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "init-server-request-early",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::LEGACY,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx).filter(|m| !m.is(Method::Ping)) else { return };
    let handshake = &cx.session.handshake;
    if handshake.request.is_some() && handshake.initialized.is_none() && !cx.session.gap && !is_mixed(cx) {
        let name = message.method_name().unwrap_or_default();
        out.say(format!("the server sent {} before notifications/initialized came", cut(&name)))
            .expected("nothing but ping and log messages");
    }
}
