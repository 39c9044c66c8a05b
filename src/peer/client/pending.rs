//! A request that waits for its answer.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::Link;
use super::message::Response;

/// What the reader hands to the waiting caller.
pub(super) enum Arrival {
    Progress(Progress),
    Response(Response),
    Refused { status: u16, text: String },
    Closed,
}

/// A progress report.
#[derive(Clone, PartialEq, Debug)]
pub struct Progress {
    /// How far it is.
    pub progress: f64,
    /// How far it goes, if the server knows.
    pub total: Option<f64>,
    /// What is being done.
    pub message: Option<String>,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum CallError {
    /// It took too long, and was cancelled.
    Timeout(Duration),
    /// The server is gone.
    Closed,
    /// The transport refused the request without a JSON-RPC answer.
    Refused {
        /// The HTTP status.
        status: u16,
        /// What the refusal says.
        text: String,
    },
    /// The message could not be sent.
    Io(std::io::Error),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Timeout(time) => write!(f, "no answer within {} ms", time.as_millis()),
            CallError::Closed => f.write_str("the server ended without an answer"),
            CallError::Refused { status, text } => write!(f, "refused with HTTP status {status}: {text}"),
            CallError::Io(failure) => write!(f, "could not be sent: {failure}"),
        }
    }
}

impl std::error::Error for CallError {}

/// A request in flight. Dropping it forgets the answer but tells the server nothing; see [`Pending::cancel`].
pub struct Pending {
    id: u64,
    method: String,
    arrivals: Receiver<Arrival>,
    link: Arc<Link>,
}

impl Pending {
    pub(super) fn new(id: u64, method: &str, arrivals: Receiver<Arrival>, link: Arc<Link>) -> Pending {
        Pending { id, method: method.to_owned(), arrivals, link }
    }

    /// The id on the wire.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The method.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Waits for the answer. When the time is over the request is cancelled.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn wait(self, timeout: Option<Duration>) -> Result<Response, CallError> {
        self.wait_with(timeout, |_| ())
    }

    /// As [`Pending::wait`], telling of progress as it comes.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn wait_with(
        self,
        timeout: Option<Duration>,
        on_progress: impl FnMut(Progress),
    ) -> Result<Response, CallError> {
        match self.watch(timeout, on_progress) {
            Some(end) => end,
            None => {
                let waited = timeout.unwrap_or_default();
                self.cancel(&format!("timeout after {} ms", waited.as_millis()));
                Err(CallError::Timeout(waited))
            }
        }
    }

    /// Waits without giving up: `None` when the time is over and the request is still open.
    pub fn watch(
        &self,
        timeout: Option<Duration>,
        mut on_progress: impl FnMut(Progress),
    ) -> Option<Result<Response, CallError>> {
        let end = timeout.map(|timeout| Instant::now() + timeout);
        loop {
            let arrival = match end {
                None => self.arrivals.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(end) => self.arrivals.recv_timeout(end.saturating_duration_since(Instant::now())),
            };
            match arrival {
                Ok(Arrival::Progress(progress)) => on_progress(progress),
                Ok(Arrival::Response(response)) => return Some(Ok(response)),
                Ok(Arrival::Refused { status, text }) => return Some(Err(CallError::Refused { status, text })),
                Ok(Arrival::Closed) | Err(RecvTimeoutError::Disconnected) => return Some(Err(CallError::Closed)),
                Err(RecvTimeoutError::Timeout) => return None,
            }
        }
    }

    /// Tells the server that the answer is no longer wanted.
    pub fn cancel(self, reason: &str) {
        self.link.cancel(self.id, reason);
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        super::lock(&self.link.open).remove(&self.id);
    }
}
