//! Heads as they stand on the wire: the HTTP library gives fields without their order and case, and those are evidence.
//!
//! A [`Sniffed`] stream passes bytes through and looks at what is read: it follows the framing of HTTP/1 just far enough
//! to know where heads begin. Whoever uses a head holds it against what the library read; where the two differ, the
//! library's counts.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use http::HeaderMap;
use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};

use super::part::Fields;

/// Heads larger than this are not kept (the library refuses them in requests).
const MAX_HEAD: usize = 512 << 10;

/// Pipelined requests whose heads wait.
const MAX_HEADS: usize = 64;

/// A head as it came.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RawHead {
    /// The first line.
    pub line: String,
    /// The fields, in order, case and repetition; values without the blanks around them.
    pub fields: Fields,
}

impl RawHead {
    fn parse(bytes: &[u8]) -> RawHead {
        let mut lines = bytes.split(|c| *c == b'\n').map(|l| l.strip_suffix(b"\r").unwrap_or(l));
        let line = text(lines.next().unwrap_or_default());
        let mut fields = Fields::new();
        for line in lines.filter(|l| !l.is_empty()) {
            let at = memchr::memchr(b':', line).unwrap_or(line.len());
            let (name, value) = (&line[..at], line.get(at + 1..).unwrap_or_default());
            fields.push((text(name), text(value.trim_ascii())));
        }
        RawHead { line, fields }
    }

    /// Whether it is the head that the library read as `map`.
    pub fn fits(&self, map: &HeaderMap) -> bool {
        // The library leaves some out (a length beside chunks), and adds none.
        self.fields.len() >= map.len()
            && map.keys().all(|name| self.fields.iter().any(|(n, _)| n.eq_ignore_ascii_case(name.as_str())))
    }

    /// Values of a field, by its name in lower case.
    fn values<'a>(&'a self, name: &'static str) -> impl Iterator<Item = &'a str> {
        self.fields.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }
}

/// UTF-8, or else each byte as the character of its number (ISO 8859-1, which old fields may be written in).
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|b| char::from(*b)).collect(),
    }
}

/// The fields of a map, where there is nothing better.
pub fn fields_of(map: &HeaderMap) -> Fields {
    map.iter().map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes()))).collect()
}

#[derive(Debug, Default)]
enum State {
    /// In a head, or before one.
    #[default]
    Head,
    /// In a body with so many bytes left.
    Length(u64),
    /// At the size line of a chunk: the size so far, and whether the digits are over.
    Size(u64, bool),
    /// In a chunk.
    Chunk(u64),
    /// In the trailer section: bytes of the line so far.
    Trailer(usize),
    /// No head comes any more.
    Rest,
}

/// Follows one direction of a connection.
#[derive(Debug, Default)]
pub struct Sniffer {
    responses: bool,
    /// The request that is answered next has method HEAD: its answer has no body.
    head_method: bool,
    state: State,
    buffer: Vec<u8>,
    done: VecDeque<RawHead>,
}

/// Shared by the stream and who wants the heads.
pub type Heads = Arc<Mutex<Sniffer>>;

/// The next head that was read.
pub fn next_head(heads: &Heads) -> Option<RawHead> {
    heads.lock().unwrap_or_else(PoisonError::into_inner).done.pop_front()
}

/// The last head that was read: on a connection to a server, that of the response that has just come.
pub fn last_head(heads: &Heads) -> Option<RawHead> {
    let mut sniffer = heads.lock().unwrap_or_else(PoisonError::into_inner);
    let last = sniffer.done.pop_back();
    sniffer.done.clear();
    last
}

impl Sniffer {
    /// Of what a server reads.
    pub fn requests() -> Heads {
        Heads::default()
    }

    /// Of what has no heads.
    pub fn nothing() -> Heads {
        Arc::new(Mutex::new(Sniffer { state: State::Rest, ..Sniffer::default() }))
    }

    /// Of what a client reads.
    pub fn responses() -> Heads {
        Arc::new(Mutex::new(Sniffer { responses: true, ..Sniffer::default() }))
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while let Some(&first) = bytes.first() {
            match self.state {
                State::Rest => return,
                State::Head => bytes = self.head(bytes),
                State::Length(left) | State::Chunk(left) => {
                    let n = left.min(bytes.len() as u64);
                    bytes = &bytes[n as usize..];
                    let chunk = matches!(self.state, State::Chunk(_));
                    self.state = match (left - n, chunk) {
                        (0, true) => State::Size(0, false),
                        (0, false) => State::Head,
                        (left, true) => State::Chunk(left),
                        (left, false) => State::Length(left),
                    };
                }
                State::Size(size, over) => {
                    bytes = &bytes[1..];
                    let digit = char::from(first).to_digit(16).filter(|_| !over);
                    self.state = match (first, digit) {
                        (b'\n', _) if size == 0 => State::Trailer(0),
                        // With the line end that stands behind the chunk.
                        (b'\n', _) => State::Chunk(size.saturating_add(2)),
                        (_, Some(digit)) => State::Size(size.saturating_mul(16).saturating_add(digit.into()), false),
                        _ => State::Size(size, true),
                    };
                }
                State::Trailer(len) => {
                    bytes = &bytes[1..];
                    self.state = match first {
                        b'\n' if len == 0 => State::Head,
                        b'\n' => State::Trailer(0),
                        b'\r' => State::Trailer(len),
                        _ => State::Trailer(len + 1),
                    };
                }
            }
        }
    }

    fn head<'a>(&mut self, mut bytes: &'a [u8]) -> &'a [u8] {
        if self.buffer.is_empty() {
            // A blank line before a request is to be overlooked (RFC 9112 section 2.2).
            let blank = bytes.iter().take_while(|c| matches!(c, b'\r' | b'\n')).count();
            bytes = &bytes[blank..];
        }
        for end in memchr::memchr_iter(b'\n', bytes) {
            let seen = |n: usize| -> Option<u8> {
                // The n-th byte before this line feed.
                end.checked_sub(n).map(|at| bytes[at]).or_else(|| {
                    let back = n - end;
                    self.buffer.len().checked_sub(back).map(|at| self.buffer[at])
                })
            };
            let before = if seen(1) == Some(b'\r') { seen(2) } else { seen(1) };
            if before == Some(b'\n') {
                self.buffer.extend_from_slice(&bytes[..end]);
                let head = RawHead::parse(&self.buffer);
                self.buffer.clear();
                self.state = self.body_of(&head);
                if !(self.responses && head.line.get(9..10) == Some("1")) {
                    self.head_method = false;
                    if self.done.len() < MAX_HEADS {
                        self.done.push_back(head);
                    }
                }
                return &bytes[end + 1..];
            }
        }
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() > MAX_HEAD {
            self.buffer = Vec::new();
            self.state = State::Rest;
        }
        &[]
    }

    /// RFC 9112 section 6.3.
    fn body_of(&self, head: &RawHead) -> State {
        let status = head.line.get(9..12).unwrap_or_default();
        if self.responses && (self.head_method || status.starts_with('1') || matches!(status, "204" | "304")) {
            return if status == "101" { State::Rest } else { State::Head };
        }
        if head.values("transfer-encoding").any(|v| v.to_ascii_lowercase().contains("chunked")) {
            return State::Size(0, false);
        }
        match head.values("content-length").next().map(str::parse) {
            Some(Ok(0)) => State::Head,
            Some(Ok(n)) => State::Length(n),
            Some(Err(_)) => State::Rest,
            None if self.responses => State::Rest,
            None => State::Head,
        }
    }

    /// Bytes that are sent: they tell whether the answer will have a body.
    fn sent(&mut self, bytes: &[u8]) {
        if self.responses && matches!(self.state, State::Head) && self.buffer.is_empty() && bytes.starts_with(b"HEAD /")
        {
            self.head_method = true;
        }
    }
}

/// A stream that is looked at.
pub struct Sniffed<T> {
    inner: T,
    heads: Heads,
    scratch: Box<[u8]>,
}

impl<T> Sniffed<T> {
    /// Looks at `inner`.
    pub fn new(inner: T, heads: Heads) -> Sniffed<T> {
        Sniffed { inner, heads, scratch: vec![0; 16 << 10].into() }
    }
}

impl<T: Read + Unpin> Read for Sniffed<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, mut out: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let mut sniffer = this.heads.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(sniffer.state, State::Rest) {
            drop(sniffer);
            return Pin::new(&mut this.inner).poll_read(cx, out);
        }
        let want = out.remaining().min(this.scratch.len());
        let mut buffer = ReadBuf::new(&mut this.scratch[..want]);
        ready!(Pin::new(&mut this.inner).poll_read(cx, buffer.unfilled()))?;
        out.put_slice(buffer.filled());
        sniffer.take(buffer.filled());
        Poll::Ready(Ok(()))
    }
}

impl<T: Write + Unpin> Write for Sniffed<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.heads.lock().unwrap_or_else(PoisonError::into_inner).sent(bytes);
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let Some(first) = slices.first() {
            self.heads.lock().unwrap_or_else(PoisonError::into_inner).sent(first);
        }
        Pin::new(&mut self.inner).poll_write_vectored(cx, slices)
    }
}

impl<T: Connection> Connection for Sniffed<T> {
    fn connected(&self) -> Connected {
        self.inner.connected().extra(self.heads.clone())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn heads(heads: Heads, bytes: &[u8], piece: usize) -> Vec<RawHead> {
        let mut sniffer = heads.lock().unwrap();
        bytes.chunks(piece).for_each(|part| sniffer.take(part));
        sniffer.done.drain(..).collect()
    }

    #[test]
    fn heads_in_any_pieces() {
        let wire = b"POST /a HTTP/1.1\r\nHost: x\r\nX-Two:  1 \r\nx-two: 2\r\nContent-Length: 20\r\n\r\n\
            GET /no HTTP/1.1\r\n\r\n\r\nPOST /b HTTP/1.1\nTransfer-Encoding: chunked\n\n\
            5;x=1\r\nGET /\r\n1F\r\n0123456789012345678901234567890\r\n0\r\nT: 1\r\n\r\nGET /c HTTP/1.1\r\n\r\n";
        for piece in 1..wire.len() {
            let all = heads(Sniffer::requests(), wire, piece);
            let lines: Vec<&str> = all.iter().map(|h| h.line.as_str()).collect();
            assert_eq!(lines, ["POST /a HTTP/1.1", "POST /b HTTP/1.1", "GET /c HTTP/1.1"], "pieces of {piece}");
            let fields = [("Host", "x"), ("X-Two", "1"), ("x-two", "2"), ("Content-Length", "20")];
            assert_eq!(all[0].fields, fields.map(|(n, v)| (n.to_owned(), v.to_owned())));
        }
    }

    #[test]
    fn responses_without_a_body() {
        let wire = b"HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 204 No\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc\
            HTTP/1.1 200 OK\r\nX: \xe9\r\n\r\nHTTP/1.1 500 is body\r\n\r\n";
        let all = heads(Sniffer::responses(), wire, 7);
        assert_eq!(all.len(), 3);
        assert_eq!((all[2].line.as_str(), all[2].fields[0].1.as_str()), ("HTTP/1.1 200 OK", "é"));
        let sniffer = Sniffer::responses();
        sniffer.lock().unwrap().sent(b"HEAD / HTTP/1.1\r\n");
        let all = heads(sniffer, b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nHTTP/1.1 404 No\r\n\r\n", 99);
        assert_eq!(all.len(), 2);
    }
}
