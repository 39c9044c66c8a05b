//! What the HTTP tap adds: the same exchanges sent straight to a server, through a plain TCP relay and through the tap,
//! in turns, so that whatever else the machine does hits all three alike.
//!
//! `cargo bench --bench http` prints a table. The server is in this process, on threads of its own.

#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use mcpscope::format::Host;
use mcpscope::paths::State;
use mcpscope::tap::Record;
use mcpscope::tap::http::{Options, Tap, Upstream};

const CALLS: usize = 4000;
const EVENTS: usize = 1000;
const STREAMS: usize = 500;
const BULK: usize = 1 << 30;

fn main() {
    let server = listen(serve);
    let relay = listen(move |client| {
        let server = connect(server);
        let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        thread::spawn(move || copy(from, to));
        copy(server, client);
    });
    let folder = tempfile::tempdir().unwrap();
    let state = State { root: folder.path().into(), fallback: folder.path().into() };
    let url = format!("http://{server}/mcp");
    let trace = folder.path().join("t.jsonl");
    let mut record = Record::http(url.clone(), "bench".into(), Host::default(), Some(trace.clone()), state);
    record.max_bytes = 4 << 30;
    let mut options = Options::new(Upstream::parse(&url).unwrap());
    options.listen = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    let tap = Tap::start(options, Some(record)).unwrap();
    let ways = [("direct", server), ("TCP relay", relay), ("tap", tap.listen)];

    println!("keep-alive POST, 1 KiB answered with 1 KiB (µs)       p50      p99");
    let times = calls(&ways);
    for (n, (way, _)) in ways.iter().enumerate() {
        println!("  {way:<40} {:>12.1} {:>8.1}", at(&times[n], 0.5), at(&times[n], 0.99));
    }
    println!("SSE event, from the server's write to the client (µs) p50      p99");
    for (way, address) in ways {
        let mut delays = events(address);
        delays.sort_by(f64::total_cmp);
        println!("  {way:<40} {:>12.1} {:>8.1}", at(&delays, 0.5), at(&delays, 0.99));
    }
    println!("{STREAMS} streams at once, each gets 3 events");
    for (way, address) in ways {
        println!("  {way:<40} {:>10.0} ms", many(address).as_secs_f64() * 1e3);
    }
    println!("1 GiB as one answer");
    for (way, address) in ways {
        let took = bulk(address);
        println!("  {way:<40} {:>10.0} MB/s", BULK as f64 / 1e6 / took.as_secs_f64());
    }
    let before = Instant::now();
    tap.stop();
    println!(
        "the record: {:.1} MB, complete {:.0} ms after the end",
        size(&trace),
        before.elapsed().as_secs_f64() * 1e3
    );
    if let Some(peak) = peak() {
        println!("largest memory of this process: {peak}");
    }
}

fn size(path: &std::path::Path) -> f64 {
    std::fs::metadata(path).unwrap().len() as f64 / 1e6
}

fn peak() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|l| l.strip_prefix("VmHWM:")).map(|v| v.trim().to_owned())
}

fn at(sorted: &[f64], quantile: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * quantile) as usize]
}

fn listen(connection: impl Fn(TcpStream) + Send + Sync + Clone + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            stream.set_nodelay(true).unwrap();
            let connection = connection.clone();
            thread::spawn(move || connection(stream));
        }
    });
    address
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

fn copy(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(n) = from.read(&mut buffer) {
        if n == 0 || to.write_all(&buffer[..n]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Write);
}

/// Reads a head; what follows it stays in `rest`.
fn head(stream: &mut TcpStream, rest: &mut Vec<u8>) -> Option<String> {
    let mut buffer = [0; 16 << 10];
    loop {
        if let Some(at) = memchr::memmem::find(rest, b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&rest[..at + 4]).into_owned();
            rest.drain(..at + 4);
            return Some(head);
        }
        match stream.read(&mut buffer) {
            Ok(n) if n > 0 => rest.extend_from_slice(&buffer[..n]),
            _ => return None,
        }
    }
}

fn body(stream: &mut TcpStream, rest: &mut Vec<u8>, len: usize) {
    let mut buffer = [0; 16 << 10];
    while rest.len() < len {
        let n = stream.read(&mut buffer).unwrap();
        assert!(n > 0);
        rest.extend_from_slice(&buffer[..n]);
    }
    rest.drain(..len);
}

fn json(len: usize) -> Vec<u8> {
    let mut text = br#"{"jsonrpc":"2.0","id":1,"result":{"x":""#.to_vec();
    text.resize(len - 3, b'x');
    text.extend_from_slice(b"\"}}");
    text
}

fn nanos() -> u128 {
    // One clock for the whole process.
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos()
}

fn serve(mut stream: TcpStream) {
    const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    let answer = json(1024);
    let mut rest = Vec::new();
    while let Some(head) = head(&mut stream, &mut rest) {
        let event = |stream: &mut TcpStream, text: &str| {
            let event = format!("data: {text}\n\n");
            stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes()).is_ok()
        };
        if head.starts_with("GET /events") {
            stream.write_all(STREAM.as_bytes()).unwrap();
            for _ in 0..EVENTS {
                thread::sleep(Duration::from_millis(1));
                event(&mut stream, &nanos().to_string());
            }
            stream.write_all(b"0\r\n\r\n").unwrap();
        } else if head.starts_with("GET /many") {
            stream.write_all(STREAM.as_bytes()).unwrap();
            for n in 0..3 {
                event(&mut stream, &n.to_string());
            }
            // Open until the client leaves.
            let _ = stream.read(&mut [0; 16]);
            return;
        } else if head.starts_with("GET /bulk") {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {BULK}\r\n\r\n");
            stream.write_all(head.as_bytes()).unwrap();
            let block = vec![b'x'; 1 << 20];
            for _ in 0..BULK >> 20 {
                stream.write_all(&block).unwrap();
            }
        } else {
            body(&mut stream, &mut rest, 1024);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1024\r\n\r\n";
            stream.write_all(&[head.as_bytes(), &answer].concat()).unwrap();
        }
    }
}

fn calls(ways: &[(&str, SocketAddr)]) -> Vec<Vec<f64>> {
    let request = |address: SocketAddr| {
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\nContent-Length: 1024\r\n\r\n"
        );
        [head.as_bytes(), &json(1024)].concat()
    };
    let mut lines: Vec<_> = ways.iter().map(|(_, a)| (connect(*a), request(*a), Vec::new(), Vec::new())).collect();
    for n in 0..CALLS + 200 {
        for (stream, request, rest, times) in &mut lines {
            let start = Instant::now();
            stream.write_all(request).unwrap();
            assert!(head(stream, rest).unwrap().starts_with("HTTP/1.1 200"));
            body(stream, rest, 1024);
            if n >= 200 {
                times.push(start.elapsed().as_secs_f64() * 1e6);
            }
        }
    }
    lines
        .into_iter()
        .map(|(.., mut times)| {
            times.sort_by(f64::total_cmp);
            times
        })
        .collect()
}

/// Reads events and hands on their data.
fn read_events(stream: &mut TcpStream, wanted: usize, mut each: impl FnMut(&str)) {
    let mut rest = Vec::new();
    head(stream, &mut rest).unwrap();
    let mut buffer = [0; 16 << 10];
    let mut seen = 0;
    while seen < wanted {
        while let Some(end) = memchr::memmem::find(&rest, b"\n\n") {
            let at = memchr::memmem::find(&rest[..end], b"data: ").unwrap() + 6;
            each(std::str::from_utf8(&rest[at..end]).unwrap());
            rest.drain(..end + 2);
            seen += 1;
        }
        if seen < wanted {
            let n = stream.read(&mut buffer).unwrap();
            assert!(n > 0, "the stream ended after {seen} events");
            rest.extend_from_slice(&buffer[..n]);
        }
    }
}

fn events(address: SocketAddr) -> Vec<f64> {
    let mut stream = connect(address);
    stream.write_all(format!("GET /events HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).unwrap();
    let mut delays = Vec::new();
    read_events(&mut stream, EVENTS, |sent| {
        delays.push((nanos() - sent.parse::<u128>().unwrap()) as f64 / 1e3);
    });
    delays
}

fn many(address: SocketAddr) -> Duration {
    let start = Instant::now();
    let mut streams: Vec<TcpStream> = (0..STREAMS)
        .map(|_| {
            let mut stream = connect(address);
            stream.write_all(format!("GET /many HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).unwrap();
            stream
        })
        .collect();
    for stream in &mut streams {
        read_events(stream, 3, |_| ());
    }
    start.elapsed()
}

fn bulk(address: SocketAddr) -> Duration {
    let start = Instant::now();
    let mut stream = connect(address);
    stream.write_all(format!("GET /bulk HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).unwrap();
    let mut rest = Vec::new();
    head(&mut stream, &mut rest).unwrap();
    let mut len = rest.len();
    let mut buffer = vec![0; 256 << 10];
    while len < BULK {
        let n = stream.read(&mut buffer).unwrap();
        assert!(n > 0);
        len += n;
    }
    start.elapsed()
}
