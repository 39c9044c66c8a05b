//! `meta-key-invalid`: _meta key breaks the naming rules.

use super::support::{cut, declared};
use crate::mcp::{Method, Revision, Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "meta-key-invalid",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::since(Revision::V2025_06_18),
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Message(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg() else { return };
    if !cx.meta_is_known() {
        keys(message.env.params_meta(), message.revision(), out);
        keys(message.env.result_meta(), message.revision(), out);
    }
    let Some(result) = message.result() else {
        extensions(message.params().and_then(|p| declared(Some(p))), message.revision(), out);
        return;
    };
    extensions(result.get("capabilities"), message.revision(), out);
    // Entries of lists, and blocks of content.
    let member = cx.request().and_then(|o| o.method).and_then(Method::list_member).unwrap_or("content");
    for entry in result.get(member).into_iter().flat_map(Value::elements) {
        // What one entry has wrong, all of them have: the first says it.
        if keys(entry.get("_meta"), message.revision(), out) {
            return;
        }
    }
}

/// Says what is wrong with the keys; whether anything is.
fn keys(meta: Option<Value<'_>>, revision: Revision, out: &mut Out<'_>) -> bool {
    let mut found = false;
    for (key, value) in meta.into_iter().flat_map(Value::members) {
        let name = key.as_str();
        let Some(fault) = meta::key_fault(&name, revision) else { continue };
        let why = match fault {
            meta::KeyFault::Prefix => "its prefix is not made of labels that begin with a letter",
            meta::KeyFault::Name => "its name has other characters than it may have",
        };
        out.say(format!("the _meta key \"{}\" is not well formed: {why}", cut(&name)))
            .at(value)
            .expected("[prefix/]name")
            .actual(cut(&name));
        found = true;
    }
    found
}

/// Identifiers of extensions are keys that must have a prefix.
fn extensions(capabilities: Option<Value<'_>>, revision: Revision, out: &mut Out<'_>) {
    if !revision.is_modern() {
        return;
    }
    let extensions = capabilities.and_then(|c| c.get("extensions"));
    for (key, value) in extensions.into_iter().flat_map(Value::members) {
        let name = key.as_str();
        let bare = meta::split(&name).0.is_none();
        if bare || meta::key_fault(&name, revision).is_some() {
            let why = if bare { "it has no prefix" } else { "it is not a well formed key" };
            out.say(format!("the extension \"{}\" cannot be called so: {why}", cut(&name)))
                .at(value)
                .expected("prefix/name")
                .actual(cut(&name));
        }
    }
}
