//! `content-base64-invalid`: binary data is not standard Base64.

use super::{base64, blocks};
use crate::mcp::Revisions;
use crate::rules::show;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "content-base64-invalid",
    layer: Layer::Tool,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::S2c) else { return };
    blocks::each_binary(cx, message, |data, _| {
        if let Some(why) = base64::fault(&base64::text(data)) {
            out.say(format!("binary data is no standard Base64: {why}"))
                .at(data)
                .expected("standard Base64 with padding")
                .actual(show::value(data));
        }
    });
}
