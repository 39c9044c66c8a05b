//! `task-status-transition`: a task goes on after it has ended.

use crate::mcp::{Revision, Revisions};
use crate::rules::show::{quoted, short};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::tasks::{Status, told};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "task-status-transition",
    layer: Layer::Tool,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_11_25),
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Message(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::S2c) else { return };
    for (id, status) in told(message, cx.open.and_then(|o| o.method)) {
        let (Some(id), Some(now)) = (id.as_str(), Status::read(status)) else { continue };
        let Some((Status::Final(was), record)) = cx.session.tasks.last(&id) else { continue };
        if now != Status::Final(was) {
            let said = status.as_str().unwrap_or_default();
            let frame = cx.store.record(record).map_or(0, |r| r.frame);
            out.say(format!("the task {} is {}, but was {was} in frame {frame}", quoted(&id), short(&said)))
                .at(status)
                .expected(was)
                .actual(short(&said));
        }
    }
}
