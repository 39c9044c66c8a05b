//! One request after another: checked, recorded, passed on; the answer the same way back.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use bytes::{Bytes, BytesMut};
use http::header::{
    CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, WWW_AUTHENTICATE,
};
use http::{Method, Request, Response, Uri, Version};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;

use super::body::{Download, Through, Upload};
use super::decode::Decoder;
use super::endpoint::Rewriter;
use super::exchange::{Answering, Exchange, Limits};
use super::guard::{Guard, Refusal};
use super::origin::Origin;
use super::part::{Fields, Tcp};
use super::sniff::{Heads, fields_of, last_head, next_head};
use super::upstream::{self, Upstreams};
use super::{headers, oauth};
use crate::tap::shared::Shared;
use crate::wire::frame::{Dir, HttpEnd};

/// Exchanges that may go on at once.
pub const MAX_STREAMS: usize = 2048;

/// What all connections share.
pub struct Proxy {
    /// The way to the server.
    pub client: Upstreams,
    /// The server.
    pub server: Origin,
    /// Who may ask.
    pub guard: Guard,
    /// The recorder, if there is one.
    pub shared: Option<Arc<Shared>>,
    /// What is recorded of a body.
    pub limits: Arc<Limits>,
    /// `--rewrite-oauth`.
    pub rewrite_oauth: bool,
    /// Who is told what people should know.
    pub notice: Option<fn(&str)>,
    /// That a login through the tap fails has been told.
    pub told: AtomicBool,
    /// The number of the exchange that began last.
    pub streams: AtomicU32,
    /// Exchanges that go on.
    pub live: Arc<AtomicUsize>,
}

/// Counts an exchange as long as it goes on.
pub struct Live(Arc<AtomicUsize>);

impl Drop for Live {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Proxy {
    /// Answers a request that came on the connection `tcp`.
    pub async fn handle(
        self: Arc<Self>,
        tcp: Arc<Tcp>,
        heads: Heads,
        request: Request<Incoming>,
    ) -> Result<Response<Download>, Infallible> {
        let count = self.live.fetch_add(1, Ordering::Relaxed);
        let live = Live(self.live.clone());
        let stream = self.streams.fetch_add(1, Ordering::Relaxed) + 1;
        let exchange = Answering(Arc::new(Exchange::new(self.shared.clone(), self.limits.clone(), stream, live)));
        let head = next_head(&heads).filter(|head| head.fits(request.headers()));
        let (target, fields) = match head {
            Some(head) => (head.line.split(' ').nth(1).map(str::to_owned), head.fields),
            None => (None, fields_of(request.headers())),
        };
        let target = target.unwrap_or_else(|| request.uri().to_string());
        let verdict = match self.guard.check(request.method().as_str(), request.uri(), &fields) {
            Ok(()) if count >= MAX_STREAMS => Err(Refusal { status: 503, why: "too many exchanges at once".into() }),
            verdict => verdict,
        };
        exchange.request(tcp, request.method().as_str().to_owned(), target, fields);
        Ok(match verdict {
            Ok(()) => self.pass_on(exchange, request).await,
            Err(refusal) => {
                // Its body is not read, and so nothing else can be on this connection.
                let mut response = own(&exchange, refusal.status, &refusal.why);
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                response
            }
        })
    }

    async fn pass_on(&self, exchange: Answering, request: Request<Incoming>) -> Response<Download> {
        let (parts, body) = request.into_parts();
        let host = parts.headers.get(HOST).and_then(|h| h.to_str().ok()).unwrap_or_default();
        let tap = format!("http://{host}");
        let path = parts.uri.path_and_query().map_or("/", |p| p.as_str());
        let server = self.server.to_string();
        let (uri, authority) = match (format!("{server}{path}").parse::<Uri>(), self.server.authority().parse()) {
            (Ok(uri), Ok(authority)) => (uri, authority),
            _ => return own(&exchange, 400, "the request target is no path"),
        };
        let mut onward = Request::new(Upload::new(body, exchange.0.clone()));
        *onward.method_mut() = parts.method.clone();
        *onward.uri_mut() = uri;
        *onward.version_mut() = Version::HTTP_11;
        *onward.headers_mut() = headers::request(&parts.headers, &authority, &tap, &server);
        // They hold the case of the names.
        *onward.extensions_mut() = parts.extensions;
        match self.client.request(onward).await {
            Ok(response) => self.pass_back(exchange, response, &parts.method, path, tap).await,
            // Nobody is there to be told.
            Err(_) if exchange.has_client_failed() => {
                exchange.cut(HttpEnd::Client);
                Response::new(Download::Own(None))
            }
            Err(error) => {
                let what = if error.is_connect() { "cannot reach" } else { "no answer from" };
                let why = format!("{what} {server}: {}", upstream::why(&error));
                let response = own(&exchange, 502, &why);
                exchange.cut(HttpEnd::Reset);
                response
            }
        }
    }

    async fn pass_back(
        &self,
        exchange: Answering,
        response: Response<Incoming>,
        asked: &Method,
        path: &str,
        tap: String,
    ) -> Response<Download> {
        let (mut parts, body) = response.into_parts();
        let head = parts.extensions.get::<Heads>().and_then(last_head).filter(|head| head.fits(&parts.headers));
        let fields = head.map_or_else(|| fields_of(&parts.headers), |head| head.fields);
        let events = is_type(&parts.headers, "text/event-stream");
        exchange.response(parts.status.as_u16(), fields, events);
        let coded = parts.headers.get(CONTENT_ENCODING).and_then(|v| v.to_str().ok()).map(str::to_owned);
        let mut onward = headers::response(&parts.headers);
        if self.rewrite_oauth {
            rewrite_challenges(&mut onward, &self.server, &tap);
        }
        parts.version = Version::HTTP_11;
        let get = asked == Method::GET && parts.status == 200;
        let body = if get && events && coded.is_none() {
            // Its length may change with the address in it.
            onward.remove(CONTENT_LENGTH);
            let rewriter = Rewriter::new(self.server.clone(), tap);
            Download::Through(Through::new(body, exchange, Some(rewriter)))
        } else if get
            && (self.rewrite_oauth || path.contains(oauth::WELL_KNOWN))
            && is_type(&parts.headers, "application/json")
        {
            self.metadata(exchange, body, &mut onward, coded.as_deref(), &tap).await
        } else {
            Download::Through(Through::new(body, exchange, None))
        };
        parts.headers = onward;
        Response::from_parts(parts, body)
    }

    /// Says once that clients will not believe the metadata, which stays as it is: `false`.
    fn tell_of_oauth(&self) -> bool {
        if let Some(notice) = self.notice
            && !self.told.swap(true, Ordering::Relaxed)
        {
            let text = format!(
                "the server's OAuth metadata says that it is at {}: a client that checks this refuses to log in through \
                 the tap; start the tap with --rewrite-oauth, or give the client a token (an Authorization header)",
                self.server
            );
            // Whoever is told may take long; without a thread nobody is told.
            let _ = std::thread::Builder::new().spawn(move || notice(&text));
        }
        false
    }

    /// A document that may be a protected resource's metadata.
    async fn metadata(
        &self,
        exchange: Answering,
        mut body: Incoming,
        headers: &mut HeaderMap,
        coded: Option<&str>,
        tap: &str,
    ) -> Download {
        let mut read = BytesMut::new();
        while read.len() <= oauth::LARGEST {
            let Some(frame) = body.frame().await else {
                let plain = plain(&read, coded);
                let changed = plain.as_deref().and_then(|plain| oauth::metadata(plain, &self.server, tap));
                exchange.end_of_body(Dir::S2c, Fields::new());
                let Some(changed) = changed.filter(|_| self.rewrite_oauth || self.tell_of_oauth()) else {
                    return Download::Own(Some(read.freeze()));
                };
                headers.remove(CONTENT_ENCODING);
                headers.insert(CONTENT_LENGTH, HeaderValue::from(changed.len()));
                return Download::Own(Some(changed));
            };
            match frame {
                Ok(frame) => {
                    if let Some(bytes) = frame.data_ref() {
                        exchange.data(Dir::S2c, bytes);
                        read.extend_from_slice(bytes);
                    }
                }
                Err(_) => {
                    // What is missing of it shows: the client is told a length, or the connection breaks.
                    exchange.cut(HttpEnd::Reset);
                    return Download::Through(Through::new(body, exchange, None).after(read.freeze()));
                }
            }
        }
        Download::Through(Through::new(body, exchange, None).after(read.freeze()))
    }
}

/// An answer of the tap itself, told to the recorder.
fn own(exchange: &Exchange, status: u16, why: &str) -> Response<Download> {
    let text = Bytes::from(format!("mcpscope: {why}\n"));
    let fields = [
        ("Content-Type", "text/plain; charset=utf-8".to_owned()),
        ("Content-Length", text.len().to_string()),
        ("Server", concat!("mcpscope/", env!("CARGO_PKG_VERSION")).to_owned()),
    ];
    let mut response = Response::new(Download::Own(Some(text.clone())));
    // They are numbers of ours.
    *response.status_mut() = status.try_into().unwrap_or(http::StatusCode::BAD_GATEWAY);
    for (name, value) in &fields {
        if let (Ok(name), Ok(value)) = (name.parse::<http::HeaderName>(), HeaderValue::from_str(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    exchange.response(status, fields.map(|(name, value)| (name.to_owned(), value)).into(), false);
    exchange.data(Dir::S2c, &text);
    if status != 502 {
        exchange.end_of_body(Dir::S2c, Fields::new());
    }
    response
}

fn is_type(headers: &HeaderMap, wanted: &str) -> bool {
    headers
        .get(CONTENT_TYPE)
        .and_then(|v| v.to_str().ok())
        .is_some_and(|v| v.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(wanted))
}

fn rewrite_challenges(headers: &mut HeaderMap, server: &Origin, tap: &str) {
    let values: Vec<HeaderValue> = headers
        .get_all(WWW_AUTHENTICATE)
        .iter()
        .map(|value| {
            let changed = value.to_str().ok().and_then(|v| oauth::challenge(v, server, tap));
            changed.and_then(|v| HeaderValue::from_str(&v).ok()).unwrap_or_else(|| value.clone())
        })
        .collect();
    let mut values = values.into_iter();
    if let Some(first) = values.next() {
        headers.insert(WWW_AUTHENTICATE, first);
        for value in values {
            headers.append(WWW_AUTHENTICATE, value);
        }
    }
}

/// A body without its coding.
fn plain(body: &[u8], coded: Option<&str>) -> Option<Vec<u8>> {
    let Some(coded) = coded else { return Some(body.to_vec()) };
    let mut decoder = Decoder::new(coded, oauth::LARGEST)?;
    let mut out = Vec::new();
    decoder.push(body, &mut out).ok()?;
    decoder.finish(&mut out).ok()?;
    Some(out)
}
