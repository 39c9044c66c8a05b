//! `version-refusal-code`: version refused with another code than -32022.

use super::support::{cut, from_server, request_lacked_meta, shown};
use crate::mcp::{Method, Revision, Revisions, errors, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "version-refusal-code",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Error(error), On::Http(head)],
};

fn error(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    let Some(open) = cx.request().filter(|o| o.method != Some(Method::Initialize)) else { return };
    let Some(value) = message.env.error.and_then(|e| e.get("code")) else { return };
    if matches!(value.as_i64(), Some(errors::UNSUPPORTED_VERSION | errors::HEADER_MISMATCH | errors::PARSE_ERROR)) {
        return;
    }
    let text = message.env.error_message().unwrap_or_default().to_lowercase();
    let speaks_of_it = text.contains("version")
        && ["unsupported", "not supported", "unknown", "invalid", "bad", "mismatch", "not served", "unrecognized"]
            .iter()
            .any(|w| text.contains(w));
    // A missing version is a matter of `meta-refusal-code`.
    if !speaks_of_it || request_lacked_meta(cx) {
        return;
    }
    let Some(version) = cx.request_params().and_then(|p| p.get("_meta")?.get(meta::PROTOCOL_VERSION)) else { return };
    let name = version.as_str().unwrap_or_default();
    // Some other version may be meant: that of an API behind the server, above all where requests were answered before.
    let meant = text.contains("protocol") || (!name.is_empty() && text.contains(name.to_lowercase().as_str()));
    if !meant || (cx.session.probe.modern_result && Revision::parse(&name).is_some()) {
        return;
    }
    out.say(format!("version {} of request {} is refused with {}", shown(version), cut(&open.id.text), shown(value)))
        .at(value)
        .expected("-32022 with data.supported and data.requested")
        .actual(shown(value));
}

/// A refusal without any JSON-RPC error, of a version that nobody has published.
fn head(cx: &Cx<'_>, out: &mut Out<'_>) {
    let (Some(http), Some(stream)) = (cx.http, cx.stream) else { return };
    let refused = http.kind == HttpKind::Response && http.status.is_some_and(|s| matches!(s, 400 | 422 | 501));
    if !refused || cx.this().is_none_or(|r| r.kind.is_message()) {
        return;
    }
    let Some(version) = stream.request_header(crate::mcp::headers::PROTOCOL_VERSION) else { return };
    let version = version.trim();
    if crate::mcp::revision::is_date(version) && Revision::parse(version).is_none() {
        out.say(format!(
            "version \"{}\" is refused with status {} and no JSON-RPC error",
            cut(version),
            http.status.unwrap_or(0)
        ))
        .expected("-32022 with data.supported and data.requested");
    }
}
