//! `_meta`: the keys that the protocol defines, and the grammar of all others.

use super::revision::{Revision, Revisions};

/// Version of the protocol that a request is in (2026-07-28).
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Who sends the request, for display (2026-07-28).
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// What the client can do for this request (2026-07-28).
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// Lowest level of log messages that the request asks for (2026-07-28, deprecated there).
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Who answered, for display (2026-07-28).
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// Id of the `subscriptions/listen` request that a notification belongs to (2026-07-28).
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The task that a message belongs to (2025-11-25).
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
/// Text for the model until a task has ended (2025-11-25).
pub const IMMEDIATE_RESPONSE: &str = "io.modelcontextprotocol/model-immediate-response";
/// Asks for progress notifications.
pub const PROGRESS_TOKEN: &str = "progressToken";
/// W3C trace context (2026-07-28).
pub const TRACEPARENT: &str = "traceparent";
/// W3C trace context (2026-07-28).
pub const TRACESTATE: &str = "tracestate";
/// W3C baggage (2026-07-28).
pub const BAGGAGE: &str = "baggage";

/// Where a key may stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// `params._meta` of a request.
    Request,
    /// `params._meta` of a notification.
    Notification,
    /// `result._meta`.
    Result,
    /// On more than one of these.
    Any,
}

/// JSON type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// A string.
    String,
    /// A string, or a number that is an integer.
    StringOrInteger,
    /// A log level.
    Level,
    /// An object with `name` and `version`.
    Implementation,
    /// An object of client capabilities.
    ClientCapabilities,
    /// An object with `taskId`.
    Task,
}

/// A key that the protocol defines.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The whole key.
    pub name: &'static str,
    /// Where it has a meaning.
    pub revisions: Revisions,
    /// On which messages.
    pub at: At,
    /// What its value is.
    pub ty: Type,
    /// The revision demands it there.
    pub required: bool,
}

const MODERN: Revisions = Revisions::MODERN;
const V25_11: Revisions = Revisions::of(&[Revision::V2025_11_25]);

/// Every key that a revision defines.
pub const KEYS: &[Key] = &[
    Key { name: PROTOCOL_VERSION, revisions: MODERN, at: At::Request, ty: Type::String, required: true },
    Key { name: CLIENT_CAPABILITIES, revisions: MODERN, at: At::Request, ty: Type::ClientCapabilities, required: true },
    Key { name: CLIENT_INFO, revisions: MODERN, at: At::Request, ty: Type::Implementation, required: false },
    Key { name: LOG_LEVEL, revisions: MODERN, at: At::Request, ty: Type::Level, required: false },
    Key { name: SERVER_INFO, revisions: MODERN, at: At::Result, ty: Type::Implementation, required: false },
    Key { name: SUBSCRIPTION_ID, revisions: MODERN, at: At::Any, ty: Type::StringOrInteger, required: false },
    Key { name: RELATED_TASK, revisions: V25_11, at: At::Any, ty: Type::Task, required: false },
    Key { name: IMMEDIATE_RESPONSE, revisions: V25_11, at: At::Result, ty: Type::String, required: false },
    Key {
        name: PROGRESS_TOKEN,
        revisions: Revisions::ALL,
        at: At::Request,
        ty: Type::StringOrInteger,
        required: false,
    },
    Key { name: TRACEPARENT, revisions: MODERN, at: At::Any, ty: Type::String, required: false },
    Key { name: TRACESTATE, revisions: MODERN, at: At::Any, ty: Type::String, required: false },
    Key { name: BAGGAGE, revisions: MODERN, at: At::Any, ty: Type::String, required: false },
];

/// The row of a key in this revision.
pub fn find(name: &str, revision: Revision) -> Option<&'static Key> {
    KEYS.iter().find(|k| k.name == name && k.revisions.has(revision))
}

/// What is wrong with the form of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyFault {
    /// A label of the prefix does not begin with a letter, end with a letter or digit, or has other characters inside.
    Prefix,
    /// The name after the prefix does not begin and end with a letter or digit, or has characters other than
    /// letters, digits, `-`, `_` and `.`.
    Name,
}

/// The prefix (without its slash) and the name of a key.
pub fn split(key: &str) -> (Option<&str>, &str) {
    match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    }
}

/// Holds a key against the grammar that exists since 2025-06-18; older revisions have none.
pub fn key_fault(key: &str, revision: Revision) -> Option<KeyFault> {
    if revision < Revision::V2025_06_18 {
        return None;
    }
    let (prefix, name) = split(key);
    if prefix.is_some_and(|p| !p.split('.').all(is_label)) {
        return Some(KeyFault::Prefix);
    }
    let b = name.as_bytes();
    let ends = |c: Option<&u8>| c.is_none_or(u8::is_ascii_alphanumeric);
    let inside = b.iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.'));
    // The empty name is allowed; a key without prefix has to have one, as "" names nothing.
    if !inside || !ends(b.first()) || !ends(b.last()) || (prefix.is_none() && b.is_empty()) {
        return Some(KeyFault::Name);
    }
    None
}

fn is_label(label: &str) -> bool {
    let b = label.as_bytes();
    b.first().is_some_and(u8::is_ascii_alphabetic)
        && b.last().is_some_and(u8::is_ascii_alphanumeric)
        && b.iter().all(|c| c.is_ascii_alphanumeric() || *c == b'-')
}

/// Is the prefix kept for the protocol itself?
///
/// From 2025-11-25 on: the second label is `modelcontextprotocol` or `mcp`. 2025-06-18: any labels, then one of these,
/// then exactly one more. Before: nothing is reserved.
pub fn is_reserved_prefix(prefix: &str, revision: Revision) -> bool {
    let ours = |label: &str| matches!(label, "modelcontextprotocol" | "mcp");
    match revision {
        Revision::V2024_11_05 | Revision::V2025_03_26 => false,
        Revision::V2025_06_18 => {
            let mut labels = prefix.rsplit('.');
            labels.next().is_some() && labels.next().is_some_and(ours)
        }
        Revision::V2025_11_25 | Revision::V2026_07_28 => prefix.split('.').nth(1).is_some_and(ours),
    }
}

/// A key that only the protocol may define and that this revision does not: somebody made it up, or took it from
/// another revision (then [`revisions_of`] tells).
pub fn is_reserved_unknown(key: &str, revision: Revision) -> bool {
    match split(key) {
        (Some(prefix), _) => is_reserved_prefix(prefix, revision) && find(key, revision).is_none(),
        (None, _) => false,
    }
}

/// Revisions that define the key; empty where none does.
pub fn revisions_of(key: &str) -> Revisions {
    KEYS.iter().find(|k| k.name == key).map_or(Revisions::NONE, |k| k.revisions)
}

/// A `traceparent` value by the W3C recommendation (version 00, or a later one that begins like it).
pub fn is_traceparent(text: &str) -> bool {
    let hex = |s: &str, n: usize| s.len() == n && s.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
    let zero = |s: &str| s.bytes().all(|c| c == b'0');
    let parts: Vec<&str> = text.splitn(5, '-').collect();
    let [version, trace, parent, flags, ..] = parts[..] else { return false };
    hex(version, 2)
        && version != "ff"
        && (version != "00" || parts.len() == 4)
        && hex(trace, 32)
        && !zero(trace)
        && hex(parent, 16)
        && !zero(parent)
        && hex(flags, 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Revision::*;

    #[test]
    fn grammar() {
        for good in ["a", "a/b", "io.modelcontextprotocol/x", "com.example-x.y2/a_b.c-d", "x/", "9lives", "fastmcp"] {
            assert_eq!(key_fault(good, V2026_07_28), None, "{good}");
        }
        for (bad, fault) in [
            ("", KeyFault::Name),
            ("/a", KeyFault::Prefix),
            ("a..b/c", KeyFault::Prefix),
            ("1a/c", KeyFault::Prefix),
            ("a-/c", KeyFault::Prefix),
            ("a/b/c", KeyFault::Name),
            ("a/_b", KeyFault::Name),
            ("b.", KeyFault::Name),
            ("a b", KeyFault::Name),
            ("ä", KeyFault::Name),
        ] {
            assert_eq!(key_fault(bad, V2026_07_28), Some(fault), "{bad}");
        }
        assert_eq!(key_fault("a b", V2025_03_26), None);
    }

    #[test]
    fn reserved_by_revision() {
        assert!(is_reserved_prefix("io.modelcontextprotocol", V2026_07_28));
        assert!(is_reserved_prefix("com.mcp.tools", V2025_11_25));
        assert!(!is_reserved_prefix("com.example.mcp", V2025_11_25));
        assert!(!is_reserved_prefix("mcp.dev", V2025_11_25));
        assert!(is_reserved_prefix("mcp.dev", V2025_06_18));
        assert!(is_reserved_prefix("api.modelcontextprotocol.org", V2025_06_18));
        assert!(!is_reserved_prefix("mcp", V2025_06_18));
        assert!(!is_reserved_prefix("mcp.dev", V2025_03_26));
        assert!(is_reserved_unknown("io.modelcontextprotocol/related-task", V2026_07_28));
        assert!(!is_reserved_unknown("io.modelcontextprotocol/related-task", V2025_11_25));
        assert!(revisions_of(RELATED_TASK).has(V2025_11_25));
    }

    #[test]
    fn trace_parent() {
        assert!(is_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
        assert!(is_traceparent("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"));
        for bad in [
            "",
            "00-4BF92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ] {
            assert!(!is_traceparent(bad), "{bad}");
        }
    }
}
