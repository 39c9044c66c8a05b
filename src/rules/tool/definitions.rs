//! The tools of a `tools/list` result, for rules that look at definitions.

use crate::mcp::Method;
use crate::rules::Cx;
use crate::wire::frame::Dir;
use crate::wire::json::Value;

/// The schemas of a tool.
pub(super) const SCHEMAS: [&str; 2] = ["inputSchema", "outputSchema"];

/// The tools of the judged page; none where it is no page of tools.
pub(super) fn tools<'a>(cx: &Cx<'a>) -> impl Iterator<Item = Value<'a>> + use<'a> {
    let asked = cx.open.is_some_and(|o| o.method == Some(Method::ToolsList));
    let result = cx.msg().filter(|m| m.dir == Dir::S2c && asked).and_then(|m| m.result());
    result.and_then(|r| r.get("tools")).into_iter().flat_map(Value::elements).filter(|t| t.is_object())
}

/// The tool's name for a sentence: in quotes, cut.
pub(super) fn name(tool: Value<'_>) -> String {
    match tool.get("name").and_then(Value::as_str) {
        Some(name) => crate::rules::show::quoted(&name),
        None => "without a name".to_owned(),
    }
}

/// The schemas of the tools of the page that are objects: tool, keyword, schema.
pub(super) fn schemas<'a>(cx: &Cx<'a>) -> impl Iterator<Item = (Value<'a>, &'static str, Value<'a>)> + use<'a> {
    tools(cx)
        .flat_map(|t| SCHEMAS.into_iter().filter_map(move |k| t.get(k).filter(|s| s.is_object()).map(|s| (t, k, s))))
}
