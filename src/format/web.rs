//! HTTP exchanges of foreign files: which of them are MCP, and as what frames they appear.

use std::borrow::Cow;
use std::collections::BTreeSet;

use base64::Engine as _;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Import;
use super::import::At;
use crate::trace::Missing;
use crate::trace::session::stream::{media_type, path_only, target};
use crate::wire::frame::{Dir, Headers, Http, HttpEnd, HttpKind};
use crate::wire::sse::{SseItem, SseParser};

/// One request with its answer. Times in microseconds since 1970.
#[derive(Default)]
pub(super) struct Exchange {
    pub(super) line: u32,
    pub(super) start: Option<i64>,
    /// When the response's head came, and when its body was over.
    pub(super) head: Option<i64>,
    pub(super) end: Option<i64>,
    pub(super) method: String,
    pub(super) url: String,
    pub(super) request_headers: Headers<'static>,
    pub(super) request: Vec<u8>,
    pub(super) status: Option<u16>,
    pub(super) headers: Headers<'static>,
    /// `None`: the file does not hold it.
    pub(super) body: Option<Vec<u8>>,
    /// Its length, where the file tells it.
    pub(super) size: Option<u64>,
    /// The body is still compressed as its head says.
    pub(super) packed: bool,
}

fn header<'h>(headers: &'h Headers<'static>, name: &str) -> Option<&'h str> {
    headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_ref())
}

fn origin(url: &str) -> &str {
    &url[..url.len() - target(url).len().min(url.len())]
}

/// Where an exchange goes: origin and path.
fn place(url: &str) -> (String, String) {
    (origin(url).to_owned(), path_only(url).to_owned())
}

impl Exchange {
    fn is_mcp(&self) -> bool {
        let named = self.request_headers.iter().chain(&self.headers);
        let marked = named.clone().any(|(n, _)| {
            ["mcp-protocol-version", "mcp-session-id", "mcp-method"].iter().any(|m| n.eq_ignore_ascii_case(m))
        });
        let accept = header(&self.request_headers, "accept").unwrap_or_default();
        let head = &self.request[..self.request.len().min(64 << 10)];
        marked
            || (accept.contains("application/json") && accept.contains("text/event-stream"))
            || memchr::memmem::find(head, b"\"jsonrpc\"").is_some()
    }
}

/// Collects the exchanges of a file.
#[derive(Default)]
pub(super) struct Web {
    exchanges: Vec<Exchange>,
    absent: u32,
    mended: BTreeSet<&'static str>,
}

impl Web {
    pub(super) fn push(&mut self, exchange: Exchange) {
        self.exchanges.push(exchange);
    }

    /// Hands on those that are MCP, and those with the same server that look for authorization.
    pub(super) fn finish(mut self, import: &mut Import) {
        import.excerpt = true;
        import.sort_by_time();
        import.header.transport = Some("http".into());
        let exchanges = std::mem::take(&mut self.exchanges);
        let places: FxHashSet<_> = exchanges.iter().filter(|e| e.is_mcp()).map(|e| place(&e.url)).collect();
        let origins: FxHashSet<_> = places.iter().map(|(origin, _)| origin.clone()).collect();
        let mut conns: FxHashMap<String, u32> = FxHashMap::default();
        let (mut other, mut stream) = (0u32, 0u32);
        for exchange in exchanges {
            let (origin, path) = place(&exchange.url);
            let beside = path.contains("/.well-known/") && origins.contains(&origin);
            if !beside && !places.contains(&(origin.clone(), path)) {
                other += 1;
                continue;
            }
            if !beside && import.header.url.is_none() {
                import.header.url = Some(exchange.url.clone());
            }
            let next = conns.len() as u32 + 1;
            let conn = *conns.entry(origin).or_insert(next);
            stream += 1;
            self.frames(import, exchange, conn, stream);
        }
        if other > 0 {
            import.notes.push(format!("{other} HTTP exchanges that are not MCP were left out"));
        }
        if self.absent > 0 {
            import.notes.push(format!(
                "the file does not hold the bodies of {} responses: the program that wrote it leaves out what was aborted, \
                 still streaming or large",
                self.absent
            ));
        }
        for how in self.mended {
            import.notes.push(format!("bodies were not written as the format says: they were read as {how}"));
        }
        if stream == 0 {
            import.notes.push("no exchange in this file is MCP".into());
        }
    }

    fn frames(&mut self, import: &mut Import, e: Exchange, conn: u32, stream: u32) {
        let at = |t| At { line: e.line, t, conn };
        let mut http = Http::new(HttpKind::Request, stream);
        http.method = Some(Cow::Owned(e.method));
        http.path = Some(Cow::Owned(target(&e.url).to_owned()));
        http.headers = e.request_headers;
        import.http(at(e.start), Dir::C2s, http, &e.request);
        let over = |import: &mut Import, how| {
            let mut http = Http::new(HttpKind::End, stream);
            http.how = Some(how);
            import.http(at(e.end), Dir::S2c, http, b"");
        };
        let Some(status) = e.status else { return over(import, HttpEnd::Reset) };
        let mut http = Http::new(HttpKind::Response, stream);
        http.status = Some(status);
        let kind = header(&e.headers, "content-type").map(media_type).unwrap_or_default().to_ascii_lowercase();
        let encoding = header(&e.headers, "content-encoding").filter(|c| !c.eq_ignore_ascii_case("identity"));
        let encoding = encoding.map(str::to_owned);
        http.headers = e.headers;
        let mut body = match e.body {
            Some(body) => body,
            None => {
                if e.size.is_some_and(|n| n > 0) || (status == 200 && e.size.is_none()) {
                    self.absent += 1;
                    http.cut = Some(e.size.unwrap_or(0));
                }
                Vec::new()
            }
        };
        if !body.is_empty() {
            if let Some(encoding) = &encoding {
                match e.packed.then(|| import.unpack(encoding, &body)) {
                    Some(Some(plain)) => body = plain,
                    Some(None) => http.undecoded = true,
                    None => {}
                }
                http.encoding = Some(Cow::Owned(encoding.clone()));
            }
            if !http.undecoded {
                body = self.mend(import, body, &kind);
            }
        }
        if kind != "text/event-stream" {
            import.http(at(e.end.or(e.head)), Dir::S2c, http, &body);
            return over(import, HttpEnd::Eof);
        }
        let whole = http.cut.is_none();
        import.http(at(e.head), Dir::S2c, http, b"");
        import.missing = import.missing | Missing::EVENT_TIMES;
        let mut events = SseParser::new();
        let mut one = |item: SseItem<'_>| {
            let mut http = Http::new(HttpKind::Sse, stream);
            match item {
                SseItem::Event(event) => {
                    http.event = event.event.map(|e| Cow::Owned(e.into_owned()));
                    http.id = event.id.map(|i| Cow::Owned(i.into_owned()));
                    http.retry = event.retry;
                    if !event.plain {
                        http.raw = Some(Cow::Owned(String::from_utf8_lossy(event.raw).into_owned()));
                    }
                    import.http(at(e.end), Dir::S2c, http, &event.data);
                }
                SseItem::Comment { text, .. } => {
                    http.comment = true;
                    import.http(at(e.end), Dir::S2c, http, text);
                }
            }
        };
        events.push(&body, &mut one);
        events.finish(&mut one);
        if whole {
            over(import, HttpEnd::Eof);
        }
    }

    /// A body that is not what its type says may have been written in another way than the format wants.
    fn mend(&mut self, import: &mut Import, body: Vec<u8>, kind: &str) -> Vec<u8> {
        let is_json = kind == "application/json" || kind.ends_with("+json");
        let fits = |b: &[u8]| match b.trim_ascii_start() {
            [b'{' | b'[', ..] => is_json,
            start => {
                !is_json && [&b"data:"[..], b"event:", b"id:", b"retry:", b":"].iter().any(|f| start.starts_with(f))
            }
        };
        if !(is_json || kind == "text/event-stream") || fits(&body) {
            return body;
        }
        let gzip = |import: &mut Import, b: &[u8]| {
            b.starts_with(&[0x1f, 0x8b]).then(|| import.unpack("gzip", b)).flatten().filter(|b| fits(b))
        };
        if let Some(plain) = gzip(import, &body) {
            self.mended.insert("gzip");
            return plain;
        }
        if let Ok(plain) = base64::engine::general_purpose::STANDARD.decode(body.trim_ascii()) {
            if let Some(plain) = gzip(import, &plain) {
                self.mended.insert("gzip in base64");
                return plain;
            }
            if fits(&plain) {
                self.mended.insert("base64");
                return plain;
            }
        }
        let points: Option<Vec<u8>> = std::str::from_utf8(&body)
            .ok()
            .and_then(|text| text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect());
        if let Some(plain) = points.and_then(|p| gzip(import, &p)) {
            self.mended.insert("bytes written as code points");
            return plain;
        }
        body
    }
}
