//! `content-mime-mismatch`: the bytes are of another type than mimeType says.

use super::{base64, blocks};
use crate::mcp::Revisions;
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "content-mime-mismatch",
    layer: Layer::Tool,
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
    let Some(message) = cx.msg().filter(|m| m.dir == Dir::S2c) else { return };
    blocks::each_binary(cx, message, |data, mime| {
        let Some(mime) = mime.and_then(|m| m.as_str()) else { return };
        let named = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let Some(found) = base64::kind(&base64::head(&base64::text(data))) else { return };
        if !base64::fits(found, &named) {
            out.say(format!("the bytes are {}, mimeType says {}", found.0, short(&mime)))
                .at(data)
                .expected(found.1[0])
                .actual(short(&mime));
        }
    });
}
