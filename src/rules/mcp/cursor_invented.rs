//! `cursor-invented`: cursor the server never gave out.

use super::support::{cut, from_client, sees_all, shown};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "cursor-invented",
    layer: Layer::Mcp,
    severity: Severity::Warning,
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
    let Some(method) = message.method.filter(|m| m.is_paginated()) else { return };
    let Some(cursor) = message.params().and_then(|p| p.get("cursor")) else { return };
    if cursor.is_null() {
        out.say("cursor is null").at(cursor).expected("no cursor for the first page").actual("null");
        return;
    }
    let (Some(text), Some(list)) = (cursor.as_str(), cx.session.lists.of(method)) else { return };
    // A trace that may begin in the middle has to have shown a page of this list first.
    let shown_before = list.is_known() || cx.session.began || cx.session.handshake.request.is_some();
    if !sees_all(cx) || !shown_before || list.has_handed_out(&text) {
        return;
    }
    let draft = out.say(format!("no page of {} has offered the cursor {}", method.name(), shown(cursor)));
    draft.at(cursor).actual(shown(cursor));
    let next = list.current.as_ref().and_then(|l| l.pages.last()).and_then(|p| p.next.as_deref());
    match next {
        Some(next) => draft.expected(format!("\"{}\"", cut(next))),
        None => draft.expected("a nextCursor of this list, or none for the first page"),
    };
}
