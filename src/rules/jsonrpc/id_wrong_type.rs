//! `id-wrong-type`: the id is neither a string nor an integer.

use crate::mcp::Revisions;
use crate::rules::json::cut;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Kind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "id-wrong-type",
    layer: Layer::JsonRpc,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Message(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(id) = cx.msg().filter(|m| !m.cut).and_then(|m| m.env.id) else { return };
    match id.kind() {
        Kind::String | Kind::Null => {}
        Kind::Number if id.is_integer() => {}
        kind => {
            let text = cut(&id.raw_str(), 60);
            let what = if kind == Kind::Number { "a number that is no integer" } else { kind.name() };
            out.say(format!("the id {text} is {what}")).at(id).expected("a string or an integer").actual(text);
        }
    }
}
