//! What the rules of tool calls share: the definition in force, the arguments, the verdict on them.

use crate::mcp::Method;
use crate::rules::Cx;
use crate::rules::schema::Verdict;
use crate::trace::Severity;
use crate::trace::session::{Listed, Open};
use crate::wire::frame::Dir;
use crate::wire::json::{Document, Value};

/// The arguments of a call that leaves them out.
pub(super) const NO_ARGUMENTS: &[u8] = b"{}";

/// The tool that the wire has shown under that name, in the list in force; `None` as well where the list has changed
/// since, because nobody can tell by it then.
pub(super) fn listed<'a>(cx: &Cx<'a>, name: &str) -> Option<&'a Listed> {
    let tools = &cx.session.lists.tools;
    tools.find(name).filter(|_| tools.changed.is_none())
}

/// The answered (or open) request, if it is a `tools/call` of the client.
pub(super) fn call<'a>(cx: &Cx<'a>) -> Option<&'a Open> {
    cx.open.filter(|o| o.method == Some(Method::ToolsCall) && o.dir == Dir::C2s)
}

/// The result of a `tools/call` that ran to its end: no request for input, no task.
pub(super) fn outcome<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    call(cx)?;
    let result = cx.msg()?.result().filter(|r| r.is_object())?;
    let modern = cx.revision.is_modern();
    let other = modern && result.get("resultType").is_some_and(|t| !t.str_eq("complete"));
    let task = !modern && result.get("task").is_some();
    (!other && !task).then_some(result)
}

/// `isError` is true.
pub(super) fn is_error(result: Value<'_>) -> bool {
    result.get("isError").and_then(Value::as_bool) == Some(true)
}

/// The first text block.
pub(super) fn first_text<'a>(result: Value<'a>) -> Option<Value<'a>> {
    let content = result.get("content")?;
    content.elements().find(|b| b.get("type").is_some_and(|t| t.str_eq("text")))?.get("text").filter(|t| t.is_string())
}

/// The arguments of the answered call were found to violate the schema that the wire showed.
pub(super) fn arguments_violate(cx: &Cx<'_>, open: &Open) -> bool {
    cx.store.findings_of(open.record).any(|(_, f)| f.rule == "tool-arguments-schema" && f.severity == Severity::Error)
}

/// What the schema on the wire says about the arguments of the answered call.
pub(super) fn verdict(cx: &Cx<'_>, open: &Open) -> Option<Verdict> {
    let schema = listed(cx, open.target.as_deref()?)?.input_schema()?;
    let params = cx.request_params()?;
    match params.get("arguments") {
        Some(arguments) => Some(cx.schemas.check(schema, arguments)),
        None => {
            let none = Document::new(Box::<[u8]>::from(NO_ARGUMENTS));
            none.doc().root().map(|v| cx.schemas.check(schema, v))
        }
    }
}
