//! `elicit-schema-not-flat`: elicitation schema is not flat.

use super::support::{cut, each_input, form, from_server, kind, shown};
use crate::mcp::{Method, Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "elicit-schema-not-flat",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_06_18),
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(check), On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    each_input(message, |method, params| {
        let Some(schema) = form(params).filter(|_| method == Method::Elicit) else { return };
        if !schema.is_object() {
            return; // a matter of its shape: `params-invalid`
        }
        match schema.get("type") {
            Some(ty) if ty.str_eq("object") => {}
            Some(ty) => {
                out.say(format!("requestedSchema has type {}", shown(ty)))
                    .at(ty)
                    .expected("\"object\"")
                    .actual(shown(ty));
                return;
            }
            None => {
                out.say("requestedSchema has no type").missing(schema, "type").expected("\"object\"");
                return;
            }
        }
        let fields = schema.get("properties").into_iter().flat_map(Value::members).take(1000);
        for (key, field) in fields {
            let Some(why) = fault(field, message.revision()) else { continue };
            out.say(format!("the field \"{}\" {why}", cut(&key.as_str())))
                .at(field)
                .expected("a string, number, integer, boolean or choice");
            return;
        }
    });
}

/// Why a field cannot be shown in a form.
fn fault(field: Value<'_>, revision: Revision) -> Option<String> {
    if !field.is_object() {
        return Some(format!("is {}", kind(field)));
    }
    if field.get("$ref").is_some() {
        return Some("is a $ref".to_owned());
    }
    let choice = field.get("enum").is_some() || field.get("oneOf").is_some();
    let Some(ty) = field.get("type") else {
        return (!choice).then(|| "has no type".to_owned());
    };
    if ty.str_eq("array") && revision >= Revision::V2025_11_25 {
        let items = field.get("items").filter(|i| i.is_object());
        let simple = items.is_some_and(|i| i.get("enum").is_some() || i.get("anyOf").is_some());
        return (!simple).then(|| "is an array of something else than the values of a choice".to_owned());
    }
    let simple = ["string", "number", "integer", "boolean"].iter().any(|t| ty.str_eq(t));
    (!simple).then(|| format!("has type {}", shown(ty)))
}
