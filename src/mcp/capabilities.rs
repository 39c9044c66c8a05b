//! The capability trees of client and server by revision.

use super::revision::{Revision, Revisions};
use crate::wire::frame::Side;

/// One known place in a capability tree.
#[derive(Clone, Copy, Debug)]
pub struct Capability {
    /// Whose tree.
    pub side: Side,
    /// Members from the root, joined by dots.
    pub path: &'static str,
    /// Revisions that know it.
    pub revisions: Revisions,
    /// True where its value is a flag; else it is an object.
    pub flag: bool,
}

const ALL: Revisions = Revisions::ALL;
const SINCE_03: Revisions = Revisions::since(Revision::V2025_03_26);
const SINCE_06: Revisions = Revisions::since(Revision::V2025_06_18);
const SINCE_11: Revisions = Revisions::since(Revision::V2025_11_25);
const ONLY_11: Revisions = Revisions::of(&[Revision::V2025_11_25]);
const LEGACY: Revisions = Revisions::LEGACY;
const MODERN: Revisions = Revisions::MODERN;

const fn client(path: &'static str, revisions: Revisions, flag: bool) -> Capability {
    Capability { side: Side::Client, path, revisions, flag }
}

const fn server(path: &'static str, revisions: Revisions, flag: bool) -> Capability {
    Capability { side: Side::Server, path, revisions, flag }
}

/// Every place that a revision knows.
pub const CAPABILITIES: &[Capability] = &[
    client("experimental", ALL, false),
    client("extensions", MODERN, false),
    client("roots", ALL, false),
    client("roots.listChanged", LEGACY, true),
    client("sampling", ALL, false),
    client("sampling.context", SINCE_11, false),
    client("sampling.tools", SINCE_11, false),
    client("elicitation", SINCE_06, false),
    client("elicitation.form", SINCE_11, false),
    client("elicitation.url", SINCE_11, false),
    client("tasks", ONLY_11, false),
    client("tasks.list", ONLY_11, false),
    client("tasks.cancel", ONLY_11, false),
    client("tasks.requests", ONLY_11, false),
    client("tasks.requests.sampling", ONLY_11, false),
    client("tasks.requests.sampling.createMessage", ONLY_11, false),
    client("tasks.requests.elicitation", ONLY_11, false),
    client("tasks.requests.elicitation.create", ONLY_11, false),
    server("experimental", ALL, false),
    server("extensions", MODERN, false),
    server("logging", ALL, false),
    server("completions", SINCE_03, false),
    server("prompts", ALL, false),
    server("prompts.listChanged", ALL, true),
    server("resources", ALL, false),
    server("resources.subscribe", ALL, true),
    server("resources.listChanged", ALL, true),
    server("tools", ALL, false),
    server("tools.listChanged", ALL, true),
    server("tasks", ONLY_11, false),
    server("tasks.list", ONLY_11, false),
    server("tasks.cancel", ONLY_11, false),
    server("tasks.requests", ONLY_11, false),
    server("tasks.requests.tools", ONLY_11, false),
    server("tasks.requests.tools.call", ONLY_11, false),
];

/// The row of a place in this revision; `None`: unknown to it (a vendor's own, or another revision's).
pub fn find(side: Side, path: &str, revision: Revision) -> Option<&'static Capability> {
    CAPABILITIES.iter().find(|c| c.side == side && c.path == path && c.revisions.has(revision))
}

/// The places of one side's tree in this revision.
pub fn tree(side: Side, revision: Revision) -> impl Iterator<Item = &'static Capability> {
    CAPABILITIES.iter().filter(move |c| c.side == side && c.revisions.has(revision))
}

/// Deprecated by the revision itself.
pub fn is_deprecated(side: Side, path: &str, revision: Revision) -> bool {
    let top = path.split('.').next().unwrap_or(path);
    revision.is_modern()
        && match side {
            Side::Client => matches!(top, "roots" | "sampling"),
            Side::Server => top == "logging",
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Revision::*;

    #[test]
    fn trees_grow_and_shrink() {
        assert!(find(Side::Server, "completions", V2024_11_05).is_none());
        assert!(find(Side::Server, "completions", V2025_03_26).is_some());
        assert!(find(Side::Client, "tasks", V2026_07_28).is_none());
        assert!(find(Side::Client, "elicitation.url", V2025_06_18).is_none());
        assert_eq!(tree(Side::Server, V2024_11_05).filter(|c| c.flag).count(), 4);
        assert!(is_deprecated(Side::Client, "sampling.tools", V2026_07_28));
        assert!(!is_deprecated(Side::Client, "elicitation", V2026_07_28));
    }

    #[test]
    fn every_place_has_its_parent() {
        for c in CAPABILITIES {
            if let Some((parent, _)) = c.path.rsplit_once('.') {
                for r in c.revisions.iter() {
                    assert!(find(c.side, parent, r).is_some(), "{} in {r}", c.path);
                }
            }
        }
    }

    #[test]
    fn methods_need_places_that_exist() {
        use crate::mcp::methods::{Kind, Method, Way};
        for m in Method::ALL {
            for r in m.facts().revisions.iter() {
                let Some(path) = m.needs(r) else { continue };
                let path = path.join(".");
                // A request needs it of its receiver, a notification of its sender.
                let side = match (m.kind(), m.way(r)) {
                    (_, Way::Both) => Side::Server,
                    (Kind::Request, Way::C2s) | (Kind::Notification, Way::S2c) => Side::Server,
                    _ => Side::Client,
                };
                assert!(find(side, &path, r).is_some(), "{} needs {path} in {r}", m.name());
            }
        }
    }
}
