//! `tool-arguments-schema`: the arguments violate inputSchema.

use super::calls;
use crate::mcp::Method;
use crate::mcp::Revisions;
use crate::rules::schema::{Verdict, Violation};
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;
use crate::wire::json::{Document, Value};

/// See the module.
pub static RULE: Rule = Rule {
    id: "tool-arguments-schema",
    layer: Layer::Tool,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check)],
};

/// Violations of one call that are reported.
const MAX: usize = 20;

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::C2s && m.is(Method::ToolsCall)) else { return };
    let (Some(params), Some(name)) = (message.params(), message.target()) else { return };
    let tools = &cx.session.lists.tools;
    let (schema, outside) = match tools.find(&name) {
        Some(_) if tools.changed.is_some() => {
            out.not_judged("the list of tools has changed and was not read again");
            return;
        }
        Some(listed) => (listed.input_schema(), None),
        None if tools.is_known() => return,
        None => match cx.options.tools.as_deref() {
            Some(known) => (known.find(&name).and_then(|k| k.input_schema.as_deref()), Some(known.origin.as_str())),
            None => return,
        },
    };
    let Some(schema) = schema else { return };
    let verdict = match params.get("arguments") {
        Some(arguments) if arguments.is_object() => cx.schemas.check(schema, arguments),
        Some(_) => return, // `tool-arguments-not-object` says it
        None => none(cx, schema),
    };
    match verdict {
        Verdict::Valid => {}
        Verdict::NotJudged(why) => out.not_judged(why),
        Verdict::Invalid(found) => {
            for violation in found.iter().take(MAX) {
                say(&name, violation, outside, params, out);
            }
        }
    }
}

fn none(cx: &Cx<'_>, schema: &[u8]) -> Verdict {
    let none = Document::new(Box::<[u8]>::from(calls::NO_ARGUMENTS));
    none.doc().root().map_or(Verdict::Valid, |v| cx.schemas.check(schema, v))
}

fn say(tool: &str, v: &Violation, outside: Option<&str>, params: Value<'_>, out: &mut Out<'_>) {
    let place = if v.pointer.is_empty() { "arguments".to_owned() } else { format!("arguments{}", short(&v.pointer)) };
    let hint = match v.quoted {
        Some("object" | "array") => "; the string holds JSON that was not parsed",
        Some(_) => "; the value was sent as a string",
        None => "",
    };
    let by = outside.map(|o| format!(" (schema from {}, not from this wire)", short(o))).unwrap_or_default();
    let draft = out.say(format!("{}: {place} is {}, expected {}{hint}{by}", short(tool), v.actual, v.expected));
    draft.pointer(format!("{}/arguments{}", params.pointer(), v.pointer));
    draft.expected(v.expected.clone()).actual(v.actual.clone());
    if outside.is_some() {
        draft.severity(Severity::Info);
    }
}
