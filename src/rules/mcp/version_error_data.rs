//! `version-error-data`: -32022 without the supported versions.

use super::support::{from_server, shown};
use crate::mcp::{Revisions, errors};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "version-error-data",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    if message.env.error_code() != Some(errors::UNSUPPORTED_VERSION) {
        return;
    }
    let Some(error) = message.env.error else { return };
    let Some(data) = error.get("data").filter(|d| d.is_object()) else {
        out.say("the error does not say which versions the server speaks")
            .missing(error, "data")
            .expected("data with supported and requested");
        return;
    };
    let supported = data.get("supported");
    let list = supported.filter(|s| s.is_array() && !s.is_empty() && s.elements().all(Value::is_string));
    let Some(list) = list else {
        let draft = out.say("data.supported is not a list of versions");
        draft.expected("an array of versions");
        match supported {
            Some(value) => draft.at(value).actual(shown(value)),
            None => draft.missing(data, "supported"),
        };
        return;
    };
    let requested = data.get("requested");
    let Some(requested) = requested.filter(|r| r.is_string()) else {
        let draft = out.say("data.requested does not say which version was asked for");
        draft.expected("the version of the request");
        match requested {
            Some(value) => draft.at(value).actual(shown(value)),
            None => draft.missing(data, "requested"),
        };
        return;
    };
    if requested.as_str().is_some_and(|r| list.elements().any(|v| v.str_eq(&r))) {
        out.say(format!("the version {} is refused, and is in the list of supported ones", shown(requested)))
            .at(list)
            .expected("a list without it");
    }
}
