//! Builds the payload pane: what the tool, prompt or resource sees, and what comes back from it.

use crate::trace::RecordKind;
use crate::tui::data::Data;
use crate::tui::theme::Ink;
use crate::wire::envelope::Envelope;
use crate::wire::json::{Value, visible};

use super::body::{Block, Body};
use super::build::{Loaded, t};
use super::words;

/// The sections of one message.
pub(super) fn sections(
    data: &Data<'_>,
    body: &mut Body,
    part: usize,
    loaded: &Loaded,
    env: Option<&Envelope<'_>>,
    method: Option<&str>,
) {
    let Some(r) = data.store.record(loaded.record) else { return };
    let (ink, arrow) = words::arrow(r.dir);
    let head = |body: &mut Body, name: &str, note: &str| {
        let line = vec![t(ink, format!("{arrow} {name}")), t(Ink::Dim, note.to_owned())];
        body.blocks.push(Block::Line(line, None));
    };
    let Some(env) = env.filter(|_| r.kind.is_message()) else {
        if loaded.doc.doc().bytes().is_empty() {
            head(body, "empty", "");
        } else {
            let name = if r.kind == RecordKind::Unreadable { "bytes that are no message" } else { "bytes" };
            head(body, name, "");
            body.blocks.push(Block::Bytes { doc: part });
        }
        return;
    };
    if let Some(params) = env.params {
        let call = matches!(method, Some("tools/call" | "prompts/get"));
        match params.get("arguments").filter(|_| call) {
            Some(arguments) => {
                head(body, "arguments", if arguments.is_empty() { "  none" } else { "" });
                tree(body, part, arguments, None, &[]);
                if params.members().any(|(k, _)| !(k == *"arguments" || k == *"name" || k == *"_meta")) {
                    tree(body, part, params, None, &["arguments", "name", "_meta"]);
                }
            }
            None if params.members().any(|(k, _)| k != *"_meta")
                || !params.kind().is_container()
                || params.is_array() =>
            {
                head(body, "params", "");
                tree(body, part, params, None, &["_meta"]);
            }
            None => head(body, "params", "  none"),
        }
    } else if env.method.is_some() {
        head(body, "params", "  none");
    }
    if let Some(error) = env.error {
        head(body, "error", "");
        tree(body, part, error, None, &[]);
    }
    if let Some(result) = env.result {
        let failed = result.get("isError").and_then(Value::as_bool) == Some(true);
        if failed {
            body.blocks
                .push(Block::Line(vec![t(Ink::ToolError, format!("{arrow} result of a tool that failed"))], None));
        } else {
            let bare = result.members().all(|(k, _)| k == *"_meta" || k == *"resultType");
            head(body, "result", if bare && result.is_object() { "  nothing in it" } else { "" });
        }
        self::result(body, part, result);
    }
    if env.params.is_none() && env.error.is_none() && env.result.is_none() && env.method.is_none() {
        head(body, "message", "");
        tree(body, part, env.root, None, &[]);
    }
}

fn tree(body: &mut Body, doc: usize, value: Value<'_>, label: Option<String>, skip: &'static [&'static str]) {
    body.blocks.push(Block::Tree { doc, node: value.node(), label, skip, folded: false });
}

/// Content blocks are opened one by one; what else is in the result follows as a tree.
fn result(body: &mut Body, part: usize, result: Value<'_>) {
    if !result.is_object() {
        tree(body, part, result, None, &[]);
        return;
    }
    for name in ["content", "contents", "messages"] {
        let Some(list) = result.get(name).filter(|v| v.is_array()) else { continue };
        for (i, item) in list.elements().enumerate().take(200) {
            let content =
                if name == "messages" { item.get("content").filter(|c| c.is_object()).unwrap_or(item) } else { item };
            let kind = match (content.get("type").and_then(Value::as_str), name) {
                (Some(kind), _) => visible(&kind).into_owned(),
                (None, "contents") if item.get("text").is_some() => "text".to_owned(),
                (None, "contents") => "blob".to_owned(),
                (None, _) => String::new(),
            };
            let mut label = format!("{name}[{i}] {kind}");
            for extra in [item.get("role"), item.get("uri"), content.get("mimeType")] {
                if let Some(text) = extra.and_then(Value::as_str) {
                    label.push_str(&format!(" · {}", visible(&text)));
                }
            }
            match content.get("text").filter(|v| v.is_string()) {
                Some(text) => {
                    tree(body, part, text, Some(label), &[]);
                    let rest =
                        |k: &crate::wire::json::Key<'_>| !["type", "text", "mimeType", "uri"].iter().any(|n| *k == **n);
                    if content.members().any(|(k, _)| rest(&k)) {
                        tree(body, part, content, None, &["type", "text", "mimeType", "uri"]);
                    }
                }
                None => tree(body, part, item, Some(label), &[]),
            }
        }
    }
    const SHOWN: &[&str] = &["content", "contents", "messages", "_meta", "resultType", "isError"];
    let listed = |k: &crate::wire::json::Key<'_>, v: Value<'_>| {
        SHOWN.iter().position(|s| *k == **s).is_some_and(|i| i > 2 || v.is_array())
    };
    let odd = result.members().any(|(k, v)| SHOWN[..3].iter().any(|s| k == **s) && !v.is_array());
    if odd {
        tree(body, part, result, None, &["_meta"]);
    } else if result.members().any(|(k, v)| !listed(&k, v)) {
        tree(body, part, result, None, SHOWN);
    }
}
