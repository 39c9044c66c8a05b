//! The HTTP tap between a client and a server that are both made of plain sockets here, so that each byte is known.

mod bodies;
mod client;
mod life;
mod oauth;
mod record;
mod security;
mod streams;
mod tls;

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcpscope::analysis::{Analyzer, Origin};
use mcpscope::format::Host;
use mcpscope::format::native::Reader;
use mcpscope::paths::State;
use mcpscope::rules;
use mcpscope::tap::Record;
use mcpscope::tap::http::{Options, Tap, Upstream};
use mcpscope::trace::Store;
use mcpscope::wire::frame::{Dir, EventKind, Http, HttpEnd, HttpKind, Item};

/// Longer than anything here takes, also on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request or response as it came: the head with its line ends, and the body with its framing.
#[derive(Clone, Default, Debug)]
struct Message {
    head: String,
    body: Vec<u8>,
}

impl Message {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (n, value) = line.split_once(':')?;
            n.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    fn status(&self) -> u16 {
        self.head[9..12].parse().unwrap()
    }

    /// Names and values in their order.
    fn fields(&self) -> Vec<&str> {
        self.head.lines().skip(1).filter(|l| !l.is_empty()).collect()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// One end of a connection, with what was read of it and not used.
struct Wire {
    stream: TcpStream,
    read: VecDeque<u8>,
}

impl Wire {
    fn new(stream: TcpStream) -> Wire {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Wire { stream, read: VecDeque::new() }
    }

    fn send(&mut self, bytes: impl AsRef<[u8]>) {
        // The other side may have left; what it says then is looked at where it matters.
        let _ = self.stream.write_all(bytes.as_ref());
    }

    /// Reads more; `false` at the end, also if it is none in good order.
    fn more(&mut self) -> bool {
        let mut buffer = [0; 16 << 10];
        match self.stream.read(&mut buffer) {
            Ok(n) => {
                self.read.extend(&buffer[..n]);
                n > 0
            }
            Err(e) if matches!(e.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                panic!("nothing came for {PATIENCE:?}")
            }
            Err(_) => false,
        }
    }

    /// Bytes up to and with `end`; all that comes if `end` does not.
    fn until(&mut self, end: &[u8]) -> Vec<u8> {
        loop {
            let bytes = self.read.make_contiguous();
            if let Some(at) = bytes.windows(end.len()).position(|w| w == end) {
                return self.read.drain(..at + end.len()).collect();
            }
            if !self.more() {
                return self.read.drain(..).collect();
            }
        }
    }

    fn exactly(&mut self, len: usize) -> Vec<u8> {
        while self.read.len() < len && self.more() {}
        let len = len.min(self.read.len());
        self.read.drain(..len).collect()
    }

    /// Only the head.
    fn head(&mut self) -> Option<Message> {
        let head = String::from_utf8_lossy(&self.until(b"\r\n\r\n")).into_owned();
        head.ends_with("\r\n\r\n").then(|| Message { head, body: Vec::new() })
    }

    /// A chunk without its framing; `None` for the last one or a broken end.
    fn chunk(&mut self) -> Option<Vec<u8>> {
        let line = String::from_utf8(self.until(b"\r\n")).unwrap();
        let size = usize::from_str_radix(line.trim().split(';').next().unwrap(), 16).ok().filter(|n| *n > 0)?;
        let bytes = self.exactly(size);
        self.exactly(2);
        Some(bytes)
    }

    /// A message with its body, whichever way it is framed (but by the end of the connection).
    fn message(&mut self) -> Option<Message> {
        let mut message = self.head()?;
        if message.header("transfer-encoding").is_some() {
            while let Some(chunk) = self.chunk() {
                message.body.extend(chunk);
            }
            loop {
                let trailer = self.until(b"\r\n");
                if trailer.len() <= 2 {
                    break;
                }
                message.head.push_str(&String::from_utf8_lossy(&trailer));
            }
        } else if let Some(len) = message.header("content-length").and_then(|v| v.parse().ok()) {
            message.body = self.exactly(len);
        }
        Some(message)
    }

    /// Whether the other side has ended it.
    fn ended(&mut self) -> bool {
        while self.more() {}
        true
    }
}

/// A server: a function for each connection.
fn server(connection: impl Fn(Wire) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let connection = Arc::new(connection);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(stream), connection) = (stream, connection.clone()) else { return };
            std::thread::spawn(move || connection(Wire::new(stream)));
        }
    });
    address
}

/// A server that answers each request in the same way, with exactly these bytes.
fn answering(answer: impl Fn(&Message) -> Vec<u8> + Send + Sync + 'static) -> SocketAddr {
    server(move |mut wire| {
        while let Some(request) = wire.message() {
            wire.send(answer(&request));
        }
    })
}

/// An answer with a length.
fn reply(status: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// A tap in front of a server, and its trace.
struct Tapped {
    tap: Tap,
    trace: PathBuf,
    _folder: tempfile::TempDir,
}

impl Tapped {
    fn start(server: SocketAddr) -> Tapped {
        Tapped::with(&format!("http://{server}/mcp"), |_| (), |_| ())
    }

    fn with(url: &str, options: impl FnOnce(&mut Options), record: impl FnOnce(&mut Record)) -> Tapped {
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("t.jsonl");
        let state = State { root: folder.path().into(), fallback: folder.path().into() };
        let mut to = Record::http(url.to_owned(), "x".into(), Host::default(), Some(trace.clone()), state);
        record(&mut to);
        let mut how = Options::new(Upstream::parse(url).unwrap());
        how.listen = Some("127.0.0.1:0".parse().unwrap());
        options(&mut how);
        Tapped { tap: Tap::start(how, Some(to)).unwrap(), trace, _folder: folder }
    }

    fn client(&self) -> Wire {
        Wire::new(TcpStream::connect(self.tap.listen).unwrap())
    }

    /// A POST with these fields (each with its line end) and this body.
    fn post(&self, fields: &str, body: &[u8]) -> Vec<u8> {
        let listen = self.tap.listen;
        let head = format!("POST /mcp HTTP/1.1\r\nHost: {listen}\r\n{fields}Content-Length: {}\r\n\r\n", body.len());
        [head.as_bytes(), body].concat()
    }

    fn get(&self, path: &str, fields: &str) -> String {
        format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{fields}\r\n", self.tap.listen)
    }

    /// One exchange on a connection of its own.
    fn ask(&self, request: impl AsRef<[u8]>) -> Message {
        let mut client = self.client();
        client.send(request);
        client.message().unwrap()
    }

    /// What the trace holds at this moment.
    fn frames(&self) -> Vec<Seen> {
        read(&std::fs::read(&self.trace).unwrap_or_default()).0
    }

    /// Waits for a frame.
    #[track_caller]
    fn frame(&self, what: &str, wanted: impl Fn(&Seen) -> bool) -> Seen {
        wait_until(what, || self.frames().into_iter().find(&wanted))
    }

    /// Ends the tap and gives its trace.
    fn trace(self) -> Vec<u8> {
        self.tap.stop();
        std::fs::read(&self.trace).unwrap()
    }

    /// Ends the tap and reads its trace.
    fn stop(self) -> Vec<Seen> {
        let bytes = self.trace();
        let (frames, events) = read(&bytes);
        let end = EventKind::End { frames: Some(frames.len() as u64) };
        assert_eq!(events.last(), Some(&end), "{}", String::from_utf8_lossy(&bytes));
        frames
    }
}

/// A frame of a trace.
#[derive(Clone, Debug)]
struct Seen {
    dir: Dir,
    conn: u32,
    http: Http<'static>,
    payload: Vec<u8>,
}

impl Seen {
    /// In short: kind and what matters of it.
    fn short(&self) -> String {
        let text = String::from_utf8_lossy(&self.payload);
        match self.http.kind {
            HttpKind::Request => format!("> {} {text}", self.http.method.as_deref().unwrap()),
            HttpKind::Response => format!("< {} {text}", self.http.status.unwrap()),
            HttpKind::Sse => format!("~ {text}"),
            HttpKind::End => format!("{} {:?}", self.dir.as_str(), self.http.how.unwrap()),
        }
    }

    fn fields(&self) -> Vec<String> {
        self.http.headers.iter().map(|(n, v)| format!("{n}: {v}")).collect()
    }
}

fn shorts(frames: &[Seen]) -> Vec<String> {
    frames.iter().map(Seen::short).collect()
}

fn read(bytes: &[u8]) -> (Vec<Seen>, Vec<EventKind>) {
    let (mut frames, mut events) = (Vec::new(), Vec::new());
    let mut reader = Reader::new();
    reader.feed(bytes, &mut |item| match item {
        Item::Frame(f) => frames.push(Seen {
            dir: f.dir,
            conn: f.conn,
            http: f.http.unwrap().into_owned(),
            payload: f.payload.to_vec(),
        }),
        Item::Event(e) => events.push(e.kind),
    });
    assert_eq!(reader.faults(), &[]);
    (frames, events)
}

/// What the analysis makes of a trace.
fn analyse(trace: &[u8]) -> Store {
    let mut store = Store::new();
    let mut analyzer = Analyzer::new(rules::Options::default(), Origin::Native);
    let mut reader = Reader::new();
    reader.feed(trace, &mut |item| analyzer.push(&mut store, item));
    analyzer.finish(&mut store);
    store
}

#[track_caller]
fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn ended(how: HttpEnd) -> impl Fn(&Seen) -> bool {
    move |seen| seen.http.kind == HttpKind::End && seen.http.how == Some(how)
}
