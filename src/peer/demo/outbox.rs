//! The server's only way to its client: whole lines, never mixed, in the order in which they were handed over.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Where lines go. Closed for good when the reader is gone or the server plays dead.
pub(super) struct Outbox(Mutex<Option<Box<dyn Write + Send>>>);

impl Outbox {
    pub(super) fn new(sink: impl Write + Send + 'static) -> Outbox {
        Outbox(Mutex::new(Some(Box::new(sink))))
    }

    /// Writes one message and its newline.
    pub(super) fn line(&self, text: &str) {
        let mut bytes = Vec::with_capacity(text.len() + 1);
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(b'\n');
        self.raw(&bytes);
    }

    /// Writes bytes as they are.
    pub(super) fn raw(&self, bytes: &[u8]) {
        let mut sink = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = match sink.as_mut() {
            Some(sink) => sink.write_all(bytes).and_then(|()| sink.flush()).is_err(),
            None => false,
        };
        // A client that is gone will not come back; its input ends too, and that ends the server.
        if failed {
            *sink = None;
        }
    }

    pub(super) fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Collects the answers to a batch (2025-03-26): they travel as one array when the last is there.
pub(super) struct Batch {
    state: Mutex<(usize, Vec<String>)>,
    outbox: Arc<Outbox>,
}

impl Batch {
    /// A batch that holds `requests` requests.
    pub(super) fn new(requests: usize, outbox: Arc<Outbox>) -> Batch {
        Batch { state: Mutex::new((requests, Vec::new())), outbox }
    }

    /// Takes an answer, or `None` for a request that will have none.
    pub(super) fn answer(&self, text: Option<&str>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.1.extend(text.map(str::to_owned));
        state.0 = state.0.saturating_sub(1);
        if state.0 == 0 && !state.1.is_empty() {
            self.outbox.line(&format!("[{}]", state.1.join(",")));
        }
    }
}
