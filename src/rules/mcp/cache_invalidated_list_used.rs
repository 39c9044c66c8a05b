//! `cache-invalidated-list-used`: call based on a list that has changed.

use super::support::{cut, from_client, span};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "cache-invalidated-list-used",
    layer: Layer::Mcp,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_client(cx) else { return };
    let Some(method) = message.method else { return };
    let Some(list) = cx.session.lists.behind(method) else { return };
    // Once for each change: the calls after the first tell nothing new.
    let Some(changed) = list.changed.filter(|_| !list.asked_again && !list.used_changed) else { return };
    let Some(record) = cx.store.record(changed) else { return };
    let name = message.target().unwrap_or_default();
    out.say(format!(
        "\"{}\" is used although the server said {} before that its list has changed, and the list was not fetched again",
        cut(&name),
        span(message.t - record.t)
    ));
}
