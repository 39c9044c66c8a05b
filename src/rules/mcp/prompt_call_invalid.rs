//! `prompt-call-invalid`: unknown prompt or missing argument.

use super::support::{cut, from_client, kind, nearest, shown};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::{Document, Value};

/// See the module.
pub static RULE: Rule = Rule {
    id: "prompt-call-invalid",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_client(cx).filter(|m| m.is(Method::PromptsGet)) else { return };
    let Some(params) = message.params() else { return };
    let arguments = params.get("arguments").filter(|a| a.is_object());
    let wrong = arguments.into_iter().flat_map(Value::members).find(|(_, v)| !v.is_string());
    if let Some((key, value)) = wrong {
        out.say(format!("the argument \"{}\" is {}", cut(&key.as_str()), kind(value)))
            .at(value)
            .expected("a string")
            .actual(kind(value));
        return;
    }
    let prompts = &cx.session.lists.prompts;
    let Some(name) = params.get("name").filter(|_| prompts.is_known()) else { return };
    let Some(text) = name.as_str() else { return };
    let Some(prompt) = prompts.find(&text) else {
        if prompts.is_settled() {
            let draft = out.say(format!("the list has no prompt {}", shown(name)));
            draft.at(name).actual(shown(name));
            if let Some(near) = nearest(&text, prompts.names()) {
                draft.expected(format!("\"{}\"", cut(near)));
            }
        }
        return;
    };
    if prompts.changed.is_some() {
        return;
    }
    let definition = Document::new(prompt.definition.as_ref());
    let declared = definition.doc().root().and_then(|d| d.get("arguments"));
    for argument in declared.into_iter().flat_map(Value::elements).take(200) {
        let required = argument.get("required").and_then(Value::as_bool) == Some(true);
        let Some(needed) = argument.get("name").and_then(Value::as_str).filter(|_| required) else { continue };
        if arguments.is_none_or(|a| a.get(&needed).is_none()) {
            let draft = out.say(format!("the prompt {} needs the argument \"{}\"", shown(name), cut(&needed)));
            match arguments {
                Some(arguments) => draft.missing(arguments, &needed),
                None => draft.missing(params, "arguments"),
            };
            return;
        }
    }
}
