//! What differs on every run although nothing has changed.

/// Members whose value means nothing beyond its run, wherever they stand.
const NAMES: &[&str] = &[
    "progressToken",
    "cursor",
    "nextCursor",
    "requestState",
    "requestId",
    "elicitationId",
    "taskId",
    "traceparent",
    "tracestate",
    "baggage",
    "io.modelcontextprotocol/subscriptionId",
    "io.modelcontextprotocol/related-task",
    "timestamp",
    "createdAt",
    "updatedAt",
    "lastUpdatedAt",
    "lastModified",
];

/// Who describes itself: its `version` changes with every release.
const INFOS: &[&str] =
    &["serverInfo", "clientInfo", "io.modelcontextprotocol/serverInfo", "io.modelcontextprotocol/clientInfo"];

/// Whether the member `name` of the member `parent` is volatile. `top`: it stands at the top of a message.
pub(super) fn is_name(name: &str, parent: Option<&str>, top: bool) -> bool {
    NAMES.contains(&name)
        || (top && name == "id")
        || (name == "version" && parent.is_some_and(|p| INFOS.contains(&p)))
        || (parent == Some("_meta") && name == "io.modelcontextprotocol/progressToken")
}

/// What a text is that a program makes anew each time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Made {
    /// A time (RFC 3339).
    Time,
    /// A UUID.
    Uuid,
}

/// Whether a whole text is a time or a UUID.
pub(super) fn made(text: &str) -> Option<Made> {
    let b = text.as_bytes();
    let shape = |pattern: &[u8]| {
        b.len() >= pattern.len()
            && pattern.iter().zip(b).all(|(p, c)| match p {
                b'0' => c.is_ascii_digit(),
                b'x' => c.is_ascii_hexdigit(),
                b'T' => matches!(c, b'T' | b't' | b' '),
                p => p == c,
            })
    };
    if b.len() == 36 && shape(b"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") {
        return Some(Made::Uuid);
    }
    let time = (20..=35).contains(&b.len())
        && shape(b"0000-00-00T00:00:00")
        && b[19..].iter().all(|c| c.is_ascii_digit() || matches!(c, b'.' | b'Z' | b'z' | b'+' | b'-' | b':'));
    time.then_some(Made::Time)
}
