//! Which way a message went, where its source does not say: by its method, by what it answers, by the shape of its
//! result. What none of these tells is guessed, and counted.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::import::{Draft, What};
use crate::mcp::Method;
use crate::mcp::methods::Way;
use crate::wire::envelope::{Envelope, MessageKind};
use crate::wire::frame::Dir;
use crate::wire::json::{Parser, Value};

/// How many directions were not in the source.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Report {
    pub(super) inferred: u32,
    pub(super) guessed: u32,
}

/// Open requests of one id that are looked at for an answer.
const LOOK: usize = 8;

/// The direction that the method of a message proves.
pub(super) fn certain(payload: &[u8]) -> Option<Dir> {
    let mut parser = Parser::new();
    by_method(&Envelope::read(first(parser.parse(payload).root()?)))
}

/// Whether a message is one that a session begins with.
pub(super) fn begins(payload: &[u8]) -> bool {
    let mut parser = Parser::new();
    let Some(root) = parser.parse(payload).root() else { return false };
    let method = Envelope::read(first(root)).method;
    method.is_some_and(|m| m.str_eq("initialize") || m.str_eq("server/discover"))
}

/// The first message of a batch, or the message.
fn first(root: Value<'_>) -> Value<'_> {
    root.is_array().then(|| root.index(0)).flatten().unwrap_or(root)
}

fn by_method(message: &Envelope<'_>) -> Option<Dir> {
    match Method::lookup(&message.method?.as_str()?)?.facts().way {
        Way::C2s => Some(Dir::C2s),
        Way::S2c => Some(Dir::S2c),
        Way::Both => None,
    }
}

/// Results that only one side gives.
fn by_shape(message: &Envelope<'_>) -> Option<Dir> {
    let result = message.result?;
    let has = |key: &str| result.get(key).is_some();
    if has("roots") || has("action") || (has("role") && has("model")) {
        return Some(Dir::C2s);
    }
    const SERVER: &[&str] = &[
        "serverInfo",
        "supportedVersions",
        "tools",
        "prompts",
        "resources",
        "resourceTemplates",
        "contents",
        "content",
        "messages",
        "completion",
        "resultType",
        "structuredContent",
    ];
    SERVER.iter().any(|key| has(key)).then_some(Dir::S2c)
}

fn same(dir: Dir) -> Dir {
    dir
}

/// Fills in the directions that are missing.
pub(super) fn directions(mut drafts: Vec<Draft>, arena: &[u8]) -> (Vec<Draft>, Report) {
    let mut report = Report::default();
    if !drafts.iter().any(|d| matches!(d.what, What::Frame { dir: None, .. })) {
        return (drafts, report);
    }
    let mut parser = Parser::new();
    let mut dirs: Vec<Option<Dir>> = Vec::with_capacity(drafts.len());
    // By connection and JSON text of the id, or of the progress token.
    let mut open: FxHashMap<(u32, String), VecDeque<usize>> = FxHashMap::default();
    let mut tokens: FxHashMap<(u32, String), usize> = FxHashMap::default();
    let mut links: Vec<(usize, usize, fn(Dir) -> Dir)> = Vec::new();
    let mut requests = Vec::new();
    for (i, draft) in drafts.iter().enumerate() {
        let What::Frame { dir, start, len, .. } = &draft.what else {
            dirs.push(None);
            continue;
        };
        dirs.push(*dir);
        let Some(root) = parser.parse(&arena[*start..*start + *len as usize]).root() else { continue };
        let message = Envelope::read(first(root));
        let key = |value: Value<'_>| (draft.conn, value.raw_str().into_owned());
        if dirs[i].is_none() {
            dirs[i] = by_method(&message);
        }
        match message.kind {
            MessageKind::Request => {
                if let Some(id) = message.id {
                    open.entry(key(id)).or_default().push_back(i);
                }
                if let Some(token) = message.params_meta().and_then(|m| m.get("progressToken")) {
                    tokens.insert(key(token), i);
                }
                requests.push(i);
            }
            MessageKind::Notification if dirs[i].is_none() => {
                let param = |name: &str| message.params.and_then(|p| p.get(name));
                let progress = param("progressToken").and_then(|t| tokens.get(&key(t)).copied());
                let cancelled = param("requestId").and_then(|id| open.get(&key(id))?.back().copied());
                match (progress, cancelled) {
                    (Some(request), _) => links.push((i, request, Dir::opposite)),
                    (None, Some(request)) => links.push((i, request, same)),
                    (None, None) => {}
                }
            }
            MessageKind::Response | MessageKind::Error => {
                let dir = dirs[i].or_else(|| by_shape(&message));
                let request = message.id.and_then(|id| {
                    let queue = open.get_mut(&key(id))?;
                    let fits = |q: &usize| match (dir, dirs[*q]) {
                        (Some(answer), Some(asked)) => answer != asked,
                        _ => true,
                    };
                    let at = queue.iter().take(LOOK).position(fits).unwrap_or(0);
                    queue.remove(at)
                });
                match request {
                    Some(q) => match (dirs[q], dir) {
                        (Some(asked), _) => dirs[i] = Some(dirs[i].unwrap_or(asked.opposite())),
                        (None, Some(answer)) => (dirs[i], dirs[q]) = (Some(answer), Some(answer.opposite())),
                        (None, None) => links.push((i, q, Dir::opposite)),
                    },
                    None => dirs[i] = dir,
                }
            }
            _ => {}
        }
    }
    // Nothing tells who sent these requests: clients send most.
    for q in requests {
        if dirs[q].is_none() {
            dirs[q] = Some(Dir::C2s);
            report.guessed += 1;
        }
    }
    for (i, request, way) in links {
        if dirs[i].is_none() {
            dirs[i] = dirs[request].map(way);
        }
    }
    for (draft, found) in drafts.iter_mut().zip(dirs) {
        if let What::Frame { dir: dir @ None, .. } = &mut draft.what {
            report.inferred += 1;
            report.guessed += u32::from(found.is_none());
            // A line that is no message is a server's more often than a client's.
            *dir = Some(found.unwrap_or(Dir::S2c));
        }
    }
    (drafts, report)
}
