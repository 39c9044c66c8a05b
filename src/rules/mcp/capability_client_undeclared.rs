//! `capability-client-undeclared`: client did not announce this feature.

use super::support::from_server;
use crate::mcp::{Method, Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "capability-client-undeclared",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[(Revision::V2024_11_05, Severity::Warning), (Revision::V2025_03_26, Severity::Warning)],
    owner: Owner::Server,
    revisions: Revisions::LEGACY,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    let Some(caps) = &cx.session.client_caps else { return };
    let Some(method) = message.method.filter(|m| m.is_in(message.revision())) else { return };
    if !method.way(message.revision()).allows_dir(Dir::S2c) {
        return;
    }
    let Some(needs) = method.needs(message.revision()) else { return };
    let params = message.params();
    let sub = message.revision() >= Revision::V2025_11_25;
    let missing = if !caps.has_path(needs) {
        needs.join(".")
    } else if method == Method::Elicit && sub {
        let url = params.and_then(|p| p.get("mode")).is_some_and(|m| m.str_eq("url"));
        match url {
            true if !caps.has("elicitation.url") => "elicitation.url".to_owned(),
            false if caps.has("elicitation.url") && !caps.has("elicitation.form") => "elicitation.form".to_owned(),
            _ => return,
        }
    } else if method == Method::CreateMessage && sub {
        let tools = params.is_some_and(|p| p.get("tools").is_some() || p.get("toolChoice").is_some());
        match tools && !caps.has("sampling.tools") {
            true => "sampling.tools".to_owned(),
            false => return,
        }
    } else {
        return;
    };
    out.say(format!("{} needs the client capability {missing}, which the client did not declare", method.name()))
        .expected(format!("{missing} in the capabilities of initialize"))
        .actual("not declared");
}
