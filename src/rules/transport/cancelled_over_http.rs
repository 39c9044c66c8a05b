//! `cancelled-over-http`: notifications/cancelled where closing the stream cancels.

use crate::mcp::Method;
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "cancelled-over-http",
    layer: Layer::Transport,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::MODERN,
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Notification(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    if cx.msg().is_some_and(|m| m.dir == Dir::C2s && m.is(Method::Cancelled)) {
        out.say("notifications/cancelled over HTTP: closing the response stream is what cancels");
    }
}
