//! `parse-error-for-valid-json`: the answer is a parse error, but the JSON is valid.

use crate::mcp::Revisions;
use crate::mcp::errors;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::way;
use crate::trace::why::place;
use crate::trace::{Finding, NONE};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "parse-error-for-valid-json",
    layer: Layer::JsonRpc,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Error(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg() else { return };
    if message.env.error_code() != Some(errors::PARSE_ERROR) {
        return;
    }
    let asked = way(message.dir.opposite());
    let request = cx.stream.filter(|s| s.request_len > 0).map(|s| s.request_record);
    let valid = match request.and_then(|r| Some((r, cx.store.record(r)?))) {
        Some((r, record)) => {
            let bad = |f: &Finding| f.layer == Layer::Json && f.severity == Severity::Error;
            record.kind.is_message() && !cx.store.findings_of(r).any(|(_, f)| bad(f))
        }
        None => cx.session.trouble[asked].refusable == 0 && cx.session.last_message[asked] != NONE,
    };
    if valid {
        let what = match request {
            Some(r) => format!("the body of {} is", place(cx.store, r)),
            None => "all lines so far are".to_owned(),
        };
        let draft = out.say(format!("the answer is -32700 (parse error), but {what} valid JSON in UTF-8"));
        draft.pointer("/error/code").expected("-32600 for a wrong envelope, -32602 for wrong params").actual("-32700");
    }
}
