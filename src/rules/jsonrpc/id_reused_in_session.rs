//! `id-reused-in-session`: the id was used before in the session.

use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::Pairing;
use crate::trace::why::place;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "id-reused-in-session",
    layer: Layer::JsonRpc,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::LEGACY,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Pairing::Request { earlier: Some(other), .. } = cx.pairing else { return };
    let Some(id) = cx.msg().and_then(|m| m.env.id).filter(|id| !id.is_null()) else { return };
    let Some(first) = cx.store.exchanges.get(*other as usize).map(|e| e.request) else { return };
    // A modern probe before the handshake belongs to no legacy session.
    if cx.store.record(first).is_none_or(|r| r.judged.revision.is_modern()) {
        return;
    }
    let (text, there) = (cut(&id.raw_str(), 60), place(cx.store, first));
    out.say(format!("id {text} was used before in this session ({there})"))
        .at(id)
        .expected("an id that was not used before")
        .actual(text);
}
