//! `spawn-failed`: the command of the server could not be started.

use super::says_nothing;
use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::EventKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "spawn-failed",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::ALL,
    wire: Wire::Stdio,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Event(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(event) = cx.event else { return };
    match &event.kind {
        EventKind::SpawnFailed { why } => {
            out.say(format!("the server's command could not be started: {}", cut(why, 200)));
        }
        EventKind::Exit { status: Some(status @ (126 | 127)), .. } if says_nothing(cx.session) => {
            let what = if *status == 127 { "no such command" } else { "a command that cannot be run" };
            out.say(format!("the server's command ended with status {status} before it wrote a byte: {what}"))
                .actual(format!("status {status}"));
        }
        _ => {}
    }
}
