//! From the pieces of exchanges to the frames of the trace. Runs on the recorder's thread.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::clients::{Clients, Signs};
use super::decode::{Decoder, Stop};
use super::part::{Fields, Part, Tcp, What};
use crate::wire::frame::{Dir, Eol, Event, EventKind, Frame, Headers, Http, HttpEnd, HttpKind, Item, Micros, Place};
use crate::wire::json::Parser;
use crate::wire::sse::{SseItem, SseParser};

/// Puts frames together.
pub struct Scribe {
    /// Bytes of a body, or of one event, that are recorded.
    max_body: usize,
    clients: Clients,
    open: HashMap<u32, Exchange>,
}

/// One HTTP exchange.
struct Exchange {
    stream: u32,
    tcp: Arc<Tcp>,
    /// The client; 0 as long as the request is not whole.
    conn: u32,
    request: Http<'static>,
    asked: Body,
    response: Option<Http<'static>>,
    answer: Body,
    events: Option<Events>,
}

/// A body in the making.
#[derive(Default)]
struct Body {
    bytes: Vec<u8>,
    /// Bytes of it, as they stood on the wire, that are not here.
    cut: u64,
    over: bool,
}

/// A stream of events.
struct Events {
    parser: SseParser,
    decoder: Option<Decoder>,
    /// The stream cannot be decoded any more.
    dark: bool,
    /// The rest of an event that is too long is passed over.
    skipping: bool,
}

impl Scribe {
    /// `max_body`: bytes of a body that are recorded.
    pub fn new(max_body: u64) -> Scribe {
        let max_body = usize::try_from(max_body).unwrap_or(usize::MAX);
        Scribe { max_body, clients: Clients::default(), open: HashMap::new() }
    }

    /// Takes a piece that passed at `t`.
    pub fn take(&mut self, part: Part, t: Micros, out: &mut dyn FnMut(Item<'_>)) {
        let Part { stream, what } = part;
        if let What::Request { tcp, method, path, headers } = what {
            let mut request = Http::new(HttpKind::Request, stream);
            (request.method, request.path, request.headers) = (Some(method.into()), Some(path.into()), owned(headers));
            let (asked, answer) = (Body::default(), Body::default());
            let exchange = Exchange { stream, tcp, conn: 0, request, asked, response: None, answer, events: None };
            self.open.insert(stream, exchange);
            return;
        }
        let Some(exchange) = self.open.get_mut(&stream) else { return };
        let over = match what {
            What::Request { .. } => false,
            What::Data { dir: Dir::C2s, bytes, lost } => {
                exchange.asked.add(&bytes, lost, self.max_body);
                false
            }
            What::BodyEnd { dir: Dir::C2s, trailers } => {
                exchange.request.trailers = owned(trailers);
                exchange.asked.over = true;
                exchange.write_request(&mut self.clients, self.max_body, t, out);
                false
            }
            What::Response { status, headers } => {
                // A server may answer before it has heard all.
                exchange.write_request(&mut self.clients, self.max_body, t, out);
                exchange.begin_response(status, headers, &mut self.clients, t, out);
                false
            }
            What::Data { bytes, lost, .. } => {
                match &mut exchange.events {
                    Some(events) => {
                        let (conn, max) = (exchange.conn, self.max_body);
                        events.take(&bytes, lost, max, &mut |http, payload| {
                            out(frame(Dir::S2c, conn, t, Http { stream, ..http }, payload));
                        });
                    }
                    None => exchange.answer.add(&bytes, lost, self.max_body),
                }
                false
            }
            What::BodyEnd { trailers, .. } => {
                exchange.end_response(trailers, self.max_body, t, out);
                true
            }
            What::Cut(how) => {
                exchange.cut(how, &mut self.clients, self.max_body, t, out);
                true
            }
        };
        if over {
            self.open.remove(&stream);
        }
    }
}

impl Exchange {
    /// Writes the request, whole or as far as it came; once.
    fn write_request(&mut self, clients: &mut Clients, max: usize, t: Micros, out: &mut dyn FnMut(Item<'_>)) {
        if self.conn != 0 {
            return;
        }
        let mut http = std::mem::replace(&mut self.request, Http::new(HttpKind::Request, 0));
        let body = std::mem::take(&mut self.asked);
        let unsent = if body.over { 0 } else { announced(&http).saturating_sub(body.bytes.len() as u64 + body.cut) };
        let payload = body.payload(&mut http, max, unsent);
        let info = client_info(&payload);
        let signs =
            Signs { session: http.header("mcp-session-id"), agent: http.header("user-agent"), info: info.as_deref() };
        let (conn, new) = clients.identify(&self.tcp, signs);
        self.conn = conn;
        if new {
            out(Item::Event(Event { line: 0, t, conn, kind: EventKind::Open }));
        }
        out(frame(Dir::C2s, conn, t, http, &payload));
    }

    fn begin_response(
        &mut self,
        status: u16,
        headers: Fields,
        clients: &mut Clients,
        t: Micros,
        out: &mut dyn FnMut(Item<'_>),
    ) {
        let mut http = Http::new(HttpKind::Response, self.stream);
        (http.status, http.headers) = (Some(status), owned(headers));
        if let Some(id) = http.header("mcp-session-id").filter(|_| status < 400) {
            clients.session(id, self.conn);
        }
        let events = http
            .header("content-type")
            .is_some_and(|v| v.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/event-stream"));
        if !events {
            self.response = Some(http);
            return;
        }
        let coding = coding(&http).map(str::to_owned);
        // Each event is bounded, not the stream.
        let decoder = coding.as_deref().and_then(|c| Decoder::new(c, usize::MAX));
        let dark = coding.is_some() && decoder.is_none();
        http.encoding = coding.map(Cow::Owned);
        http.undecoded = dark;
        self.events = Some(Events { parser: SseParser::new(), decoder, dark, skipping: false });
        out(frame(Dir::S2c, self.conn, t, http, b""));
    }

    fn end_response(&mut self, trailers: Fields, max: usize, t: Micros, out: &mut dyn FnMut(Item<'_>)) {
        if let Some(mut http) = self.response.take() {
            http.trailers = owned(trailers);
            let payload = std::mem::take(&mut self.answer).payload(&mut http, max, 0);
            out(frame(Dir::S2c, self.conn, t, http, &payload));
        } else if self.events.is_some() {
            self.end(HttpEnd::Eof, trailers, max, t, out);
        }
    }

    /// It ended in another way than the messages of HTTP end.
    fn cut(&mut self, how: HttpEnd, clients: &mut Clients, max: usize, t: Micros, out: &mut dyn FnMut(Item<'_>)) {
        self.write_request(clients, max, t, out);
        if let Some(mut http) = self.response.take() {
            let body = std::mem::take(&mut self.answer);
            let missing = announced(&http).saturating_sub(body.bytes.len() as u64 + body.cut);
            let payload = body.payload(&mut http, max, missing);
            out(frame(Dir::S2c, self.conn, t, http, &payload));
        }
        self.end(how, Fields::new(), max, t, out);
    }

    fn end(&mut self, how: HttpEnd, trailers: Fields, max: usize, t: Micros, out: &mut dyn FnMut(Item<'_>)) {
        let (stream, conn) = (self.stream, self.conn);
        if let Some(mut events) = self.events.take() {
            events.finish(max, &mut |http, payload| {
                out(frame(Dir::S2c, conn, t, Http { stream, ..http }, payload));
            });
        }
        let mut http = Http::new(HttpKind::End, stream);
        (http.how, http.trailers) = (Some(how), owned(trailers));
        let dir = if how == HttpEnd::Client { Dir::C2s } else { Dir::S2c };
        out(frame(dir, conn, t, http, b""));
    }
}

impl Body {
    fn add(&mut self, bytes: &[u8], lost: u64, max: usize) {
        let fit = bytes.len().min(max.saturating_sub(self.bytes.len()));
        self.bytes.extend_from_slice(&bytes[..fit]);
        self.cut += lost + (bytes.len() - fit) as u64;
    }

    /// What is recorded of it: decoded, if it can be. Notes in `http` what it is.
    fn payload(self, http: &mut Http<'static>, max: usize, missing: u64) -> Vec<u8> {
        let Body { bytes, cut, .. } = self;
        let mut cut = cut + missing;
        let coding = coding(http).map(str::to_owned).filter(|_| !bytes.is_empty());
        let payload = match &coding {
            None => bytes,
            Some(name) => {
                let mut out = Vec::new();
                let decoded = Decoder::new(name, max).ok_or(Stop::Broken).and_then(|mut decoder| {
                    decoder.push(&bytes, &mut out)?;
                    decoder.finish(&mut out)
                });
                match decoded {
                    Ok(()) => out,
                    Err(Stop::Full) => {
                        // How much more would come out nobody knows; that there is more is told.
                        cut = cut.max(1);
                        out
                    }
                    // Cut off in the middle it has still given a beginning.
                    Err(Stop::Broken) if !out.is_empty() => {
                        cut = cut.max(1);
                        out
                    }
                    Err(Stop::Broken) => {
                        http.undecoded = true;
                        bytes
                    }
                }
            }
        };
        http.encoding = coding.map(Cow::Owned);
        http.cut = Some(cut).filter(|cut| *cut > 0);
        payload
    }
}

impl Events {
    fn take(&mut self, bytes: &[u8], lost: u64, max: usize, out: &mut dyn FnMut(Http<'static>, &[u8])) {
        if lost > 0 {
            // What was in it nobody knows: the event that was begun does not go on.
            self.give_up(lost, out);
        }
        if self.dark {
            return dark(bytes, out);
        }
        let mut decoded = Vec::new();
        let text = match &mut self.decoder {
            None => bytes,
            Some(decoder) => {
                let broken = decoder.push(bytes, &mut decoded).is_err();
                if broken {
                    self.dark = true;
                    self.parser.push(&decoded, |item| sse(&item, out));
                    return dark(bytes, out);
                }
                &decoded
            }
        };
        self.text(text, max, out);
    }

    fn text(&mut self, text: &[u8], max: usize, out: &mut dyn FnMut(Http<'static>, &[u8])) {
        let mut text = text;
        if self.skipping {
            let Some(at) = blank_line(text) else { return };
            text = &text[at..];
            self.skipping = false;
        }
        self.parser.push(text, |item| sse(&item, out));
        if self.parser.partial().len() > max {
            self.give_up(0, out);
        }
    }

    /// Records what there is of an event, and passes over the rest of it.
    fn give_up(&mut self, lost: u64, out: &mut dyn FnMut(Http<'static>, &[u8])) {
        let mut parser = std::mem::take(&mut self.parser);
        self.skipping = true;
        parser.finish(|item| {
            sse(&item, &mut |mut http, payload| {
                http.cut = Some(lost.max(1));
                out(http, payload);
            });
        });
    }

    fn finish(&mut self, max: usize, out: &mut dyn FnMut(Http<'static>, &[u8])) {
        let mut decoded = Vec::new();
        if let Some(decoder) = &mut self.decoder
            && decoder.finish(&mut decoded).is_ok()
        {
            self.text(&decoded, max, out);
        }
        std::mem::take(&mut self.parser).finish(|item| sse(&item, out));
    }
}

/// Bytes of a stream of events that cannot be decoded.
fn dark(bytes: &[u8], out: &mut dyn FnMut(Http<'static>, &[u8])) {
    let mut http = Http::new(HttpKind::Sse, 0);
    http.undecoded = true;
    out(http, bytes);
}

/// Where the text goes on after a blank line.
fn blank_line(text: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, b"\n\n")
        .map(|at| at + 2)
        .or_else(|| memchr::memmem::find(text, b"\n\r\n").map(|at| at + 3))
}

/// One event or comment.
fn sse(item: &SseItem<'_>, out: &mut dyn FnMut(Http<'static>, &[u8])) {
    let mut http = Http::new(HttpKind::Sse, 0);
    let own = |text: &[u8]| Some(Cow::Owned(String::from_utf8_lossy(text).into_owned()));
    match item {
        SseItem::Comment { text, raw, plain } => {
            http.comment = true;
            http.raw = if *plain { None } else { own(raw) };
            out(http, text);
        }
        SseItem::Event(event) => {
            http.event = event.event.clone().map(|e| Cow::Owned(e.into_owned()));
            http.id = event.id.clone().map(|e| Cow::Owned(e.into_owned()));
            http.retry = event.retry;
            http.raw = if event.plain { None } else { own(event.raw) };
            out(http, &event.data);
        }
    }
}

fn frame<'a>(dir: Dir, conn: u32, t: Micros, http: Http<'a>, payload: &'a [u8]) -> Item<'a> {
    Item::Frame(Frame { line: 0, t, dir, conn, payload, eol: Eol::Lf, http: Some(http), place: Place::default() })
}

fn owned(fields: Fields) -> Headers<'static> {
    fields.into_iter().map(|(name, value)| (Cow::Owned(name), Cow::Owned(value))).collect()
}

/// The Content-Encoding, if there is one that means something.
fn coding<'a>(http: &'a Http<'_>) -> Option<&'a str> {
    http.header("content-encoding").map(str::trim).filter(|c| !c.is_empty() && !c.eq_ignore_ascii_case("identity"))
}

fn announced(http: &Http<'_>) -> u64 {
    http.header("content-length").and_then(|v| v.parse().ok()).unwrap_or(0)
}

/// Name and version of the client, where a request says them.
fn client_info(body: &[u8]) -> Option<String> {
    let mut parser = Parser::new();
    let root = parser.parse(body).root()?;
    let first = if root.is_array() { root.index(0)? } else { root };
    let params = first.get("params")?;
    let info = params
        .get("clientInfo")
        .or_else(|| params.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/clientInfo")))?;
    let text = |key| info.get(key).and_then(|v| v.as_str().map(Cow::into_owned)).unwrap_or_default();
    Some(format!("{} {}", text("name"), text("version")))
}
