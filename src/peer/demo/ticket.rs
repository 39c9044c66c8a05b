//! A request in flight: whether it may still be spoken about, and how its worker learns that it was cancelled.

use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::error::RpcError;

/// What a worker that waits for the client's answer is woken with.
pub(super) enum Signal {
    /// The client answered.
    Answer(Result<Value, RpcError>),
    /// The request that asked was cancelled, or the client is gone.
    Stop,
}

#[derive(Default)]
struct State {
    cancelled: bool,
    done: bool,
    waiter: Option<Sender<Signal>>,
}

/// The life of one request, shared by its worker and the reader.
#[derive(Default)]
pub(super) struct Ticket {
    state: Mutex<State>,
    changed: Condvar,
}

impl Ticket {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client no longer wants an answer.
    pub(super) fn cancel(&self) {
        let mut state = self.lock();
        state.cancelled = true;
        if let Some(waiter) = state.waiter.take() {
            // A waiter that is gone has its answer already.
            let _ = waiter.send(Signal::Stop);
        }
        self.changed.notify_all();
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.lock().cancelled
    }

    /// Sleeps, but not beyond a cancellation: true if there was one.
    pub(super) fn wait(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        let mut state = self.lock();
        while !state.cancelled {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Registers who is woken by a cancellation; false if it came already.
    pub(super) fn set_waiter(&self, waiter: Sender<Signal>) -> bool {
        let mut state = self.lock();
        if !state.cancelled {
            state.waiter = Some(waiter);
        }
        !state.cancelled
    }

    /// Runs `send` unless the request was cancelled or answered. Under the lock, so that nothing is sent after a
    /// cancellation was taken note of. `last` ends the request.
    pub(super) fn speak(&self, last: bool, send: impl FnOnce()) -> bool {
        let mut state = self.lock();
        let may = !state.cancelled && !state.done;
        if may {
            send();
        }
        state.done |= last;
        may
    }
}
