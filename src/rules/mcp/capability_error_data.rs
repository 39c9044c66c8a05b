//! `capability-error-data`: -32021 without the missing capabilities.

use super::support::{declared, from_server, kind};
use crate::mcp::{Revisions, errors};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "capability-error-data",
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
    if message.env.error_code() != Some(errors::MISSING_CLIENT_CAPABILITY) {
        return;
    }
    let Some(error) = message.env.error else { return };
    let data = error.get("data");
    let required = data.and_then(|d| d.get("requiredCapabilities"));
    let wanted = "an object like clientCapabilities that names what is missing";
    match required {
        None => {
            let holder = data.filter(|d| d.is_object());
            let draft = out.say("the error does not say which client capability is required");
            draft.expected(format!("data.requiredCapabilities, {wanted}"));
            match holder {
                Some(data) => draft.missing(data, "requiredCapabilities"),
                None => draft.missing(error, "data"),
            };
        }
        Some(value) if !value.is_object() || value.is_empty() => {
            let what = if value.is_object() { "an empty object" } else { kind(value) };
            out.say(format!("requiredCapabilities is {what}")).at(value).expected(wanted).actual(what);
        }
        Some(value) => {
            let declared = declared(cx.request_params());
            if declared.is_some_and(|declared| !lacks(value, declared, 0)) {
                out.say("requiredCapabilities names nothing but what the request declared")
                    .at(value)
                    .expected("a capability that the request did not declare");
            }
        }
    }
}

/// Whether something required is not declared. An empty `elicitation` declares the form.
fn lacks(required: Value<'_>, declared: Value<'_>, depth: u32) -> bool {
    required.members().any(|(key, value)| {
        let key = key.as_str();
        match declared.get(&key) {
            None => !(depth == 1 && key == "form" && declared.is_empty()),
            Some(have) if have.is_null() || have.as_bool() == Some(false) => true,
            Some(have) => depth < 4 && value.is_object() && have.is_object() && lacks(value, have, depth + 1),
        }
    })
}
