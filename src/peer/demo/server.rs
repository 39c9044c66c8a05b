//! The server's centre: reads lines, tells requests from answers and notifications, hands out work, writes answers.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::error::RpcError;
use super::faults::{Fault, FaultSet};
use super::lifecycle::Session;
use super::outbox::{Batch, Outbox};
use super::request::{Answer, Request};
use super::resources::Shelf;
use super::subscriptions::Subscriptions;
use super::ticket::{Signal, Ticket};
use super::{Options, complete, lifecycle, prompts, resources, tools};
use crate::mcp::{Revision, meta};

/// Requests that may be worked on at once; more are refused.
const MAX_IN_FLIGHT: usize = 64;
/// How long calls in flight may go on after the client's end of input. Hosts kill after two seconds.
const GRACE: Duration = Duration::from_millis(1500);

/// A message as it came. The id keeps its bytes: it is sent back as it is.
#[derive(Deserialize)]
struct Message {
    #[serde(default, deserialize_with = "present")]
    id: Option<Box<RawValue>>,
    method: Option<Value>,
    params: Option<Value>,
    result: Option<Value>,
    error: Option<Value>,
}

/// `null` is an id that may not be used, not an absent one.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(from).map(Some)
}

/// Shared by the reader and the workers.
pub(super) struct Server {
    pub(super) options: Options,
    pub(super) session: Mutex<Session>,
    pub(super) shelf: Mutex<Shelf>,
    pub(super) subscriptions: Subscriptions,
    /// Signs `requestState`, so that an altered one is noticed. New for each process.
    pub(super) key: [u8; 32],
    outbox: Arc<Outbox>,
    in_flight: Mutex<HashMap<String, Arc<Ticket>>>,
    asked: Mutex<HashMap<u64, Sender<Signal>>>,
    next_ask: AtomicU64,
    /// Faults that `misbehave` ordered for a later moment.
    armed: Mutex<FaultSet>,
    die: Box<dyn Fn(i32) + Send + Sync>,
    crashed: Mutex<bool>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Server {
    pub(super) fn new(
        output: impl Write + Send + 'static,
        options: Options,
        die: Box<dyn Fn(i32) + Send + Sync>,
    ) -> Arc<Server> {
        Arc::new(Server {
            options,
            session: Mutex::default(),
            shelf: Mutex::default(),
            subscriptions: Subscriptions::default(),
            key: tools::book::new_key(),
            outbox: Arc::new(Outbox::new(output)),
            in_flight: Mutex::default(),
            asked: Mutex::default(),
            next_ask: AtomicU64::new(1),
            armed: Mutex::default(),
            die,
            crashed: Mutex::new(false),
        })
    }

    /// Reads until the end of the input or a crash.
    pub(super) fn run(self: &Arc<Self>, mut input: impl BufRead) -> i32 {
        let mut workers: Vec<JoinHandle<()>> = Vec::new();
        let mut line = Vec::new();
        loop {
            line.clear();
            match input.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
            if *lock(&self.crashed) {
                return 3;
            }
            workers.retain(|worker| !worker.is_finished());
            self.take_line(line.trim_ascii(), &mut workers);
        }
        self.wind_down(workers);
        if *lock(&self.crashed) { 3 } else { 0 }
    }

    fn wind_down(&self, workers: Vec<JoinHandle<()>>) {
        // Nobody can answer a question any more.
        for (_, waiter) in lock(&self.asked).drain() {
            let _ = waiter.send(Signal::Stop);
        }
        let end = Instant::now() + GRACE;
        for worker in workers {
            while !worker.is_finished() && Instant::now() < end {
                thread::sleep(Duration::from_millis(5));
            }
        }
        self.subscriptions.end_all(self);
        if self.options.faults.union(*lock(&self.armed)).has(Fault::HalfLineAtExit) {
            self.outbox.raw(br#"{"jsonrpc":"2.0","method":"notifications/mess"#);
        }
        self.outbox.close();
    }

    fn take_line(self: &Arc<Self>, line: &[u8], workers: &mut Vec<JoinHandle<()>>) {
        if line.is_empty() {
            return;
        }
        let text = match std::str::from_utf8(line) {
            Ok(text) => text,
            Err(_) => return self.refuse(None, &RpcError::parse("Parse error: not UTF-8"), FaultSet::NONE),
        };
        if text.starts_with('[') && lock(&self.session).batches() {
            return self.take_batch(text, workers);
        }
        match serde_json::from_str::<Message>(text) {
            Ok(message) => self.take(message, None, workers),
            Err(failure) if failure.is_data() => {
                self.refuse(None, &RpcError::invalid_request("Not a JSON-RPC message"), FaultSet::NONE);
            }
            Err(failure) => {
                self.refuse(None, &RpcError::parse(format!("Parse error: {failure}")), FaultSet::NONE);
            }
        }
    }

    fn take_batch(self: &Arc<Self>, text: &str, workers: &mut Vec<JoinHandle<()>>) {
        let Ok(messages) = serde_json::from_str::<Vec<Message>>(text) else {
            return self.refuse(None, &RpcError::invalid_request("Not a JSON-RPC batch"), FaultSet::NONE);
        };
        if messages.is_empty() {
            return self.refuse(None, &RpcError::invalid_request("Empty batch"), FaultSet::NONE);
        }
        let requests = messages.iter().filter(|m| m.id.is_some() && m.method.is_some()).count();
        let batch = Arc::new(Batch::new(requests, self.outbox.clone()));
        for message in messages {
            self.take(message, Some(batch.clone()), workers);
        }
    }

    fn take(self: &Arc<Self>, message: Message, batch: Option<Arc<Batch>>, workers: &mut Vec<JoinHandle<()>>) {
        let Message { id, method, params, result, error } = message;
        match (method, id) {
            (Some(Value::String(method)), Some(id)) => self.take_request(id, method, params, batch, workers),
            (Some(Value::String(method)), None) => self.take_notification(&method, params.unwrap_or_default()),
            (None, Some(id)) if result.is_some() || error.is_some() => self.take_answer(&id, result, error),
            (_, id) => {
                let id = id.filter(|id| is_id(id));
                self.refuse(id.as_deref(), &RpcError::invalid_request("Not a JSON-RPC message"), FaultSet::NONE);
            }
        }
    }

    fn take_request(
        self: &Arc<Self>,
        id: Box<RawValue>,
        method: String,
        params: Option<Value>,
        batch: Option<Arc<Batch>>,
        workers: &mut Vec<JoinHandle<()>>,
    ) {
        let mut faults = self.options.faults;
        if method == "resources/read" {
            faults = faults.union(self.disarm(Fault::WrongNotFoundCode));
        }
        if method == "tools/call"
            && let Some(fault) = params.as_ref().and_then(Value::as_object).and_then(tools::misbehave::ordered)
        {
            faults = faults.with(fault);
        }
        let refuse = |error: &RpcError| match &batch {
            Some(batch) => batch.answer(Some(&error_text(Some(&id), error))),
            None => self.refuse(Some(&id), error, faults),
        };
        if !is_id(&id) {
            let error = RpcError::invalid_request("id must be a string or an integer");
            return match &batch {
                Some(batch) => batch.answer(Some(&error_text(None, &error))),
                None => self.refuse(None, &error, faults),
            };
        }
        let params = match params {
            None => serde_json::Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return refuse(&RpcError::invalid_params("params must be an object")),
        };
        let (revision, capabilities) = match lifecycle::admit(self, &method, &params, faults) {
            Ok(admitted) => admitted,
            Err(error) => return refuse(&error),
        };
        let ticket = Arc::new(Ticket::default());
        {
            let mut open = lock(&self.in_flight);
            if open.contains_key(id.get()) {
                drop(open);
                return refuse(&RpcError::invalid_request("id is already in use"));
            }
            if open.len() >= MAX_IN_FLIGHT {
                drop(open);
                return refuse(&RpcError::internal("Too many requests in flight"));
            }
            open.insert(id.get().to_owned(), ticket.clone());
        }
        let request = Request { id, method, params, revision, capabilities, ticket, batch, faults };
        // Only tool calls take time; everything else is answered by the reader, so that lists stay in order.
        if request.method == "tools/call" {
            let server = self.clone();
            workers.push(thread::spawn(move || server.work(request)));
        } else {
            self.work(request);
        }
    }

    fn work(&self, mut request: Request) {
        let answer = match request.method.as_str() {
            "subscriptions/listen" if request.revision.is_modern() => {
                // Stays open: its ticket is kept, and ended by a cancellation or by the end of the input.
                match self.subscriptions.listen(self, &request) {
                    Ok(()) => return,
                    Err(error) => Err(error),
                }
            }
            _ => self.dispatch(&mut request),
        };
        self.answer(&request, answer);
        lock(&self.in_flight).remove(request.id.get());
    }

    fn dispatch(&self, request: &mut Request) -> Answer {
        let modern = request.revision.is_modern();
        match request.method.as_str() {
            "server/discover" if modern => Ok(lifecycle::discover(self, request)),
            "initialize" if !modern => lifecycle::initialize(self, request),
            "ping" if !modern => Ok(json!({})),
            "logging/setLevel" if !modern => lifecycle::set_level(self, request),
            "tools/list" => tools::list(self, request),
            "tools/call" => tools::call(self, request),
            "prompts/list" => prompts::list(request),
            "prompts/get" => prompts::get(request),
            "resources/list" => resources::list(self, request),
            "resources/templates/list" => resources::templates(request),
            "resources/read" => resources::read(self, request),
            "resources/subscribe" if !modern => self.subscriptions.subscribe(self, request),
            "resources/unsubscribe" if !modern => self.subscriptions.unsubscribe(request),
            "completion/complete" if complete::announced(request.revision) => complete::complete(request),
            method => Err(RpcError::method_not_found(method)),
        }
    }

    fn take_notification(&self, method: &str, params: Value) {
        match method {
            "notifications/cancelled" => {
                let id = params.get("requestId").map(Value::to_string).unwrap_or_default();
                let open = lock(&self.in_flight).get(&id).cloned();
                if let Some(ticket) = open
                    && !self.options.faults.has(Fault::IgnoreCancel)
                {
                    ticket.cancel();
                    if self.subscriptions.cancel(&id) {
                        lock(&self.in_flight).remove(&id);
                    }
                }
            }
            "notifications/initialized" => lock(&self.session).initialized = true,
            // Whatever else it is, it wants no answer.
            _ => {}
        }
    }

    fn take_answer(&self, id: &RawValue, result: Option<Value>, error: Option<Value>) {
        let Some(waiter) = id.get().parse().ok().and_then(|id: u64| lock(&self.asked).remove(&id)) else { return };
        let answer = match (result, error) {
            (Some(result), _) => Ok(result),
            (None, error) => {
                let text = error.as_ref().and_then(|e| e.get("message")).and_then(Value::as_str);
                Err(RpcError::internal(text.unwrap_or("no reason given")))
            }
        };
        // The worker may have been cancelled in the meantime.
        let _ = waiter.send(Signal::Answer(answer));
    }

    /// Asks the client (legacy revisions only) and waits for the answer; `None` if the request was cancelled.
    pub(super) fn ask(&self, request: &Request, method: &str, params: Value) -> Option<Answer> {
        let (sender, receiver) = channel();
        if !request.ticket.set_waiter(sender.clone()) {
            return None;
        }
        let id = self.next_ask.fetch_add(1, Ordering::Relaxed);
        lock(&self.asked).insert(id, sender);
        self.outbox.line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        match receiver.recv() {
            Ok(Signal::Answer(answer)) => Some(answer),
            Ok(Signal::Stop) | Err(_) => {
                if lock(&self.asked).remove(&id).is_some() {
                    self.notify("notifications/cancelled", json!({ "requestId": id, "reason": "no longer needed" }));
                }
                None
            }
        }
    }

    /// Sends a notification.
    pub(super) fn notify(&self, method: &str, params: Value) {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        if params.as_object().is_some_and(|params| !params.is_empty()) {
            message["params"] = params;
        }
        self.outbox.line(&message.to_string());
    }

    /// Sends the answer to a request, with the faults that were ordered for it.
    pub(super) fn answer(&self, request: &Request, answer: Answer) {
        let faults = request.faults;
        let call = request.method == "tools/call";
        if call && faults.has(Fault::NoAnswer) || request.ticket.is_cancelled() && !faults.has(Fault::IgnoreCancel) {
            if let Some(batch) = &request.batch {
                batch.answer(None);
            }
            return;
        }
        let text = match answer {
            Ok(result) => result_text(request, request.finish(result)),
            Err(error) => error_text((!faults.has(Fault::ErrorIdLost)).then_some(&*request.id), &error),
        };
        if let Some(batch) = &request.batch {
            return batch.answer(Some(&text));
        }
        let text = if call { super::lifecycle::disfigure(text, faults) } else { text };
        let send = || {
            if faults.has(Fault::StdoutNoise) {
                self.outbox.line("Listening for requests ...");
            }
            if call && faults.has(Fault::UnaskedChange) {
                self.notify("notifications/prompts/list_changed", json!({}));
            }
            if call && faults.has(Fault::StrayResponse) {
                let result = request.finish(json!({}));
                self.outbox.line(&format!(r#"{{"jsonrpc":"2.0","id":"nobody-asked","result":{result}}}"#));
            }
            self.outbox.line(&text);
            if call && faults.has(Fault::DuplicateResponse) {
                self.outbox.line(&text);
            }
        };
        request.ticket.speak(true, send);
        if call
            && faults.has(Fault::LateProgress)
            && let Some(token) = request.params.get("_meta").and_then(|meta| meta.get("progressToken"))
        {
            self.notify("notifications/progress", json!({ "progressToken": token, "progress": 1000, "total": 1000 }));
        }
    }

    fn refuse(&self, id: Option<&RawValue>, error: &RpcError, faults: FaultSet) {
        self.outbox.line(&error_text(id.filter(|_| !faults.has(Fault::ErrorIdLost)), error));
    }

    /// The last word on a subscription that the server ends itself.
    pub(super) fn end_subscription(&self, id: &RawValue, subscription: Value) {
        let info = lifecycle::server_info(Revision::V2026_07_28);
        let meta = json!({ meta::SUBSCRIPTION_ID: subscription, meta::SERVER_INFO: info });
        let result = json!({ "resultType": "complete", "_meta": meta });
        self.outbox.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
    }

    /// A fault for later: the next read, or the end.
    pub(super) fn arm(&self, fault: Fault) {
        let mut armed = lock(&self.armed);
        *armed = armed.with(fault);
    }

    fn disarm(&self, fault: Fault) -> FaultSet {
        let mut armed = lock(&self.armed);
        if !armed.has(fault) {
            return FaultSet::NONE;
        }
        *armed = armed.without(fault);
        FaultSet::NONE.with(fault)
    }

    /// Plays dead: no more output, and the process is left.
    pub(super) fn crash(&self) {
        *lock(&self.crashed) = true;
        self.outbox.close();
        (self.die)(3);
    }
}

/// A string or an integer; MCP has no null ids.
fn is_id(id: &RawValue) -> bool {
    let text = id.get();
    text.starts_with('"') || text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit())
}

fn result_text(request: &Request, mut result: Value) -> String {
    let faults = request.faults;
    if let Some(object) = result.as_object_mut().filter(|_| request.revision.is_modern()) {
        if faults.has(Fault::MissingResultType) {
            object.remove("resultType");
        } else if faults.has(Fault::UnknownResultType) {
            object.insert("resultType".into(), json!("done"));
        }
    }
    let mut id = request.id.get().to_owned();
    if request.method == "tools/call" && faults.has(Fault::IdTypeChanged) {
        id = match id.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(inner) => inner.parse::<i64>().unwrap_or(0).to_string(),
            None => format!("\"{id}\""),
        };
    }
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

fn error_text(id: Option<&RawValue>, error: &RpcError) -> String {
    let error = error.to_value();
    match id {
        Some(id) => format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#),
        None => format!(r#"{{"jsonrpc":"2.0","error":{error}}}"#),
    }
}
