//! `lsp-framing`: a Content-Length header stands on the wire.

use crate::mcp::Revisions;
use crate::rules::TextClass;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "lsp-framing",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Stdio,
    report: Report::Once,
    tier: 1,
    hooks: &[On::Text(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    if cx.text.is_some_and(|t| t.class == TextClass::LspHeader) {
        out.say("messages are framed with Content-Length headers, as language servers do it")
            .expected("one JSON message a line, without headers");
    }
}
