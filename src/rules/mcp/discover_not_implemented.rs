//! `discover-not-implemented`: modern server lacks server/discover.

use super::support::from_server;
use crate::mcp::{Method, Revisions, errors};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::Probe;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "discover-not-implemented",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Result(modern_answer), On::Error(refusal)],
};

/// The refusal came first; this result proves that the server is a modern one.
fn modern_answer(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(refused) = cx.session.probe.discover_refused else { return };
    if from_server(cx).is_some_and(Probe::is_modern_result) {
        say(out).on(refused);
    }
}

/// The server is known to be modern, and refuses.
fn refusal(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    let discover = cx.request().is_some_and(|o| o.method == Some(Method::Discover));
    if discover && message.env.error_code() == Some(errors::METHOD_NOT_FOUND) && cx.session.probe.modern_result {
        say(out);
    }
}

fn say<'a>(out: &'a mut Out<'_>) -> &'a mut crate::rules::Draft {
    out.say("the server answers requests of 2026-07-28, and does not know server/discover")
        .pointer("/error/code")
        .expected("a result with supportedVersions and capabilities")
        .actual("-32601")
}
