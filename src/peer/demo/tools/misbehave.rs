//! `misbehave`: commits one fault of the table, on this very call where that is possible.

use serde_json::{Value, json};

use super::{Cx, Tool, structured};
use crate::peer::demo::error::RpcError;
use crate::peer::demo::faults::{FAULTS, Fault, by_name};
use crate::peer::demo::request::Answer;

/// The tool.
pub(super) const TOOL: Tool = Tool { name: "misbehave", describe, call };

/// Faults that show at another moment than in the answer to a tool call and cannot be ordered for one.
const NOT_HERE: [Fault; 6] = [
    Fault::AcceptInvalidArguments,
    Fault::CursorLoop,
    Fault::NoAcknowledge,
    Fault::IgnoreCancel,
    Fault::VersionErrorBare,
    Fault::MetaNotRequired,
];

fn describe() -> Value {
    let names: Vec<&str> = FAULTS.iter().filter(|row| !NOT_HERE.contains(&row.fault)).map(|row| row.name).collect();
    json!({
        "name": "misbehave", "title": "Misbehave", "description": "Breaks the protocol once, for you to look at",
        "inputSchema": {
            "type": "object",
            "properties": { "fault": { "type": "string", "enum": names } },
            "required": ["fault"],
        },
        "outputSchema": {
            "type": "object", "properties": { "fault": { "type": "string" } }, "required": ["fault"],
        },
        "annotations": { "readOnlyHint": false, "destructiveHint": true, "openWorldHint": false },
    })
}

/// Runs after the fault was put into the request by [`crate::peer::demo::server`]; only what is more than an answer is
/// done here.
fn call(cx: &Cx<'_>, arguments: &Value) -> Answer {
    let name = arguments["fault"].as_str().unwrap_or_default();
    let result = structured(json!({ "fault": name }));
    match by_name(name).map(|row| row.fault) {
        Some(Fault::ErrorIdLost) => return Err(RpcError::internal("the id of this request is lost")),
        Some(fault @ (Fault::WrongNotFoundCode | Fault::HalfLineAtExit)) => cx.server.arm(fault),
        _ => {}
    }
    Ok(result)
}

/// The fault that a call of this tool orders.
pub(in crate::peer::demo) fn ordered(params: &serde_json::Map<String, Value>) -> Option<Fault> {
    if params.get("name")? != TOOL.name {
        return None;
    }
    let row = by_name(params.get("arguments")?.get("fault")?.as_str()?)?;
    (!NOT_HERE.contains(&row.fault)).then_some(row.fault)
}
