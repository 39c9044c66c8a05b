//! One exchange as the wire sees it: tells the recorder each piece before it goes on, and how it all ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;

use super::part::{Fields, Part, Tcp, What};
use super::proxy::Live;
use crate::tap::shared::Shared;
use crate::wire::frame::{Dir, HttpEnd};

/// What the proxy shares with the exchanges.
#[derive(Debug, Default)]
pub struct Limits {
    /// Bytes of a body that are recorded; events are bounded one by one.
    pub max_body: u64,
    /// The tap ends: what is cut off now is not the client's doing.
    pub closing: AtomicBool,
}

/// Follows one exchange.
pub struct Exchange {
    shared: Option<Arc<Shared>>,
    limits: Arc<Limits>,
    stream: u32,
    over: AtomicBool,
    /// Request and response: bytes so far.
    seen: [AtomicU64; 2],
    /// The response is a stream of events: not bounded as a whole.
    events: AtomicBool,
    /// The client broke off its request.
    client_failed: AtomicBool,
    _live: Live,
}

impl Exchange {
    /// Of a stream number. Without `shared` nothing is recorded.
    pub fn new(shared: Option<Arc<Shared>>, limits: Arc<Limits>, stream: u32, live: Live) -> Exchange {
        Exchange {
            shared,
            limits,
            stream,
            over: AtomicBool::new(false),
            seen: Default::default(),
            events: AtomicBool::new(false),
            client_failed: AtomicBool::new(false),
            _live: live,
        }
    }

    fn tell(&self, what: What) {
        if let Some(shared) = &self.shared {
            shared.part(Part { stream: self.stream, what });
        }
    }

    /// The request head.
    pub fn request(&self, tcp: Arc<Tcp>, method: String, path: String, headers: Fields) {
        self.tell(What::Request { tcp, method, path, headers });
    }

    /// The response head.
    pub fn response(&self, status: u16, headers: Fields, events: bool) {
        self.events.store(events, Ordering::Relaxed);
        self.tell(What::Response { status, headers });
    }

    /// Bytes of a body.
    pub fn data(&self, dir: Dir, bytes: &Bytes) {
        if bytes.is_empty() || self.shared.is_none() {
            return;
        }
        let len = bytes.len() as u64;
        let before = self.seen[dir as usize].fetch_add(len, Ordering::Relaxed);
        let bounded = dir == Dir::C2s || !self.events.load(Ordering::Relaxed);
        let fit = if bounded { len.min(self.limits.max_body.saturating_sub(before)) } else { len };
        self.tell(What::Data { dir, bytes: bytes.slice(..fit as usize), lost: len - fit });
    }

    /// A body ended in good order; with the response's the exchange is over.
    pub fn end_of_body(&self, dir: Dir, trailers: Fields) {
        if dir == Dir::S2c && self.over.swap(true, Ordering::Relaxed) {
            return;
        }
        self.tell(What::BodyEnd { dir, trailers });
    }

    /// The client broke off in the middle of its request.
    pub fn client_failed(&self) {
        self.client_failed.store(true, Ordering::Relaxed);
    }

    /// Whether it did.
    pub fn has_client_failed(&self) -> bool {
        self.client_failed.load(Ordering::Relaxed)
    }

    /// It ended in another way.
    pub fn cut(&self, how: HttpEnd) {
        if !self.over.swap(true, Ordering::Relaxed) {
            let how = if self.client_failed.load(Ordering::Relaxed) { HttpEnd::Client } else { how };
            self.tell(What::Cut(how));
        }
    }
}

/// Whoever passes the answer on. When it is dropped before the end, nobody waits for the answer any more: the client is
/// gone, or the tap ends.
pub struct Answering(pub Arc<Exchange>);

impl std::ops::Deref for Answering {
    type Target = Exchange;

    fn deref(&self) -> &Exchange {
        &self.0
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let closing = self.limits.closing.load(Ordering::Relaxed);
        self.cut(if closing { HttpEnd::Reset } else { HttpEnd::Client });
    }
}
