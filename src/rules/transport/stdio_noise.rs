//! `stdio-noise`: a line is no message and no attempt at one.

use crate::mcp::Revisions;
use crate::rules::TextClass;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "stdio-noise",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Stdio,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Text(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(text) = cx.text.filter(|t| t.class == TextClass::Noise && !t.in_noise_run) else { return };
    let pipe = if cx.dir == Dir::C2s { "stdin" } else { "stdout" };
    let len = text.bytes.len();
    out.say(format!("a line of {len} bytes on the server's {pipe} is no message"))
        .expected("a JSON-RPC message")
        .actual(format!("text that begins with {:?}", beginning(text.bytes)));
}

/// The first word: enough to find the print, too little to show what it tells.
fn beginning(bytes: &[u8]) -> String {
    let start = bytes.trim_ascii_start();
    let text = String::from_utf8_lossy(&start[..start.len().min(64)]);
    text.split_whitespace().next().unwrap_or_default().chars().take(16).collect()
}
