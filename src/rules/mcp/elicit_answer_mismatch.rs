//! `elicit-answer-mismatch`: elicitation answer does not fit the question.

use super::support::{cut, each_answer, form, kind, list, shown};
use crate::mcp::{Method, Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "elicit-answer-mismatch",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::since(Revision::V2025_06_18),
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(check), On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    each_answer(cx, |method, question, answer| {
        if method == Method::Elicit {
            judge(question, answer, out);
        }
    });
}

fn judge(question: Option<Value<'_>>, answer: Value<'_>, out: &mut Out<'_>) {
    let Some(action) = answer.get("action").filter(|a| a.is_string()) else { return };
    let content = answer.get("content").filter(|c| c.is_object());
    let schema = form(question);
    if !action.str_eq("accept") || schema.is_none() {
        let Some(content) = content.filter(|c| !c.is_empty()) else { return };
        let why = if action.str_eq("accept") { "the question was a url" } else { "nothing was accepted" };
        if schema.is_some() || question.is_some_and(|q| q.get("mode").is_some_and(|m| m.str_eq("url"))) {
            out.say(format!("the answer {} has content, although {why}", shown(action)))
                .at(content)
                .expected("no content");
        }
        return;
    }
    let Some(properties) = schema.and_then(|s| s.get("properties")).filter(|p| p.is_object()) else { return };
    let Some(content) = content else {
        if !properties.is_empty() && answer.get("content").is_none() {
            out.say("the form was accepted, and the answer has no content")
                .missing(answer, "content")
                .expected("content");
        }
        return;
    };
    let required = schema.and_then(|s| s.get("required"));
    for name in required.into_iter().flat_map(Value::elements).filter_map(Value::as_str).take(100) {
        if content.get(&name).is_none() {
            out.say(format!("the answer lacks \"{}\", which the form requires", cut(&name))).missing(content, &name);
            return;
        }
    }
    for (key, value) in content.members().take(200) {
        let Some(field) = properties.get(&key.as_str()) else { continue };
        if let Some(expected) = mismatch(field, value) {
            out.say(format!("the field \"{}\" does not fit the form", cut(&key.as_str())))
                .at(value)
                .expected(expected)
                .actual(kind(value));
            return;
        }
    }
}

/// What a field has to be, where the value is not that.
fn mismatch(field: Value<'_>, value: Value<'_>) -> Option<String> {
    let ty = field.get("type").and_then(Value::as_str)?;
    let fits = match ty.as_ref() {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_integer(),
        "boolean" => value.is_bool(),
        "array" => value.is_array(),
        _ => true,
    };
    if !fits {
        return Some(format!("a value of type {}", cut(&ty)));
    }
    let limit = |name: &str| field.get(name).and_then(Value::as_f64);
    if let Some(number) = value.as_f64().filter(|_| value.is_number()) {
        if let Some(min) = limit("minimum").filter(|min| number < *min) {
            return Some(format!("at least {min}"));
        }
        if let Some(max) = limit("maximum").filter(|max| number > *max) {
            return Some(format!("at most {max}"));
        }
    }
    let choices = if value.is_array() { field.get("items") } else { Some(field) };
    let choices: Vec<_> = choices.into_iter().flat_map(choices_of).take(500).collect();
    let unknown = |v: Value<'_>| v.as_str().is_some_and(|v| !choices.contains(&v));
    if !choices.is_empty() && (unknown(value) || value.elements().any(unknown)) {
        let shown: Vec<_> = choices.iter().take(8).map(|c| format!("\"{}\"", cut(c))).collect();
        return Some(format!("one of {}", list(&shown, " or ")));
    }
    if let Some(text) = value.as_str() {
        let length = text.chars().count() as f64;
        if let Some(min) = limit("minLength").filter(|min| length < *min) {
            return Some(format!("at least {min} characters"));
        }
        if let Some(max) = limit("maxLength").filter(|max| length > *max) {
            return Some(format!("at most {max} characters"));
        }
    }
    None
}

/// The values that a field offers: `enum`, or the `const` of `oneOf` and `anyOf`.
fn choices_of<'a>(field: Value<'a>) -> impl Iterator<Item = std::borrow::Cow<'a, str>> {
    let plain = field.get("enum").into_iter().flat_map(Value::elements).filter_map(Value::as_str);
    let titled = ["oneOf", "anyOf"].into_iter().filter_map(move |k| field.get(k)).flat_map(Value::elements);
    plain.chain(titled.filter_map(|c| c.get("const")).filter_map(Value::as_str))
}
