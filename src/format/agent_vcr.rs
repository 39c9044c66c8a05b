//! agent-vcr (`.vcr`): one JSON document with the handshake and `interactions`. Times have no zone.

use super::import::At;
use super::{Confidence, Format, Import, detect::Head, text, time};
use crate::trace::Missing;
use crate::wire::frame::Dir;
use crate::wire::json::Value;

/// See the module.
pub(super) const FORMAT: Format = Format { name: "agent-vcr", about: "recordings of agent-vcr (.vcr)", detect, read };

fn detect(head: &Head<'_>) -> Confidence {
    let is = |v: Value<'_>| {
        v.get("format_version").is_some_and(Value::is_string)
            && v.get("session")
                .is_some_and(|s| s.get("initialize_request").is_some() || s.get("interactions").is_some())
    };
    Confidence::sure_if(head.first.is_some_and(is))
}

fn read(bytes: &[u8], import: &mut Import) {
    import.missing = import.missing | Missing::BYTES;
    text::document(bytes, import, |import, root, line_of| {
        let started = import.time(root.path(&["metadata", "recorded_at"]));
        let text = |keys: &[&str]| root.path(keys).and_then(Value::as_str).map(String::from);
        import.header.transport = text(&["metadata", "transport"]);
        import.header.command = text(&["metadata", "server_command"]).into_iter().collect();
        let words = root.path(&["metadata", "server_args"]).into_iter().flat_map(Value::elements);
        import.header.command.extend(words.filter_map(|w| w.as_str().map(String::from)));
        if import.header.transport.as_deref().is_some_and(|t| t != "stdio") {
            import.missing = import.missing | Missing::HTTP;
        }
        let Some(session) = root.get("session") else { return };
        for (key, dir) in [("initialize_request", Dir::C2s), ("initialize_response", Dir::S2c)] {
            if let Some(message) = session.get(key).filter(|m| m.get("jsonrpc").is_some()) {
                let at = At { line: line_of.line(message.span().start), t: started, conn: 1 };
                import.value(at, Some(dir), message.raw());
            }
        }
        for one in session.get("interactions").into_iter().flat_map(Value::elements) {
            let t = import.time(one.get("timestamp"));
            let at = At { line: line_of.line(one.span().start), t, conn: 1 };
            let later = At { t: t.map(|t| t + time::millis(one.get("latency_ms").and_then(Value::as_f64))), ..at };
            let back = one.get("direction").is_some_and(|d| d.str_eq("server_to_client"));
            let dir = if back { Dir::S2c } else { Dir::C2s };
            let object = |key: &str| one.get(key).filter(|v| v.is_object() || v.is_array());
            if let Some(request) = object("request") {
                import.value(at, Some(dir), request.raw());
            }
            for notification in one.get("notifications").into_iter().flat_map(Value::elements) {
                import.value(later, Some(dir.opposite()), notification.raw());
            }
            if let Some(response) = object("response") {
                import.value(later, Some(dir.opposite()), response.raw());
            }
        }
    });
}
