//! `http-header-refused-wrongly`: -32020 although every mirrored header is right.

use super::mirror;
use crate::mcp::Revisions;
use crate::mcp::{Method, errors, headers};
use crate::rules::show::{has, short};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-header-refused-wrongly",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Http,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::S2c) else { return };
    let Some(open) = cx.open.filter(|_| message.env.error_code() == Some(errors::HEADER_MISMATCH)) else { return };
    if mirror::RULES.iter().any(|r| cx.store.fired(open.record, r)) {
        return;
    }
    let text = message.env.error_message().unwrap_or_default();
    let named = [headers::METHOD, headers::NAME, headers::PROTOCOL_VERSION].iter().any(|h| has(&text, h));
    let param = has(&text, headers::PARAM_PREFIX);
    let seen =
        open.method != Some(Method::ToolsCall) || super::http_param_header::definition_seen(cx, open.target.as_deref());
    if seen || named && !param {
        out.say(format!("-32020 ({}), but all mirrored headers equal the body", short(&text)))
            .pointer("/error/code")
            .expected("the request is served");
    }
}
