//! Streamable HTTP: one POST a message, the answer as JSON or as a stream of events; in the legacy revisions also a
//! session and a stream of the server's own.
//!
//! It speaks plain HTTP: TLS is the tap's, which stands between. All work is done on one thread with its own runtime;
//! whoever sends waits only for what must not be overtaken (notifications and answers).

mod request;
mod stream;

use std::collections::HashMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Uri};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use super::transport::{Incoming, Inlet, Outgoing, Outlet, Transport};
use crate::mcp::Revision;

/// So long is waited for the answer to a notification, and for the end of a session.
const PATIENCE: Duration = Duration::from_secs(10);

/// The end of a session is not worth more.
const FAREWELL: Duration = Duration::from_secs(2);

impl Transport {
    /// Streamable HTTP to a URL of the scheme `http`.
    ///
    /// # Errors
    /// `InvalidInput` if it is none; what the system says if there can be no thread.
    pub fn http(url: &str) -> io::Result<Transport> {
        let bad = |e: &dyn std::fmt::Display| io::Error::new(io::ErrorKind::InvalidInput, format!("{url}: {e}"));
        let url: Uri = url.parse().map_err(|e| bad(&e))?;
        if url.scheme_str() != Some("http") || url.host().is_none() {
            return Err(bad(&"not an http URL"));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel::<()>();
        thread::Builder::new().name("http-client".into()).spawn(move || {
            // Told or dropped: either way it is the end, and what still runs is dropped.
            let _ = runtime.block_on(ended);
        })?;
        let (sender, receiver) = channel();
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let web = Web {
            url,
            client: Client::builder(TokioExecutor::new()).build(connector),
            handle,
            state: Mutex::new(State { sender: Some(sender), end: Some(end), ..State::default() }),
        };
        Ok(Transport { outlet: Arc::new(Shared(Arc::new(web))), inlet: Box::new(HttpInlet(receiver)) })
    }
}

/// The connection.
struct Web {
    url: Uri,
    client: Client<HttpConnector, Full<Bytes>>,
    handle: Handle,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// `None`: closed.
    sender: Option<Sender<Incoming>>,
    end: Option<oneshot::Sender<()>>,
    revision: Option<Revision>,
    session: Option<String>,
    /// Requests that wait, by their id.
    open: HashMap<String, AbortHandle>,
    /// The server's own stream is being read, or it has none.
    listening: bool,
    /// `inputSchema` of tools that ask for headers, by name.
    schemas: HashMap<String, Box<[u8]>>,
}

struct Shared(Arc<Web>);

struct HttpInlet(Receiver<Incoming>);

impl Inlet for HttpInlet {
    fn recv(&mut self) -> io::Result<Option<Incoming>> {
        Ok(self.0.recv().ok())
    }
}

impl Web {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A message on its way.
struct Task {
    /// Its id, if an answer is waited for.
    id: Option<String>,
    method: Option<String>,
    request: Request<Full<Bytes>>,
}

impl Outlet for Shared {
    fn send(&self, message: &Outgoing<'_>) -> io::Result<()> {
        let web = &self.0;
        let (request, sender) = {
            let mut state = web.lock();
            let Some(sender) = state.sender.clone() else { return Err(io::ErrorKind::BrokenPipe.into()) };
            state.revision = message.revision.or(state.revision);
            let request =
                request::post(&web.url, message, &state).map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?;
            (request, sender)
        };
        let id = message.id.filter(|_| message.method.is_some()).map(str::to_owned);
        // Raw bytes may be a request whose answer is a stream: it is not waited for either.
        let overtaken = id.is_none() && (message.id.is_some() || message.method.is_some());
        let (done, finished) = sync_channel(1);
        let task = Task { id: id.clone(), method: message.method.map(str::to_owned), request };
        let running = web.clone();
        let mut state = web.lock();
        let spawned = web.handle.spawn(async move {
            let id = task.id.clone();
            stream::exchange(&running, task, sender).await;
            if let Some(id) = id {
                running.lock().open.remove(&id);
            }
            // Nobody may wait for it.
            let _ = done.send(());
        });
        if let Some(id) = id {
            state.open.insert(id, spawned.abort_handle());
        }
        drop(state);
        if overtaken {
            let _ = finished.recv_timeout(PATIENCE);
        }
        Ok(())
    }

    fn abandon(&self, id: &str) -> bool {
        let mut state = self.0.lock();
        // A legacy server may go on after its stream is closed, and wants to be told.
        if !state.revision.is_some_and(Revision::is_modern) {
            return false;
        }
        state.open.remove(id).map(|task| task.abort()).is_some()
    }

    fn close(&self) {
        let (sender, end, session, revision) = {
            let mut state = self.0.lock();
            state.open.drain().for_each(|(_, task)| task.abort());
            (state.sender.take(), state.end.take(), state.session.take(), state.revision)
        };
        if sender.is_none() {
            return;
        }
        if let Some(session) = session
            && let Ok(request) = request::delete(&self.0.url, &session, revision)
        {
            let (done, finished) = sync_channel(1);
            let client = self.0.client.clone();
            self.0.handle.spawn(async move {
                // A server may not know how to end a session.
                let _ = client.request(request).await;
                let _ = done.send(());
            });
            let _ = finished.recv_timeout(FAREWELL);
        }
        if let Some(end) = end {
            let _ = end.send(());
        }
    }
}
