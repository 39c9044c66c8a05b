//! `batch-malformed`: a batch holds what it may not hold.

use super::batch;
use crate::mcp::Method;
use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::envelope::{Envelope, MessageKind};

/// See the module.
pub static RULE: Rule = Rule {
    id: "batch-malformed",
    layer: Layer::JsonRpc,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::of(&[Revision::V2025_03_26]),
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Text(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(root) = batch(cx) else { return };
    let (mut asks, mut answers) = (None, None);
    for element in root.elements() {
        let env = Envelope::read(element);
        match env.kind {
            MessageKind::Request | MessageKind::Notification => {
                if env.method.is_some_and(|m| m.str_eq(Method::Initialize.name())) {
                    out.say("initialize stands in a batch").at(element).expected("initialize as a message of its own");
                    return;
                }
                asks.get_or_insert(element);
            }
            MessageKind::Response | MessageKind::Error => {
                answers.get_or_insert(element);
            }
            MessageKind::Unrecognised => {}
        }
    }
    if root.is_empty() {
        out.say("the batch is empty").at(root).expected("at least one message").actual("[]");
    } else if let (Some(_), Some(answer)) = (asks, answers) {
        out.say("a batch holds requests or notifications together with responses")
            .at(answer)
            .expected("either requests and notifications, or responses");
    }
}
