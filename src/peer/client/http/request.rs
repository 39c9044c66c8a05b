//! The head of a POST: what of the body is said again in its fields.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use http::{Request, Uri};
use http_body_util::Full;

use super::State;
use crate::mcp::headers::{METHOD, NAME, PARAM_PREFIX, PROTOCOL_VERSION, SESSION_ID, encode, name_member};
use crate::mcp::{Method, Revision, param_headers};
use crate::peer::client::transport::Outgoing;
use crate::wire::json::{Document, Parser, Value};

/// What a client takes as an answer to a POST.
const BOTH: &str = "application/json, text/event-stream";

/// Who we are.
pub(super) const AGENT: &str = concat!("mcpscope/", env!("CARGO_PKG_VERSION"));

pub(super) fn post(url: &Uri, message: &Outgoing<'_>, state: &State) -> Result<Request<Full<Bytes>>, http::Error> {
    let mut request = Request::post(url.clone())
        .header(CONTENT_TYPE, "application/json")
        .header(ACCEPT, BOTH)
        .header(USER_AGENT, AGENT);
    // The probe, of which no revision is known yet, is written in the newest.
    let revision = message.revision.unwrap_or(Revision::NEWEST);
    if speaks_version(revision, message.method) {
        request = request.header(PROTOCOL_VERSION, revision.as_str());
    }
    if revision.is_modern() {
        for (name, value) in mirrored(message.bytes, revision, state) {
            // What cannot be a field is not sent; the server says what it thinks of that.
            if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(&value)) {
                request = request.header(name, value);
            }
        }
    } else if let Some(session) = state.session.as_ref().filter(|_| !is_initialize(message.method)) {
        request = request.header(SESSION_ID, session);
    }
    request.body(Full::from(Bytes::copy_from_slice(message.bytes)))
}

/// The end of a session.
pub(super) fn delete(
    url: &Uri,
    session: &str,
    revision: Option<Revision>,
) -> Result<Request<Full<Bytes>>, http::Error> {
    let mut request = Request::delete(url.clone()).header(USER_AGENT, AGENT).header(SESSION_ID, session);
    if let Some(revision) = revision.filter(|revision| speaks_version(*revision, None)) {
        request = request.header(PROTOCOL_VERSION, revision.as_str());
    }
    request.body(Full::default())
}

fn is_initialize(method: Option<&str>) -> bool {
    method == Some(Method::Initialize.name())
}

/// Since 2025-06-18 every message says it, but the one that asks for it.
fn speaks_version(revision: Revision, method: Option<&str>) -> bool {
    revision >= Revision::V2025_06_18 && !is_initialize(method)
}

/// Fields that mirror the body (2026-07-28).
fn mirrored(bytes: &[u8], revision: Revision, state: &State) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut parser = Parser::new();
    let Some(root) = parser.parse(bytes).root() else { return out };
    let Some(method) = root.get("method").and_then(Value::as_str) else { return out };
    out.push((METHOD.to_owned(), method.to_string()));
    let Some(params) = root.get("params") else { return out };
    let Some(method) = Method::lookup(&method) else { return out };
    let name = name_member(method, revision).and_then(|member| params.get(member)).and_then(Value::as_str);
    let Some(name) = name else { return out };
    out.push((NAME.to_owned(), encode(&name)));
    if method != Method::ToolsCall {
        return out;
    }
    let (Some(schema), Some(arguments)) = (state.schemas.get(&*name), params.get("arguments")) else { return out };
    let schema = Document::new(schema.clone());
    let Some(schema) = schema.doc().root() else { return out };
    for header in param_headers::annotations(schema).headers {
        if let Some(argument) = header.argument(arguments) {
            let text = argument.as_str().map_or_else(|| argument.raw_str().into_owned(), |text| text.into_owned());
            out.push((format!("{PARAM_PREFIX}{}", header.name), encode(&text)));
        }
    }
    out
}

/// Remembers which tools ask for headers.
pub(super) fn note_tools(state: &mut State, root: Value<'_>) {
    let tools = root.get("result").and_then(|result| result.get("tools"));
    for tool in tools.into_iter().flat_map(Value::elements) {
        let (Some(name), Some(schema)) = (tool.get("name").and_then(Value::as_str), tool.get("inputSchema")) else {
            continue;
        };
        if memchr::memmem::find(schema.raw(), crate::mcp::headers::ANNOTATION.as_bytes()).is_some() {
            state.schemas.insert(name.into_owned(), schema.raw().into());
        } else {
            state.schemas.remove(&*name);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn fields(message: &str, method: &str, revision: Option<Revision>, state: &State) -> Vec<String> {
        let bytes = message.as_bytes();
        let outgoing = Outgoing { bytes, id: Some("1"), method: Some(method), revision };
        let request = post(&"http://localhost/mcp".parse().unwrap(), &outgoing, state).unwrap();
        request.headers().iter().skip(3).map(|(n, v)| format!("{n}: {}", v.to_str().unwrap())).collect()
    }

    #[test]
    fn the_body_is_mirrored() {
        let mut state = State { session: Some("s".into()), ..State::default() };
        let list = r#"{"result":{"tools":[{"name":"größe","inputSchema":{"type":"object","properties":{
            "r":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"}}}},{"name":"b","inputSchema":{}}]}}"#;
        note_tools(&mut state, Parser::new().parse(list.as_bytes()).root().unwrap());
        assert_eq!(state.schemas.len(), 1);
        let call =
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"größe","arguments":{"r":"eu","n":7}}}"#;
        let want = [
            "mcp-protocol-version: 2026-07-28",
            "mcp-method: tools/call",
            "mcp-name: =?base64?Z3LDtsOfZQ==?=",
            "mcp-param-region: eu",
            "mcp-param-n: 7",
        ];
        assert_eq!(fields(call, "tools/call", None, &state), want);
        let legacy = ["mcp-protocol-version: 2025-06-18", "mcp-session-id: s"];
        assert_eq!(fields(call, "tools/call", Some(Revision::V2025_06_18), &state), legacy);
        assert_eq!(fields(call, "tools/call", Some(Revision::V2025_03_26), &state), ["mcp-session-id: s"]);
        assert_eq!(fields("{}", "initialize", Some(Revision::V2025_11_25), &state), [""; 0]);
        let read = r#"{"method":"resources/read","params":{"uri":"demo://a"}}"#;
        assert_eq!(fields(read, "resources/read", None, &state)[2], "mcp-name: demo://a");
    }
}
