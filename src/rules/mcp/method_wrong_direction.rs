//! `method-wrong-direction`: sent in the wrong direction.

use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "method-wrong-direction",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check), On::Notification(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg() else { return };
    let Some(method) = message.method else { return };
    let revision = message.revision();
    if !method.is_in(revision) && method.extension(revision).is_none() {
        return;
    }
    if !method.way(revision).allows_dir(message.dir) {
        let (sender, other) = (message.sender().as_str(), message.sender().other().as_str());
        out.say(format!("the {sender} sent {}, which only a {other} may send", method.name()))
            .pointer("/method")
            .expected(format!("{} from the {other}", method.name()))
            .actual(format!("from the {sender}"));
    }
}
