//! The built-in client: speaks both eras over any transport that carries messages.
//!
//! [`Client::connect`] finds out which era the server is of; [`Client::start`] sends a request and hands back a
//! [`Pending`]; [`Client::complete`] also answers what the server asks on the way. Results stay the bytes that came:
//! nothing here re-serialises them.

mod answer;
pub mod args;
mod connect;
mod http;
mod lists;
mod message;
mod pending;
mod retry;
mod transport;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

pub use answer::{Abilities, Answer, Answerer, FormAnswers, Nobody, Question};
pub use connect::{ConnectError, Facts, Speak};
pub use lists::{List, Listing, Tool};
pub use message::{Response, RpcError};
pub use pending::{CallError, Pending, Progress};
pub use transport::{Incoming, Inlet, Outgoing, Outlet, Transport};

use crate::mcp::Revision;
use crate::wire::json::{Document, Value};
use message::{Body, Members};
use pending::Arrival;

/// Questions of a legacy server that may wait for an answer at once; more are refused.
const MAX_QUESTIONS: usize = 16;

/// How a client behaves. `..Options::default()` suits most.
#[derive(Clone)]
pub struct Options {
    /// Which era to speak.
    pub speak: Speak,
    /// How long the server may be silent on `server/discover` before it counts as legacy.
    pub probe_timeout: Duration,
    /// How long a request waits for its answer; `None` waits for ever. Progress does not extend it.
    pub timeout: Option<Duration>,
    /// Who answers the server's questions.
    pub answerer: Arc<dyn Answerer>,
    /// Called with each notification of the server (method, whole message), on the reader's thread: be quick.
    pub on_notification: Option<Arc<dyn Fn(&str, &[u8]) + Send + Sync>>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            speak: Speak::Auto,
            probe_timeout: Duration::from_secs(10),
            timeout: Some(Duration::from_secs(60)),
            answerer: Arc::new(Nobody),
            on_notification: None,
        }
    }
}

/// A connection to a server.
pub struct Client {
    link: Arc<Link>,
    options: Options,
    facts: Facts,
}

/// What the reader and the callers share.
struct Link {
    outlet: Arc<dyn Outlet>,
    next_id: AtomicU64,
    open: Mutex<HashMap<u64, mpsc::Sender<Arrival>>>,
    /// The revision messages are written in; `None` until it is known.
    revision: Mutex<Option<Revision>>,
    closed: AtomicBool,
    questions: AtomicUsize,
    answerer: Arc<dyn Answerer>,
    on_notification: Option<Arc<dyn Fn(&str, &[u8]) + Send + Sync>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Client {
    /// Connects: probes the era, and shakes hands where the server wants that.
    ///
    /// # Errors
    /// [`ConnectError`]: the server is gone, refuses, or speaks none of the versions.
    pub fn connect(transport: Transport, options: Options) -> Result<Client, ConnectError> {
        let Transport { outlet, inlet } = transport;
        let link = Arc::new(Link {
            outlet,
            next_id: AtomicU64::new(1),
            open: Mutex::default(),
            revision: Mutex::new(None),
            closed: AtomicBool::new(false),
            questions: AtomicUsize::new(0),
            answerer: options.answerer.clone(),
            on_notification: options.on_notification.clone(),
        });
        let reader = link.clone();
        thread::spawn(move || reader.read(inlet));
        match connect::negotiate(&link, &options) {
            Ok(facts) => Ok(Client { link, options, facts }),
            Err(failure) => {
                link.outlet.close();
                Err(failure)
            }
        }
    }

    /// What is known of the server.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The revision that is spoken.
    pub fn revision(&self) -> Revision {
        self.facts.revision
    }

    /// Sends a request. `members` are the params without `_meta`, which is added: names and JSON texts, which go out
    /// as they are (line ends, which JSON has only between its tokens, become blanks).
    ///
    /// # Errors
    /// [`CallError::Closed`] or [`CallError::Io`] if it could not be sent.
    pub fn start(&self, method: &str, members: &[(&str, &str)]) -> Result<Pending, CallError> {
        self.link.start(method, members, false)
    }

    /// As [`Client::start`], with a token that makes the server report progress.
    ///
    /// # Errors
    /// As [`Client::start`].
    pub fn start_with_progress(&self, method: &str, members: &[(&str, &str)]) -> Result<Pending, CallError> {
        self.link.start(method, members, true)
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// [`CallError`]; a JSON-RPC error is an answer and no error here.
    pub fn request(&self, method: &str, members: &[(&str, &str)]) -> Result<Response, CallError> {
        self.start(method, members)?.wait(self.options.timeout)
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// [`CallError::Closed`] or [`CallError::Io`].
    pub fn notify(&self, method: &str, members: &[(&str, &str)]) -> Result<(), CallError> {
        self.link.notify(method, members)
    }

    /// Sends exactly these bytes as one message, whatever they are. An answer to a request in it reaches nobody here,
    /// unless its id is one of [`Client::reserve_id`].
    ///
    /// # Errors
    /// [`CallError::Closed`] or [`CallError::Io`].
    pub fn send_raw(&self, bytes: &[u8]) -> Result<(), CallError> {
        self.link.send(&Outgoing::of_bytes(bytes, self.revision()))
    }

    /// An id that no other request has, and the [`Pending`] that hears of its answer: for requests sent raw.
    pub fn reserve_id(&self) -> Pending {
        self.link.reserve("(raw)")
    }

    /// Whether the server can still be heard.
    pub fn is_open(&self) -> bool {
        !self.link.closed.load(Ordering::Acquire)
    }

    /// Closes the way to the server. What it still says is read on until it ends its side.
    pub fn close(&self) {
        self.link.outlet.close();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.close();
    }
}

impl Link {
    fn revision(&self) -> Option<Revision> {
        *lock(&self.revision)
    }

    /// `_meta` for a request: everything in the modern era, a token at most in the legacy one.
    fn meta(&self, token: Option<u64>) -> Option<String> {
        // While the era is not known, the only message is the probe, which is modern; `initialize` has set it.
        let revision = self.revision().unwrap_or(Revision::NEWEST);
        message::meta(revision, self.answerer.abilities(), token)
    }

    fn reserve(self: &Arc<Self>, method: &str) -> Pending {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = mpsc::channel();
        lock(&self.open).insert(id, sender);
        // Only now: the reader says that it ended before it tells those who wait, so that one of the two tells us.
        if self.closed.load(Ordering::Acquire)
            && let Some(sender) = lock(&self.open).remove(&id)
        {
            let _ = sender.send(Arrival::Closed);
        }
        Pending::new(id, method, receiver, self.clone())
    }

    fn start(self: &Arc<Self>, method: &str, members: &Members<'_>, progress: bool) -> Result<Pending, CallError> {
        let pending = self.reserve(method);
        let meta = self.meta(progress.then_some(pending.id()));
        let text = message::request(pending.id(), method, members, meta.as_deref());
        self.send(&Outgoing {
            bytes: text.as_bytes(),
            id: Some(&pending.id().to_string()),
            method: Some(method),
            revision: self.revision(),
        })?;
        Ok(pending)
    }

    fn notify(&self, method: &str, members: &Members<'_>) -> Result<(), CallError> {
        let text = message::notification(method, members);
        self.send(&Outgoing { bytes: text.as_bytes(), id: None, method: Some(method), revision: self.revision() })
    }

    fn send(&self, message: &Outgoing<'_>) -> Result<(), CallError> {
        self.outlet.send(message).map_err(|failure| match failure.kind() {
            std::io::ErrorKind::BrokenPipe => CallError::Closed,
            _ => CallError::Io(failure),
        })
    }

    /// Gives a request up: in the transport's own way, or with a notification.
    fn cancel(&self, id: u64, reason: &str) {
        lock(&self.open).remove(&id);
        if !self.outlet.abandon(&id.to_string()) {
            let reason = serde_json::Value::from(reason).to_string();
            // The server may be gone; then there is nothing to cancel.
            let _ = self.notify("notifications/cancelled", &[("requestId", &id.to_string()), ("reason", &reason)]);
        }
    }

    fn read(self: Arc<Self>, mut inlet: Box<dyn Inlet>) {
        while let Ok(Some(incoming)) = inlet.recv() {
            match incoming {
                Incoming::Message(bytes) => self.take(bytes),
                Incoming::Refused { id, status, text } => {
                    if let Some(waiter) = id.parse().ok().and_then(|id: u64| lock(&self.open).remove(&id)) {
                        // Nobody waits any more for a request that was given up.
                        let _ = waiter.send(Arrival::Refused { status, text });
                    }
                }
            }
        }
        self.closed.store(true, Ordering::Release);
        for (_, waiter) in lock(&self.open).drain() {
            let _ = waiter.send(Arrival::Closed);
        }
    }

    fn take(self: &Arc<Self>, bytes: Vec<u8>) {
        let document = Document::new(bytes);
        let Some(root) = document.doc().root() else { return };
        if root.is_array() {
            // A batch (2025-03-26): each member is taken as if it had come alone.
            let parts: Vec<Vec<u8>> = root.elements().map(|part| part.raw().to_vec()).collect();
            return parts.into_iter().for_each(|part| self.take(part));
        }
        let id = root.get("id");
        match message::body(root) {
            Body::Request(method) => {
                if let Some(id) = id {
                    self.asked(&method, &id.raw_str(), root.get("params"));
                }
            }
            Body::Notification(method) => {
                if method == "notifications/progress" {
                    self.progressed(root);
                }
                if let Some(listener) = &self.on_notification {
                    listener(&method, document.doc().bytes());
                }
            }
            Body::Response => {
                // The id has to be exactly the one that was sent: 7 is not "7".
                let waiter =
                    id.and_then(|id| id.raw_str().parse().ok()).and_then(|id: u64| lock(&self.open).remove(&id));
                if let Some(waiter) = waiter {
                    let _ = waiter.send(Arrival::Response(Response::new(document)));
                }
            }
            Body::Other => {}
        }
    }

    fn progressed(&self, root: Value<'_>) {
        let token = root.path(&["params", "progressToken"]).and_then(Value::as_u64);
        if let Some(waiter) = token.and_then(|token| lock(&self.open).get(&token).cloned()) {
            let number = |key| root.path(&["params", key]).and_then(Value::as_f64);
            let message = root.path(&["params", "message"]).and_then(Value::as_str).map(std::borrow::Cow::into_owned);
            let progress = Progress { progress: number("progress").unwrap_or(0.0), total: number("total"), message };
            let _ = waiter.send(Arrival::Progress(progress));
        }
    }

    /// A request of the server. Modern servers send none, and get no answer: it would be a fault of ours.
    fn asked(self: &Arc<Self>, method: &str, id: &str, params: Option<Value<'_>>) {
        if self.revision().is_none_or(Revision::is_modern) {
            return;
        }
        if method == "ping" {
            return self.respond(id, &Answer::Result("{}".to_owned()));
        }
        if !self.answerer.abilities().covers(method) {
            return self.respond(id, &Answer::Error { code: -32601, message: format!("Method not found: {method}") });
        }
        if self.questions.fetch_add(1, Ordering::AcqRel) >= MAX_QUESTIONS {
            self.questions.fetch_sub(1, Ordering::AcqRel);
            return self.respond(id, &Answer::Error { code: -32603, message: "Too many questions at once".to_owned() });
        }
        let link = self.clone();
        let (method, id) = (method.to_owned(), id.to_owned());
        let params = params.map(|params| params.raw().to_vec()).unwrap_or_else(|| b"{}".to_vec());
        // Answers may take as long as a person takes.
        thread::spawn(move || {
            let question = Question { method: &method, params: &params, key: None };
            let answer = link.answerer.answer(&question);
            link.respond(&id, &answer);
            link.questions.fetch_sub(1, Ordering::AcqRel);
        });
    }

    fn respond(&self, id: &str, answer: &Answer) {
        if let Some(text) = message::response(id, answer) {
            // A server that is gone needs no answer.
            let _ =
                self.send(&Outgoing { bytes: text.as_bytes(), id: Some(id), method: None, revision: self.revision() });
        }
    }
}
