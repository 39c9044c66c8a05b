//! `progress-not-increasing`: progress does not increase.

use super::support::shown;
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::id::Id;

/// See the module.
pub static RULE: Rule = Rule {
    id: "progress-not-increasing",
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
    let Some(params) = message.params() else { return };
    let (Some(value), Some(token)) = (params.get("progress"), params.get("progressToken")) else { return };
    let Some(progress) = value.as_f64() else { return };
    let known = cx.session.tokens.get(message.dir.opposite(), &Id::read(token).text);
    if let Some(last) = known.and_then(|t| t.last).filter(|last| progress <= *last) {
        out.say(format!("progress {} of token {} follows {last}", shown(value), shown(token)))
            .at(value)
            .expected(format!("more than {last}"))
            .actual(shown(value));
        return;
    }
    let total = params.get("total");
    if let Some(total) = total.filter(|t| t.as_f64().is_some_and(|t| progress > t)) {
        out.say(format!("progress {} of token {} exceeds the total {}", shown(value), shown(token), shown(total)))
            .at(value)
            .expected(format!("at most {}", shown(total)))
            .actual(shown(value))
            .severity(Severity::Warning);
    }
}
