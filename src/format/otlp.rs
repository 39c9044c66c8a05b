//! OpenTelemetry traces in OTLP JSON, with the semantic conventions for MCP.
//!
//! A span is the outline of an exchange: method, target, id, times, error. Arguments and results are in it only if
//! somebody asked for them. The messages that are shown are made of these outlines; no rule about bodies is judged. Of a
//! client's and a server's span of one request the client's counts.

use rustc_hash::{FxHashMap, FxHashSet};

use super::import::At;
use super::{Confidence, Format, Import, detect::Head, infer, text};
use crate::trace::Missing;
use crate::wire::frame::Dir;
use crate::wire::json::Value;

/// See the module.
pub(super) const FORMAT: Format = Format { name: "otlp", about: "OpenTelemetry traces, OTLP JSON", detect, read };

fn detect(head: &Head<'_>) -> Confidence {
    let is = |v: Value<'_>| ["resourceSpans", "resourceMetrics", "resourceLogs"].iter().any(|k| v.get(k).is_some());
    Confidence::sure_if(head.first.is_some_and(is))
}

struct Span {
    line: u32,
    id: String,
    parent: String,
    server: bool,
    start: Option<i64>,
    end: Option<i64>,
    failed: bool,
    message: String,
    session: String,
    at: FxHashMap<String, String>,
}

fn read(bytes: &[u8], import: &mut Import) {
    import.excerpt = true;
    import.missing = import.missing | Missing::BYTES | Missing::BODIES | Missing::HTTP;
    let (mut spans, mut other) = (Vec::new(), 0u32);
    let whole =
        text::lines(bytes).next().is_some_and(|l| text::json(&mut crate::wire::json::Parser::new(), l.text).is_some());
    if whole {
        text::json_lines(bytes, import, |_, line, root| collect(root, &mut |_| line.number, &mut spans, &mut other));
    } else {
        text::document(bytes, import, |_, root, line_of| {
            collect(root, &mut |at| line_of.line(at), &mut spans, &mut other);
        });
    }
    let known: FxHashSet<String> = spans.iter().filter(|s: &&Span| !s.server).map(|s| s.id.clone()).collect();
    let mut conns: FxHashMap<String, u32> = FxHashMap::default();
    let mut doubles = 0;
    import.sort_by_time();
    for span in &spans {
        if span.server && known.contains(&span.parent) {
            doubles += 1;
            continue;
        }
        let next = conns.len() as u32 + 1;
        let conn = *conns.entry(span.session.clone()).or_insert(next);
        outline(span, conn, import);
    }
    if doubles > 0 {
        import.notes.push(format!("{doubles} spans of servers stand beside their clients' spans and were left out"));
    }
    if other > 0 {
        import.notes.push(format!("{other} spans, metrics or logs that are not MCP were left out"));
    }
    if spans.is_empty() {
        import.notes.push("no span in this file has mcp.method.name".into());
    }
}

fn collect(root: Value<'_>, line: &mut dyn FnMut(usize) -> u32, spans: &mut Vec<Span>, other: &mut u32) {
    *other += u32::from(root.get("resourceSpans").is_none());
    for resource in root.get("resourceSpans").into_iter().flat_map(Value::elements) {
        for scope in resource.get("scopeSpans").into_iter().flat_map(Value::elements) {
            for span in scope.get("spans").into_iter().flat_map(Value::elements) {
                let at = attributes(span.get("attributes"));
                if !at.contains_key("mcp.method.name") {
                    *other = other.saturating_add(1);
                    continue;
                }
                let text = |key: &str| span.get(key).and_then(Value::as_str).unwrap_or_default().into_owned();
                let nanos = |key: &str| {
                    let value = span.get(key)?;
                    let n = value.as_str().and_then(|s| s.parse::<i64>().ok()).or_else(|| value.as_i64())?;
                    Some(n / 1000)
                };
                let session = at.get("mcp.session.id").or_else(|| at.get("server.address")).cloned();
                spans.push(Span {
                    line: line(span.span().start),
                    id: text("spanId"),
                    parent: text("parentSpanId"),
                    server: span.get("kind").and_then(Value::as_i64) == Some(2),
                    start: nanos("startTimeUnixNano"),
                    end: nanos("endTimeUnixNano"),
                    failed: span.path(&["status", "code"]).and_then(Value::as_i64) == Some(2),
                    message: span.path(&["status", "message"]).and_then(Value::as_str).unwrap_or_default().into_owned(),
                    session: session.unwrap_or_default(),
                    at,
                });
            }
        }
    }
}

/// The attributes that are strings or numbers, as text.
fn attributes(list: Option<Value<'_>>) -> FxHashMap<String, String> {
    let one = |a: Value<'_>| {
        let (_, value) = a.get("value")?.members().next()?;
        let text = value.as_str().unwrap_or_else(|| value.raw_str());
        Some((a.get("key")?.as_str()?.into_owned(), text.into_owned()))
    };
    list.into_iter().flat_map(Value::elements).filter_map(one).collect()
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// The JSON that an attribute holds, or its text as a string.
fn json_or_text(text: &str) -> String {
    let whole = crate::wire::json::Parser::new().parse_first(text.as_bytes()).faults().syntax.is_none();
    let object = text.trim_start().starts_with(['{', '[']);
    if whole && object && !text.contains(['\n', '\r']) { text.to_owned() } else { quoted(text) }
}

fn outline(span: &Span, conn: u32, import: &mut Import) {
    let get = |key: &str| span.at.get(key).map(String::as_str);
    let method = get("mcp.method.name").unwrap_or_default();
    let id = get("jsonrpc.request.id").map(|id| {
        let number = id.parse::<i64>().is_ok_and(|n| n.to_string() == id);
        if number { id.to_owned() } else { quoted(id) }
    });
    let mut params = Vec::new();
    for (key, name) in [("gen_ai.tool.name", "name"), ("gen_ai.prompt.name", "name"), ("mcp.resource.uri", "uri")] {
        if let Some(value) = get(key).filter(|_| params.is_empty()) {
            params.push(format!("{}:{}", quoted(name), quoted(value)));
        }
    }
    if let Some(arguments) = get("gen_ai.tool.call.arguments") {
        params.push(format!("\"arguments\":{}", json_or_text(arguments)));
    }
    let mut request = String::from("{\"jsonrpc\":\"2.0\"");
    if let Some(id) = &id {
        request.push_str(&format!(",\"id\":{id}"));
    }
    request.push_str(&format!(",\"method\":{}", quoted(method)));
    if !params.is_empty() {
        request.push_str(&format!(",\"params\":{{{}}}", params.join(",")));
    }
    request.push('}');
    let dir = infer::certain(request.as_bytes()).unwrap_or(Dir::C2s);
    let at = At { line: span.line, t: span.start, conn };
    import.message(at, Some(dir), request.as_bytes());
    let (Some(id), Some(_)) = (id, span.end) else { return };
    let code = get("rpc.response.status_code").or_else(|| get("error.type").filter(|e| *e != "tool_error"));
    let body = match code {
        Some(code) if span.failed => {
            let number = code.parse::<i64>().unwrap_or(0);
            let message = if span.message.is_empty() { code } else { &span.message };
            format!("\"error\":{{\"code\":{number},\"message\":{}}}", quoted(message))
        }
        _ if get("error.type") == Some("tool_error") => {
            format!(
                "\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":{}}}],\"isError\":true}}",
                quoted(&span.message)
            )
        }
        _ => match get("gen_ai.tool.call.result").map(json_or_text).filter(|r| r.starts_with('{')) {
            Some(result) => format!("\"result\":{result}"),
            None => "\"result\":{}".to_owned(),
        },
    };
    let response = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{body}}}");
    import.message(At { t: span.end, ..at }, Some(dir.opposite()), response.as_bytes());
}
