//! HAR 1.2, as browsers and proxies export it.
//!
//! Bodies are text or base64, decoded from their Content-Encoding. Events of a stream have no times of their own: all get
//! the end of the exchange. Bodies that were aborted, still streaming or large are often left out.

use std::borrow::Cow;

use base64::Engine as _;

use super::web::{Exchange, Web};
use super::{Confidence, Format, Import, detect::Head, text, time};
use crate::wire::frame::Headers;
use crate::wire::json::Value;

/// See the module.
pub(super) const FORMAT: Format = Format { name: "har", about: "HAR of a browser or a proxy", detect, read };

fn detect(head: &Head<'_>) -> Confidence {
    let is = |v: Value<'_>| v.get("log").is_some_and(|l| l.get("entries").is_some() || l.get("creator").is_some());
    Confidence::sure_if(head.first.is_some_and(is))
}

fn read(bytes: &[u8], import: &mut Import) {
    let mut web = Web::default();
    text::document(bytes, import, |import, root, line_of| {
        let creator = |key: &str| root.path(&["log", "creator", key]).and_then(Value::as_str);
        if let Some(name) = creator("name") {
            import.header.tool =
                Some(format!("{name} {}", creator("version").unwrap_or_default()).trim_end().to_owned());
        }
        for entry in root.path(&["log", "entries"]).into_iter().flat_map(Value::elements) {
            let line = line_of.line(entry.span().start);
            let start = import.time(entry.get("startedDateTime"));
            web.push(exchange(entry, line, start));
        }
    });
    web.finish(import);
}

fn exchange(entry: Value<'_>, line: u32, start: Option<i64>) -> Exchange {
    let text = |keys: &[&str]| entry.path(keys).and_then(Value::as_str).map(Cow::into_owned);
    let part = |key: &str| time::millis(entry.path(&["timings", key]).and_then(Value::as_f64));
    let total = time::millis(entry.get("time").and_then(Value::as_f64));
    // Connecting is before sending; a part that is not applicable is -1.
    let head = part("blocked") + part("dns") + part("connect") + part("send") + part("wait");
    let head = head.min(total);
    let content = entry.path(&["response", "content"]);
    let base64 = content.and_then(|c| c.get("encoding")).is_some_and(|e| e.str_eq("base64"));
    let body = content.and_then(|c| c.get("text")).and_then(Value::as_str).map(|text| {
        let plain = base64.then(|| base64::engine::general_purpose::STANDARD.decode(text.trim()).ok()).flatten();
        plain.unwrap_or_else(|| text.into_owned().into_bytes())
    });
    let status = entry.path(&["response", "status"]).and_then(Value::as_i64);
    Exchange {
        line,
        start,
        head: start.map(|t| t + head),
        end: start.map(|t| t + total),
        method: text(&["request", "method"]).unwrap_or_default(),
        url: text(&["request", "url"]).unwrap_or_default(),
        request_headers: headers(entry.path(&["request", "headers"])),
        request: text(&["request", "postData", "text"]).unwrap_or_default().into_bytes(),
        // Browsers write 0 where no answer came.
        status: status.and_then(|s| u16::try_from(s).ok()).filter(|s| *s > 0),
        headers: headers(entry.path(&["response", "headers"])),
        body,
        size: content.and_then(|c| c.get("size")).and_then(Value::as_u64),
        packed: false,
    }
}

/// `[{"name": …, "value": …}]`, without the pseudo headers of HTTP/2.
fn headers(list: Option<Value<'_>>) -> Headers<'static> {
    let own = |v: Value<'_>| v.as_str().map(|s| Cow::Owned(s.into_owned()));
    list.into_iter()
        .flat_map(Value::elements)
        .filter_map(|h| Some((own(h.get("name")?)?, own(h.get("value")?)?)))
        .filter(|(name, _): &(Cow<'_, str>, _)| !name.starts_with(':'))
        .collect()
}
