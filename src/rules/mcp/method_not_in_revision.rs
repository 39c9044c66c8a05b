//! `method-not-in-revision`: method does not exist in this revision.

use super::support::list;
use crate::mcp::{Method, Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "method-not-in-revision",
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
    if method.is_in(revision) || method.extension(revision).is_some() {
        return;
    }
    // A version in the wrong place is what is wrong with a modern handshake: `version-wrong-era`. And where nothing
    // shows the revision, nothing can be said.
    if matches!(method, Method::Initialize | Method::Initialized) || message.judged.assumed {
        return;
    }
    let draft = out.say(format!("{} does not exist in {revision}", method.name()));
    draft.pointer("/method").actual(method.name());
    let note = method.facts().note;
    if note.is_empty() {
        let since = Revision::ALL.into_iter().filter(|r| method.is_in(*r)).map(Revision::as_str).collect::<Vec<_>>();
        draft.expected(format!("it belongs to {}", list(&since, " and ")));
    } else {
        draft.expected(note);
    }
}
