//! The `endpoint` event of HTTP+SSE (2024-11-05) and the tap's own address.
//!
//! A server that names its messages' address in full would take its client past the tap: the origin in it, and nothing
//! else, becomes the tap's. Only the first event of a stream may be that event, so only that is held until it is whole (a
//! client could not use it earlier); after it everything passes as it comes.

use bytes::{Bytes, BytesMut};

use super::origin::Origin;
use crate::wire::sse::{SseItem, SseParser};

/// An event that is longer is not waited for.
const LONGEST: usize = 64 << 10;

/// Replaces the server's origin by the tap's in the first event.
pub struct Rewriter {
    server: Origin,
    /// The tap's origin, such as `http://127.0.0.1:21000`.
    tap: String,
    held: BytesMut,
    parser: SseParser,
    done: bool,
}

impl Rewriter {
    /// For one stream.
    pub fn new(server: Origin, tap: String) -> Rewriter {
        Rewriter { server, tap, held: BytesMut::new(), parser: SseParser::new(), done: false }
    }

    /// Takes bytes of the stream and gives those that go on.
    pub fn push(&mut self, bytes: &Bytes) -> Bytes {
        if self.done {
            return bytes.clone();
        }
        self.held.extend_from_slice(bytes);
        let (mut url, mut event) = (None, false);
        self.parser.push(bytes, |item| {
            if let (SseItem::Event(e), false) = (item, event) {
                event = true;
                if e.event.as_deref() == Some("endpoint") {
                    url = Some(String::from_utf8_lossy(&e.data).into_owned());
                }
            }
        });
        if event || self.held.len() > LONGEST {
            self.done = true;
            return self.release(url.as_deref());
        }
        // Comments before the event go on with what follows them: they are whole, but no client waits for one.
        if self.parser.partial().is_empty() { self.held.split().freeze() } else { Bytes::new() }
    }

    /// What is still held when the stream ends.
    pub fn finish(mut self) -> Bytes {
        self.release(None)
    }

    fn release(&mut self, url: Option<&str>) -> Bytes {
        let held = std::mem::take(&mut self.held).freeze();
        let Some(prefix) = url.map(str::trim_start).and_then(|url| self.server.prefix_of(url)) else { return held };
        let Some(at) = memchr::memmem::find(&held, prefix.as_bytes()) else { return held };
        let mut out = BytesMut::with_capacity(held.len() + self.tap.len());
        out.extend_from_slice(&held[..at]);
        out.extend_from_slice(self.tap.as_bytes());
        out.extend_from_slice(&held[at + prefix.len()..]);
        out.freeze()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn through(text: &str, piece: usize) -> String {
        let server = Origin::parse("https://mcp.example.com").unwrap();
        let mut rewriter = Rewriter::new(server, "http://127.0.0.1:9".into());
        let mut out = Vec::new();
        for part in text.as_bytes().chunks(piece) {
            out.extend_from_slice(&rewriter.push(&Bytes::copy_from_slice(part)));
        }
        out.extend_from_slice(&rewriter.finish());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_the_origin_of_the_first_event() {
        let rest = "event: message\ndata: https://mcp.example.com/x\n\ndata: torn";
        for piece in [1, 3, 1000] {
            for (event, want) in [
                (
                    "event: endpoint\ndata: https://mcp.example.com/m?s=1\n\n",
                    "event: endpoint\ndata: http://127.0.0.1:9/m?s=1\n\n",
                ),
                (
                    ": hi\n\nid: 1\r\nevent:endpoint\r\ndata:https://MCP.example.com:443/m\r\n\r\n",
                    ": hi\n\nid: 1\r\nevent:endpoint\r\ndata:http://127.0.0.1:9/m\r\n\r\n",
                ),
            ] {
                assert_eq!(through(&format!("{event}{rest}"), piece), format!("{want}{rest}"));
            }
            for event in [
                "event: endpoint\ndata: /messages?s=1\n\n",
                "event: endpoint\ndata: https://mcp.example.com.evil.org/m\n\n",
                "event: endpoint\ndata: http://mcp.example.com/m\n\n",
                "event: message\ndata: https://mcp.example.com/m\n\n",
                "data: x",
            ] {
                assert_eq!(through(&format!("{event}{rest}"), piece), format!("{event}{rest}"));
            }
        }
    }
}
