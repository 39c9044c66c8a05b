//! `meta-key-reserved`: unknown key in the reserved MCP namespace.

use super::support::{cut, nearest};
use crate::mcp::{Revision, Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "meta-key-reserved",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::since(Revision::V2025_06_18),
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Message(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    if cx.meta_is_known() {
        return;
    }
    let Some(message) = cx.msg() else { return };
    keys(message.env.params_meta(), message.revision(), out);
    keys(message.env.result_meta(), message.revision(), out);
}

fn keys(meta: Option<Value<'_>>, revision: Revision, out: &mut Out<'_>) {
    for (key, value) in meta.into_iter().flat_map(Value::members) {
        let name = key.as_str();
        if !name.contains('/') || !meta::is_reserved_unknown(&name, revision) {
            continue;
        }
        // A key of another revision is no invention, and known extensions have their own.
        let known = !meta::revisions_of(&name).is_empty() || EXTENSIONS.contains(&name.as_ref());
        if known {
            continue;
        }
        let draft = out.say(format!("the _meta key \"{}\" has a prefix that is kept for the protocol", cut(&name)));
        draft.at(value).actual(cut(&name));
        let keys = meta::KEYS.iter().filter(|k| k.revisions.has(revision)).map(|k| k.name);
        match nearest(&name, keys) {
            Some(key) => draft.expected(key),
            None => draft.expected("a prefix of one's own"),
        };
    }
}

const EXTENSIONS: &[&str] = &[crate::mcp::methods::TASKS_EXTENSION, crate::mcp::methods::UI_EXTENSION];
