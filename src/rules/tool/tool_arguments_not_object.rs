//! `tool-arguments-not-object`: arguments is not an object.

use crate::mcp::Method;
use crate::mcp::Revisions;
use crate::rules::show;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;
use crate::wire::json::{Document, Kind};

/// See the module.
pub static RULE: Rule = Rule {
    id: "tool-arguments-not-object",
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

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::C2s && m.is(Method::ToolsCall)) else { return };
    let Some(arguments) = message.params().and_then(|p| p.get("arguments")) else { return };
    let what = match arguments.kind() {
        Kind::Object => return,
        Kind::Null => "null; leave it out where there are none",
        Kind::Array => "an array",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => {
            let text = arguments.as_str().unwrap_or_default();
            let inner = Document::new(Box::<[u8]>::from(text.as_bytes()));
            let json = inner.doc().root().filter(|r| r.is_object() && inner.doc().faults().syntax.is_none());
            if let Some(json) = json {
                out.say(format!("arguments is a string that holds the JSON object {}", show::value(json)))
                    .at(arguments)
                    .expected(show::value(json))
                    .actual(show::value(arguments));
                return;
            }
            "a string"
        }
    };
    out.say(format!("arguments is {what}")).at(arguments).expected("object").actual(show::value(arguments));
}
