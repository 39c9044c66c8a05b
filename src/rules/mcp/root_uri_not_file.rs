//! `root-uri-not-file`: root is not a file:// URI.

use super::support::{each_answer, shown};
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "root-uri-not-file",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Request(check), On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    each_answer(cx, |method, _, answer| {
        if method != Method::RootsList {
            return;
        }
        for root in answer.get("roots").into_iter().flat_map(Value::elements).take(1000) {
            let Some(value) = root.get("uri") else { continue };
            let Some(uri) = value.as_str() else { continue };
            let file = uri.get(..7).is_some_and(|s| s.eq_ignore_ascii_case("file://"));
            if !file || uri.contains('\\') {
                out.say(format!("the root {} is no file:// URI", shown(value)))
                    .at(value)
                    .expected("file://…")
                    .actual(shown(value));
            }
        }
    });
}
