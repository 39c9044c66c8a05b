//! `input-loop`: same question again after it was answered.

use super::support::{cut, list, modern_result};
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "input-loop",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((_, result)) = modern_result(cx) else { return };
    let Some(open) = cx.request() else { return };
    if !result.get("resultType").is_some_and(|t| t.str_eq("input_required")) {
        return;
    }
    let requests = result.get("inputRequests");
    let repeats = cx.session.repeats(requests, open);
    if repeats >= cx.options.repeats {
        let keys: Vec<_> =
            requests.into_iter().flat_map(Value::members).take(4).map(|(k, _)| cut(&k.as_str())).collect();
        let draft = out.say(format!(
            "the server asks for \"{}\" again, unchanged, after {repeats} answers",
            list(&keys, "\" and \"")
        ));
        if let Some(requests) = requests {
            draft.at(requests);
        }
    }
}
