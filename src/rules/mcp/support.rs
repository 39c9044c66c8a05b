//! What several rules of this layer need: short quotes, the inputs that a server asks for, comparisons.

use std::fmt::Write as _;

use crate::mcp::{Method, meta};
use crate::rules::{Cx, Out};
use crate::trace::Message;
use crate::wire::envelope::Envelope;
use crate::wire::frame::{Dir, Micros};
use crate::wire::json::{Kind, Value};

/// Characters of a value that a finding repeats.
const MAX: usize = 80;

/// A text, cut to what a sentence can hold.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// A value as written, cut; objects and arrays by their kind.
pub(super) fn shown(value: Value<'_>) -> String {
    match value.kind() {
        Kind::Object => "an object".to_owned(),
        Kind::Array => "an array".to_owned(),
        _ => cut(&value.raw_str()),
    }
}

/// What a value is, in words.
pub(super) fn kind(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// A span of time for people.
pub(super) fn span(t: Micros) -> String {
    match t {
        ..1_000_000 => format!("{} ms", t / 1000),
        1_000_000..120_000_000 => format!("{:.1} s", t as f64 / 1e6),
        _ => format!("{} min", t / 60_000_000),
    }
}

/// Parts as `a, b or c`.
pub(super) fn list<S: AsRef<str>>(parts: &[S], word: &str) -> String {
    let mut out = String::new();
    for (i, part) in parts.iter().enumerate() {
        let glue = match (i, i + 1 == parts.len()) {
            (0, _) => "",
            (_, true) => word,
            _ => ", ",
        };
        let _ = write!(out, "{glue}{}", part.as_ref());
    }
    out
}

/// The name nearest to a text among some, for "did you mean".
pub(super) fn nearest<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if text.len() > MAX {
        return None;
    }
    let limit = 1 + text.len() / 4;
    names
        .take(2000)
        .filter(|n| n.len().abs_diff(text.len()) <= limit)
        .map(|n| (if n.eq_ignore_ascii_case(text) { 0 } else { strsim::damerau_levenshtein(n, text) }, n))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, n)| n)
}

/// A request of the client.
pub(super) fn from_client<'a>(cx: &Cx<'a>) -> Option<&'a Message<'a>> {
    cx.msg().filter(|m| m.dir == Dir::C2s)
}

/// A message of the server.
pub(super) fn from_server<'a>(cx: &Cx<'a>) -> Option<&'a Message<'a>> {
    cx.msg().filter(|m| m.dir == Dir::S2c)
}

/// Nothing of the session before this moment is hidden: an id that was not seen was not sent.
pub(super) fn sees_all(cx: &Cx<'_>) -> bool {
    cx.session.whole && !cx.session.gap && !is_mixed(cx)
}

/// Several clients may be behind this session: over HTTP before 2026-07-28, without session ids, the requests of all of
/// them look alike, and only the newest handshake is known.
pub(super) fn is_mixed(cx: &Cx<'_>) -> bool {
    let session = cx.session;
    session.is_http()
        && !cx.revision.is_modern()
        && session.session_id.is_none()
        && cx.store.sessions.iter().take(session.index as usize).any(|s| s.conn == session.conn)
}

/// Adds a fault of a shape to what a rule says: where, what is missing and under which other name it may be there.
pub(super) fn say_fault(what: &str, root: Value<'_>, fault: crate::mcp::shape::Fault, out: &mut Out<'_>) {
    let mut pointer = fault.pointer;
    let Some(member) = fault.missing else {
        out.say(format!("{what} breaks its schema"))
            .pointer(pointer)
            .expected(fault.expected)
            .actual(cut(&fault.actual));
        return;
    };
    let holder = root.doc().root().and_then(|r| r.at(&pointer));
    let keys: Vec<_> = holder.into_iter().flat_map(Value::members).take(50).map(|(k, _)| k.as_str()).collect();
    let near = nearest(member, keys.iter().map(std::convert::AsRef::as_ref)).or_else(|| {
        let plain =
            |s: &str| s.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
        keys.iter().map(std::convert::AsRef::as_ref).find(|k| plain(k) == plain(member))
    });
    let instead = near.map(|n| format!(", and has \"{}\"", cut(n))).unwrap_or_default();
    crate::wire::json::pointer::push(&mut pointer, member);
    out.say(format!("{what} lacks \"{member}\"{instead}"))
        .pointer(pointer)
        .expected(fault.expected)
        .actual(cut(&fault.actual));
}

/// A result of the server under 2026-07-28 that answers a known request; not the empty result that some old servers
/// give to `server/discover`, and not that of `initialize`, which has rules of its own.
pub(super) fn modern_result<'a>(cx: &Cx<'a>) -> Option<(&'a Message<'a>, Value<'a>)> {
    let message = from_server(cx)?;
    let result = message.result().filter(|r| r.is_object())?;
    let method = cx.request()?.method;
    let empty = method == Some(Method::Discover)
        && !result.get("supportedVersions").is_some_and(Value::is_array)
        && result.get("resultType").is_none();
    (!empty && method != Some(Method::Initialize)).then_some((message, result))
}

/// It is a complete result: `resultType` says so, or is missing.
pub(super) fn is_complete(result: Value<'_>) -> bool {
    result.get("resultType").is_none_or(|t| t.str_eq("complete"))
}

/// The request lacked something of its `_meta` that is required: that was reported there.
pub(super) fn request_lacked_meta(cx: &Cx<'_>) -> bool {
    cx.request().is_some_and(|open| {
        cx.store.findings_of(open.record).any(|(_, f)| {
            matches!(f.rule, "meta-missing" | "meta-missing-protocol-version" | "meta-missing-client-capabilities")
        })
    })
}

/// Calls `f` with each input that the message asks for: a request of the server before 2026-07-28, or an entry of
/// `inputRequests` since. `None` for params that are missing.
pub(super) fn each_input<'a>(message: &Message<'a>, mut f: impl FnMut(Method, Option<Value<'a>>)) {
    if message.dir != Dir::S2c {
        return;
    }
    if let Some(method) = message.method.filter(|m| m.is_input_request()) {
        f(method, message.params());
        return;
    }
    let requests = message.result().and_then(|r| r.get("inputRequests"));
    for (_, request) in requests.into_iter().flat_map(Value::members) {
        let method = request.get("method").and_then(Value::as_str).as_deref().and_then(Method::lookup);
        if let Some(method) = method.filter(|m| m.is_input_request()) {
            f(method, request.get("params"));
        }
    }
}

/// The form that an elicitation asks for; `None` in url mode, or where there is none.
pub(super) fn form(params: Option<Value<'_>>) -> Option<Value<'_>> {
    let params = params?;
    if params.get("mode").is_some_and(|m| !m.str_eq("form")) {
        return None;
    }
    params.get("requestedSchema")
}

/// Calls `f` with each input that the client gives: the question's method, its params, and the answer.
pub(super) fn each_answer<'a>(cx: &'a Cx<'_>, mut f: impl FnMut(Method, Option<Value<'_>>, Value<'a>)) {
    let Some(message) = from_client(cx) else { return };
    if let Some(result) = message.result() {
        let Some(method) = cx.request().and_then(|o| o.method).filter(|m| m.is_input_request()) else { return };
        f(method, cx.request_params(), result);
        return;
    }
    let Some(responses) = message.params().and_then(|p| p.get("inputResponses")) else { return };
    let Some(waiting) = retried(cx) else { return };
    let requests = crate::wire::json::Document::new(waiting.requests.clone());
    let Some(requests) = requests.doc().root() else { return };
    for (key, answer) in responses.members() {
        let Some(request) = requests.get(&key.as_str()) else { continue };
        let method = request.get("method").and_then(Value::as_str).as_deref().and_then(Method::lookup);
        if let Some(method) = method {
            f(method, request.get("params"), answer);
        }
    }
}

/// The result that asked for input and that this request retries.
pub(super) fn retried<'a>(cx: &Cx<'a>) -> Option<&'a crate::trace::session::Waiting> {
    match cx.pairing {
        crate::trace::session::Pairing::Request { retry: Some(i), .. } => cx.session.waiting.get(*i),
        _ => None,
    }
}

/// The same JSON value: by bytes, else by meaning.
pub(super) fn same(a: Option<Value<'_>>, b: Option<Value<'_>>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) if a.raw() == b.raw() => true,
        (Some(a), Some(b)) => match (a.to_serde(), b.to_serde()) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        },
        _ => false,
    }
}

/// The parameters of a kept request.
pub(super) fn params_of<'a>(document: &'a crate::wire::json::Document) -> Option<Value<'a>> {
    Envelope::read(document.doc().root()?).params
}

/// What a client declares with a request of 2026-07-28.
pub(super) fn declared(params: Option<Value<'_>>) -> Option<Value<'_>> {
    params?.get("_meta")?.get(meta::CLIENT_CAPABILITIES).filter(|c| c.is_object())
}

/// Whether a capabilities object has a path; `false` and `null` say no.
pub(super) fn has(caps: Value<'_>, path: &[&str]) -> bool {
    caps.path(path).is_some_and(|v| !v.is_null() && v.as_bool() != Some(false))
}

/// The scheme of a URI, as written; `None` where there is none.
pub(super) fn scheme(uri: &str) -> Option<&str> {
    let (scheme, _) = uri.split_once(':')?;
    let b = scheme.as_bytes();
    let fits = b.first().is_some_and(u8::is_ascii_alphabetic)
        && b.iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'-' | b'.'));
    fits.then_some(scheme)
}
