//! `http-version-header-mismatch`: the MCP-Protocol-Version header is not the version of the message.

use crate::mcp::{Method, headers, meta};
use crate::mcp::{Revision, Revisions};
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::{Dir, HttpKind};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-version-header-mismatch",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[(Revision::V2025_06_18, Severity::Warning), (Revision::V2025_11_25, Severity::Warning)],
    owner: Owner::Client,
    revisions: Revisions::since(Revision::V2025_06_18),
    wire: Wire::Http,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Http(legacy), On::Request(modern)],
};

fn modern(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::C2s && m.revision().is_modern()) else { return };
    let Some(header) = cx.http.and_then(|h| h.header(headers::PROTOCOL_VERSION)).map(str::trim) else { return };
    let Some(body) = message.env.params_meta().and_then(|m| m.get(meta::PROTOCOL_VERSION)) else { return };
    if !body.is_string() || body.str_eq(header) {
        return;
    }
    let version = body.as_str().unwrap_or_default();
    out.say(format!("the header says {}, the message {}", short(header), short(&version)))
        .at(body)
        .expected(short(&version))
        .actual(short(header));
}

fn legacy(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Request) else { return };
    if cx.revision.is_modern() || stream.two_endpoints || !stream.before.posted {
        return;
    }
    let Some(header) = http.header(headers::PROTOCOL_VERSION).map(str::trim) else { return };
    let Some(agreed) = cx.session.handshake.agreed.as_deref().filter(|a| *a != header) else { return };
    let text = cx.text.and_then(|t| t.doc.root()).and_then(|r| r.get("method")).and_then(Value::as_str);
    if text.as_deref() == Some(Method::Initialize.name()) {
        return;
    }
    out.say(format!("the header says {}, initialize agreed on {}", short(header), short(agreed)))
        .expected(short(agreed))
        .actual(short(header));
}
