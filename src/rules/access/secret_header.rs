//! `secret-header`: a header holds a credential.

use crate::mcp::Revisions;
use crate::mcp::headers;
use crate::rules::show;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;
use crate::wire::secrets;

/// See the module.
pub static RULE: Rule = Rule {
    id: "secret-header",
    layer: Layer::Access,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Http,
    report: Report::Once,
    tier: 1,
    hooks: &[On::Http(check)],
};

/// A session id so short is a stand-in, as in examples and scrubbed traces.
const MIN_SESSION_ID: usize = 16;

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(http) = cx.http.filter(|h| matches!(h.kind, HttpKind::Request | HttpKind::Response)) else { return };
    let mut names: Vec<&str> = Vec::new();
    for (name, value) in &http.headers {
        let session = name.eq_ignore_ascii_case(headers::SESSION_ID) && value.len() >= MIN_SESSION_ID;
        if (secrets::is_secret_header(name) || session) && !names.contains(&name.as_ref()) {
            names.push(name);
        }
    }
    if !names.is_empty() {
        out.say(format!("the trace holds {}", show::short(&show::list(&names))));
    }
}
