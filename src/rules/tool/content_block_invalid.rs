//! `content-block-invalid`: a content block has an unknown type or lacks a field.

use super::blocks::{self, Place, TYPES};
use crate::mcp::Revisions;
use crate::rules::show::{self, quoted};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "content-block-invalid",
    layer: Layer::Tool,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Message(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg() else { return };
    blocks::each(cx, message, |block, place| judge(cx, block, place, out));
}

fn judge(cx: &Cx<'_>, block: Value<'_>, place: Place, out: &mut Out<'_>) {
    if !block.is_object() {
        out.say("a content block is no object").at(block).expected("object").actual(show::value(block));
        return;
    }
    let Some(kind) = block.get("type") else {
        out.say("a content block has no type").missing(block, "type").expected("type");
        return;
    };
    let known = TYPES.iter().find(|t| kind.str_eq(t.0) && (t.2 == Place::Content || place == Place::Sampling));
    let Some((name, since, _, needs)) = known.filter(|t| cx.revision >= t.1) else {
        let names: Vec<&str> =
            TYPES.iter().filter(|t| cx.revision >= t.1 && t.2 == Place::Content).map(|t| t.0).collect();
        let later = known.map(|t| format!(", which exists since {}", t.1)).unwrap_or_default();
        out.say(format!("a content block has the type {}{later}", show::value(kind)))
            .at(kind)
            .expected(names.join(", "))
            .actual(show::value(kind));
        return;
    };
    let _ = since;
    for need in *needs {
        let object = matches!(*need, "resource" | "input");
        match block.get(need) {
            None => {
                out.say(format!("a {name} block has no {need}")).missing(block, need).expected(*need);
            }
            Some(v) if object && !v.is_object() => {
                out.say(format!("{need} of a {name} block is no object"))
                    .at(v)
                    .expected("object")
                    .actual(show::value(v));
            }
            Some(v) if !object && *need != "content" && !v.is_string() => {
                out.say(format!("{need} of a {name} block is no string"))
                    .at(v)
                    .expected("string")
                    .actual(show::value(v));
            }
            Some(v) if *need == "resource" => resource(v, out),
            Some(_) => {}
        }
    }
}

fn resource(resource: Value<'_>, out: &mut Out<'_>) {
    if resource.get("uri").is_none_or(|u| !u.is_string()) {
        out.say("an embedded resource has no uri").missing(resource, "uri").expected("a uri");
    }
    if resource.get("text").is_none() && resource.get("blob").is_none() {
        let uri = resource.get("uri").and_then(Value::as_str).map(|u| quoted(&u)).unwrap_or_default();
        out.say(format!("an embedded resource {uri} has neither text nor blob")).at(resource).expected("text or blob");
    }
}
