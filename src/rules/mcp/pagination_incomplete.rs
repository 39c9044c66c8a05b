//! `pagination-incomplete`: list was not read to the end.

use super::support::cut;
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "pagination-incomplete",
    layer: Layer::Mcp,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::End(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    if cx.session.gap {
        return;
    }
    for method in Method::ALL.iter().filter(|m| m.is_paginated()) {
        let Some(list) = cx.session.lists.of(*method).filter(|l| !l.followed) else { continue };
        let Some(page) = list.current.as_ref().and_then(|l| l.pages.last()) else { continue };
        // Who stops in a loop does well.
        let looped = cx.store.fired(page.record, "cursor-loop");
        if let Some(next) = page.next.as_ref().filter(|_| !looped) {
            out.say(format!(
                "the last page of {} offers the cursor \"{}\", and the client never asked for it",
                method.name(),
                cut(next)
            ))
            .pointer("/result/nextCursor")
            .on(page.record);
        }
    }
}
