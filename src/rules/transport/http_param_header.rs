//! `http-param-header`: Mcp-Param-* is missing or is not the argument that it mirrors.

use crate::mcp::Revisions;
use crate::mcp::{Method, headers, param_headers};
use crate::rules::show::{self, short};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::{Dir, HttpKind};
use crate::wire::json::Document;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-param-header",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::MODERN,
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::C2s && m.is(Method::ToolsCall)) else { return };
    let Some(http) = cx.http.filter(|h| h.kind == HttpKind::Request) else { return };
    let (Some(params), Some(name)) = (message.params(), message.target()) else { return };
    let Some(schema) = cx.session.lists.tools.find(&name).and_then(|t| t.input_schema()) else { return };
    if memchr::memmem::find(schema, headers::ANNOTATION.as_bytes()).is_none()
        || cx.session.lists.tools.changed.is_some()
    {
        return;
    }
    let schema = Document::new(Box::<[u8]>::from(schema));
    let Some(root) = schema.doc().root() else { return };
    let annotations = param_headers::annotations(root);
    if !annotations.faults.is_empty() || annotations.cut {
        return; // HTTP clients drop such a tool: `x-mcp-header-invalid` says it
    }
    for mirrored in &annotations.headers {
        let header = format!("Mcp-Param-{}", mirrored.name);
        let sent = http.header(&header);
        let argument = params.get("arguments").and_then(|a| mirrored.argument(a));
        match (argument, sent) {
            (None, None) => {}
            (None, Some(sent)) => {
                out.say(format!("{} is sent, but the call has no such argument", short(&header)))
                    .missing(params, "arguments")
                    .expected("no header")
                    .actual(short(sent));
            }
            (Some(value), None) => {
                out.say(format!("the argument {} needs the header {}", value.pointer(), short(&header)))
                    .at(value)
                    .expected(format!("{}: {}", short(&header), show::value(value)))
                    .actual("missing");
            }
            (Some(value), Some(sent)) => match headers::decode(sent) {
                Ok(text) if !mirrored.matches(value, &text) => {
                    out.say(format!("{} is {}, the argument {}", short(&header), short(&text), show::value(value)))
                        .at(value)
                        .expected(show::value(value))
                        .actual(short(&text));
                }
                _ => {}
            },
        }
    }
}

/// Whether the wire showed the definition of a tool, so that its headers could be judged.
pub(super) fn definition_seen(cx: &Cx<'_>, tool: Option<&str>) -> bool {
    let tools = &cx.session.lists.tools;
    tools.changed.is_none() && tool.is_some_and(|t| tools.find(t).is_some())
}
