//! `progress-unknown-token`: progress for an unknown token.

use super::support::{cut, sees_all, shown};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::id::Id;

/// See the module.
pub static RULE: Rule = Rule {
    id: "progress-unknown-token",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Notification(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.is(Method::Progress) && !m.replay) else { return };
    let Some(value) = message.params().and_then(|p| p.get("progressToken")) else { return };
    let token = Id::read(value);
    let asked = message.dir.opposite();
    if !token.is_usable() || cx.session.tokens.get(asked, &token.text).is_some() {
        return;
    }
    let other = if value.is_string() { token.text.trim_matches('"').to_owned() } else { format!("\"{}\"", token.text) };
    let retyped = cx.session.tokens.get(asked, &other).is_some();
    let is_id = cx.session.by_id(asked, &token).is_some();
    // A piece of a trace does not show what was asked for before it, but for the request whose stream this is.
    let own_stream = cx.stream.is_some_and(|s| message.revision().is_modern() && !s.exchanges.is_empty());
    if !(retyped || is_id || own_stream || sees_all(cx)) {
        return;
    }
    let draft = out.say(format!("no request has the progress token {}", shown(value)));
    draft.at(value).actual(shown(value));
    if retyped {
        draft.expected(format!("{}: the type counts", cut(&other)));
    } else if is_id {
        draft.expected("the _meta.progressToken of the request, which is not its id");
    } else {
        draft.expected("the _meta.progressToken of a request in flight");
    }
}
