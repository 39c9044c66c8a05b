//! `id-reused-in-flight`: the id is that of a request which is still open.

use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::Pairing;
use crate::trace::why::place;
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "id-reused-in-flight",
    layer: Layer::JsonRpc,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Pairing::Request { in_flight: Some(other), .. } = cx.pairing else { return };
    let (Some(message), Some(open)) = (cx.msg(), cx.session.open(*other)) else { return };
    let Some(id) = message.env.id.filter(|id| !id.is_null()) else { return };
    let name = cx.store.name(open.name).unwrap_or("a request");
    let (text, there) = (cut(&id.raw_str(), 60), place(cx.store, open.record));
    out.say(format!("id {text} is in use: {} ({there}) has not been answered", cut(name, 60)))
        .at(id)
        .expected("an id that no open request has")
        .actual(text);
}
