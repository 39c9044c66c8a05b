//! `meta-wrong-type`: _meta value has the wrong type.

use super::support::kind;
use crate::mcp::{Revision, Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "meta-wrong-type",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Message(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    if cx.meta_is_known() {
        return;
    }
    let Some(message) = cx.msg() else { return };
    // A missing `_meta` is another matter, and `null` is as good as missing to most parsers: `meta-missing`.
    let request = message.kind == crate::wire::envelope::MessageKind::Request && message.dir == Dir::C2s;
    if let Some(meta) = message.env.params_meta().filter(|m| !(m.is_null() && request)) {
        let at = if request { meta::At::Request } else { meta::At::Notification };
        types(meta, at, out);
    }
    if let Some(meta) = message.env.result_meta() {
        types(meta, meta::At::Result, out);
    }
}

fn types(meta: Value<'_>, at: meta::At, out: &mut Out<'_>) {
    if !meta.is_object() {
        out.say(format!("_meta is {}", kind(meta))).at(meta).expected("an object").actual(kind(meta));
        return;
    }
    for (key, value) in meta.members() {
        let Some(known) = meta::KEYS.iter().find(|k| key.eq(k.name)) else { continue };
        if !known.revisions.has(Revision::V2026_07_28) || (known.at != at && known.at != meta::At::Any) {
            continue;
        }
        // These have rules of their own.
        if matches!(known.name, meta::PROGRESS_TOKEN | meta::TRACEPARENT | meta::TRACESTATE | meta::BAGGAGE) {
            continue;
        }
        let named = |name| value.get(name).is_some_and(Value::is_string);
        let (fits, expected) = match known.ty {
            meta::Type::String | meta::Type::Level => (value.is_string(), "a string"),
            meta::Type::StringOrInteger => (value.is_string() || value.is_integer(), "a string or an integer"),
            meta::Type::Implementation => {
                (value.is_object() && named("name") && named("version"), "an object with name and version")
            }
            meta::Type::ClientCapabilities | meta::Type::Task => (value.is_object(), "an object"),
        };
        if !fits {
            let actual = if value.is_object() { "an object without them" } else { kind(value) };
            let short = known.name.rsplit('/').next().unwrap_or(known.name);
            out.say(format!("{short} in _meta is {actual}")).at(value).expected(expected).actual(actual);
        }
    }
}
