//! What comes back: JSON, a stream of events, or a refusal.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming as Body;

use super::request::{AGENT, note_tools};
use super::{Task, Web};
use crate::mcp::headers::{LAST_EVENT_ID, PROTOCOL_VERSION, SESSION_ID};
use crate::mcp::{Method, Revision, errors};
use crate::peer::client::transport::Incoming;
use crate::wire::json::{Parser, Value};
use crate::wire::sse::{SseItem, SseParser};

/// A stream that ended before its time is asked for again so often without an event in between.
const RETRIES: u32 = 3;

/// The pause before that, where the server asks for none.
const PAUSE: Duration = Duration::from_secs(1);

/// Text of a refusal that is shown.
const SHOWN: usize = 500;

/// Sends a message and hands on what comes back.
pub(super) async fn exchange(web: &Arc<Web>, task: Task, sender: Sender<Incoming>) {
    let mut answer = Answer { web, id: task.id, method: task.method, sender, answered: false };
    match web.client.request(task.request).await {
        Ok(response) => answer.take(response).await,
        Err(failure) => answer.refuse(502, &format!("cannot be reached: {failure}")),
    }
}

struct Answer<'w> {
    web: &'w Arc<Web>,
    /// Of the request that waits.
    id: Option<String>,
    method: Option<String>,
    sender: Sender<Incoming>,
    answered: bool,
}

impl Answer<'_> {
    fn is(&self, method: &str) -> bool {
        self.method.as_deref() == Some(method)
    }

    async fn take(&mut self, response: Response<Body>) {
        let status = response.status();
        let session = response.headers().get(SESSION_ID).and_then(|v| v.to_str().ok()).map(str::to_owned);
        if let Some(session) = session.filter(|_| status.is_success() && self.is(Method::Initialize.name())) {
            self.web.lock().session = Some(session);
        }
        if status.is_success() && self.is("notifications/initialized") {
            self.listen();
        }
        if status.is_success() && is_type(&response, "text/event-stream") {
            return self.events(response).await;
        }
        let json = is_type(&response, "application/json");
        let body = match response.into_body().collect().await {
            Ok(body) => body.to_bytes(),
            Err(failure) => return self.refuse(status.as_u16(), &format!("the answer broke off: {failure}")),
        };
        if status.is_success() {
            if !body.trim_ascii().is_empty() {
                self.message(&body);
            }
            return self.refuse(status.as_u16(), "accepted without an answer");
        }
        if json && self.is_answer(&body) {
            return self.message(&body);
        }
        let text = error_message(&body).unwrap_or_else(|| String::from_utf8_lossy(&body).into_owned());
        let text: String = text.trim().chars().take(SHOWN).collect();
        self.refuse(
            status.as_u16(),
            if text.is_empty() { status.canonical_reason().unwrap_or("refused") } else { &text },
        );
    }

    /// Says that there will be no answer, to whoever waits for one.
    fn refuse(&mut self, status: u16, text: &str) {
        if let Some(id) = self.id.take().filter(|_| !self.answered) {
            // Nobody may be there any more.
            let _ = self.sender.send(Incoming::Refused { id, status, text: text.to_owned() });
        }
    }

    /// Whether a body with an error status is the answer to the request. A server that could not read the request does
    /// not know its id, but it says in the codes of 2026-07-28 what is wrong: that is an answer too.
    fn is_answer(&self, body: &[u8]) -> bool {
        let mut parser = Parser::new();
        let Some(root) = parser.parse(body).root() else { return false };
        root.get("error").is_some() && self.fits(root) || self.is_anonymous(root)
    }

    fn fits(&self, root: Value<'_>) -> bool {
        self.id.as_deref().is_some_and(|id| root.get("id").is_some_and(|other| other.raw() == id.as_bytes()))
    }

    fn is_anonymous(&self, root: Value<'_>) -> bool {
        let code = root.get("error").and_then(|error| error.get("code")).and_then(Value::as_i64);
        self.id.is_some() && root.get("id").is_some_and(Value::is_null) && code.is_some_and(errors::is_modern_sign)
    }

    fn message(&mut self, bytes: &[u8]) {
        let mut parser = Parser::new();
        let mut bytes = bytes.to_vec();
        if let Some(root) = parser.parse(&bytes.clone()).root() {
            let response = root.get("result").is_some() || root.get("error").is_some();
            self.answered |= root.is_array() || response && self.fits(root);
            if self.is(Method::ToolsList.name()) && response {
                note_tools(&mut self.web.lock(), root);
            }
            if let (true, Some(id), Some(null)) = (self.is_anonymous(root), &self.id, root.get("id")) {
                // So that it reaches who waits for it.
                let span = null.span();
                bytes = [&bytes[..span.start], id.as_bytes(), &bytes[span.end..]].concat();
                self.answered = true;
            }
        }
        let _ = self.sender.send(Incoming::Message(bytes));
    }

    /// A stream; in the legacy revisions one that breaks off is asked for again where it stopped.
    async fn events(&mut self, response: Response<Body>) {
        let mut last = None;
        let mut pause = PAUSE;
        let mut stream = Some(response);
        let mut tries = 0;
        loop {
            if let Some(response) = stream.take() {
                let before = last.clone();
                self.read(response, &mut last, &mut pause).await;
                if last != before {
                    tries = 0;
                }
            }
            let resumable = last.as_ref().filter(|_| self.id.is_some() && !self.answered && tries < RETRIES);
            let Some(id) = resumable else { break };
            tries += 1;
            tokio::time::sleep(pause).await;
            stream = get(self.web, Some(id)).await;
        }
        self.refuse(200, "the stream ended without an answer");
    }

    async fn read(&mut self, response: Response<Body>, last: &mut Option<String>, pause: &mut Duration) {
        let mut body = response.into_body();
        let mut parser = SseParser::new();
        while let Some(Ok(frame)) = body.frame().await {
            let Some(bytes) = frame.data_ref() else { continue };
            parser.push(bytes, |item| {
                let SseItem::Event(event) = item else { return };
                if let Some(id) = &event.id {
                    *last = Some(id.to_string());
                }
                if let Some(retry) = event.retry {
                    *pause = Duration::from_millis(retry.min(60_000));
                }
                let message = event.event.as_deref().is_none_or(|kind| kind == "message");
                if message && !event.data.trim_ascii().is_empty() {
                    self.message(&event.data);
                }
            });
        }
    }

    /// Opens the server's own stream, once.
    fn listen(&self) {
        {
            let mut state = self.web.lock();
            if state.listening || state.revision.is_none_or(Revision::is_modern) || state.sender.is_none() {
                return;
            }
            state.listening = true;
        }
        let (web, sender) = (self.web.clone(), self.sender.clone());
        self.web.handle.spawn(async move {
            let mut answer = Answer { web: &web, id: None, method: None, sender, answered: false };
            let (mut last, mut pause) = (None, PAUSE);
            // A server may have no such stream. One that ends it may have another later.
            while let Some(response) = get(&web, last.as_ref()).await {
                answer.read(response, &mut last, &mut pause).await;
                tokio::time::sleep(pause).await;
                if web.lock().sender.is_none() {
                    return;
                }
            }
        });
    }
}

/// A GET for a stream of events.
async fn get(web: &Web, last: Option<&String>) -> Option<Response<Body>> {
    let mut request = Request::get(web.url.clone()).header(ACCEPT, "text/event-stream").header(USER_AGENT, AGENT);
    {
        let state = web.lock();
        if let Some(session) = &state.session {
            request = request.header(SESSION_ID, session);
        }
        if let Some(revision) = state.revision.filter(|r| *r >= Revision::V2025_06_18) {
            request = request.header(PROTOCOL_VERSION, revision.as_str());
        }
    }
    if let Some(last) = last {
        request = request.header(LAST_EVENT_ID, last);
    }
    let response = web.client.request(request.body(Full::<Bytes>::default()).ok()?).await.ok()?;
    (response.status() == 200 && is_type(&response, "text/event-stream")).then_some(response)
}

fn is_type(response: &Response<Body>, wanted: &str) -> bool {
    let value = response.headers().get(CONTENT_TYPE).and_then(|v| v.to_str().ok());
    value.is_some_and(|v| v.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(wanted))
}

/// What a JSON-RPC error says, whoever it is for.
fn error_message(body: &[u8]) -> Option<String> {
    let mut parser = Parser::new();
    let message = parser.parse(body).root()?.get("error")?.get("message")?.as_str()?;
    Some(message.into_owned())
}
