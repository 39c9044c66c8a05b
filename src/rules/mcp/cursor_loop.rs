//! `cursor-loop`: nextCursor leads back to the same page.

use super::support::{cut, from_server, shown};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "cursor-loop",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    let Some(next) = message.result().and_then(|r| r.get("nextCursor")) else { return };
    let Some(text) = next.as_str() else { return };
    let Some(list) = cx.request().and_then(|o| o.method).and_then(|m| cx.session.lists.of(m)) else { return };
    let Some(asked) = cx.request_params().and_then(|p| p.get("cursor")).and_then(Value::as_str) else { return };
    if asked == text {
        out.say(format!("the page that was asked for with cursor \"{}\" offers the same cursor again", cut(&asked)))
            .at(next)
            .expected("another cursor, or none on the last page")
            .actual(shown(next));
        return;
    }
    let Some(listing) = &list.current else { return };
    if let (Some(here), Some(there)) = (listing.position(Some(&asked)), listing.position(Some(&text)))
        && there <= here
    {
        out.say(format!("page {} leads back to page {} with cursor \"{}\"", here + 1, there + 1, cut(&text)))
            .at(next)
            .expected("a cursor that was not offered before, or none on the last page")
            .actual(shown(next));
    }
}
