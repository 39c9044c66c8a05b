//! `content-large-blob`: a binary block is larger than the limit.

use super::{base64, blocks};
use crate::mcp::Revisions;
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "content-large-blob",
    layer: Layer::Tool,
    severity: Severity::Info,
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
    let limit = cx.options.blob_bytes;
    blocks::each_binary(cx, message, |data, mime| {
        let size = base64::size(&base64::text(data));
        if size > limit {
            let mime = mime.and_then(|m| m.as_str()).map_or_else(|| "binary data".to_owned(), |m| short(&m));
            out.say(format!("{mime} of {size} bytes stands in the message"))
                .at(data)
                .expected(format!("at most {limit} bytes, or a resource_link"))
                .actual(format!("{size} bytes"));
        }
    });
}
