//! `slow`: takes its time, reports progress, can be cancelled.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Cx, Tool, read_only, text};
use crate::mcp::levels::Level;
use crate::peer::demo::faults::Fault;
use crate::peer::demo::lifecycle;
use crate::peer::demo::request::Answer;

/// The tool.
pub(super) const TOOL: Tool = Tool { name: "slow", describe, call };

fn describe() -> Value {
    json!({
        "name": "slow", "title": "Slow", "description": "Works for a while in steps",
        "inputSchema": {
            "type": "object",
            "properties": {
                "ms": { "type": "integer", "minimum": 0, "maximum": 60000, "default": 1000, "description": "Time in all" },
                "steps": { "type": "integer", "minimum": 1, "maximum": 100, "default": 4 },
            },
        },
        "annotations": read_only(),
    })
}

fn call(cx: &Cx<'_>, arguments: &Value) -> Answer {
    let ms = arguments["ms"].as_u64().unwrap_or(1000);
    let steps = arguments["steps"].as_u64().unwrap_or(4).clamp(1, 100) as u32;
    let pause = Duration::from_millis(ms) / steps;
    lifecycle::log(cx.server, cx.request, Level::Info, "slow: begins");
    for step in 1..=steps {
        if cx.request.ticket.wait(pause) {
            if !cx.request.faults.has(Fault::IgnoreCancel) {
                // Nobody will read this: the answer to a cancelled request is not sent.
                return Ok(text("cancelled"));
            }
            std::thread::sleep(pause);
        }
        cx.request.progress(cx.server, step, steps, &format!("step {step} of {steps}"));
        lifecycle::log(cx.server, cx.request, Level::Debug, &format!("slow: step {step}"));
    }
    Ok(text(format!("{steps} steps in {ms} ms")))
}
