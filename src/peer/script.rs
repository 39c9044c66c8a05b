//! The client's side of `mcpscope demo`: two conversations with the demo server, one in each era, that show every
//! outcome an exchange can have and some faults of both sides.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{
    Abilities, Answer, Answerer, CallError, Client, ConnectError, List, Options, Pending, Question, Speak, Transport,
};
use crate::mcp::Revision;

/// How fast the script goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// Pause between two steps, so that a person can watch.
    pub step: Duration,
    /// How long an answer that never comes is waited for.
    pub patience: Duration,
}

impl Pace {
    /// For people: two to three seconds in all.
    pub const VISIBLE: Pace = Pace { step: Duration::from_millis(26), patience: Duration::from_millis(70) };
    /// For tests and `--fast`.
    pub const FAST: Pace = Pace { step: Duration::ZERO, patience: Duration::from_millis(40) };
}

/// Longest wait for something that does come.
const LIMIT: Duration = Duration::from_secs(10);

/// Runs both conversations. `connect` starts a server for each: the modern conversation ends with its crash, the legacy
/// one with the end of its input.
///
/// # Errors
/// [`ConnectError`] if a server could not be started or spoken to.
pub fn run<E: From<ConnectError>>(
    pace: Pace,
    mut connect: impl FnMut() -> std::result::Result<Transport, E>,
) -> std::result::Result<(), E> {
    Script::begin(connect()?, Speak::Auto, pace)?.modern();
    Script::begin(connect()?, Speak::Legacy(Revision::V2025_11_25), pace)?.legacy();
    Ok(())
}

/// What came in as notifications, for steps that wait for one.
#[derive(Default)]
struct Heard {
    methods: Mutex<Vec<String>>,
    changed: Condvar,
}

struct Script {
    client: Client,
    pace: Pace,
    heard: Arc<Heard>,
}

impl Script {
    fn begin(transport: Transport, speak: Speak, pace: Pace) -> Result<Script, ConnectError> {
        let heard = Arc::new(Heard::default());
        let listener = heard.clone();
        let options = Options {
            speak,
            answerer: Arc::new(Traveller(pace)),
            timeout: Some(LIMIT),
            on_notification: Some(Arc::new(move |method: &str, _: &[u8]| {
                listener.methods.lock().unwrap_or_else(PoisonError::into_inner).push(method.to_owned());
                listener.changed.notify_all();
            })),
            ..Options::default()
        };
        Ok(Script { client: Client::connect(transport, options)?, pace, heard })
    }

    fn pause(&self) {
        thread::sleep(self.pace.step);
    }

    /// Sends a request and takes whatever comes of it: the outcome is for the one who watches.
    fn ask(&self, method: &str, members: &[(&str, &str)]) {
        self.pause();
        self.settle(self.client.request(method, members).map(drop));
    }

    fn call(&self, tool: &str, arguments: &str) {
        self.pause();
        self.settle(self.client.call_tool(tool, arguments, Some(LIMIT), |_| ()).map(drop));
    }

    /// A call that is answered badly or not at all: waited for a little, then left as it is.
    fn misbehave(&self, fault: &str) {
        self.pause();
        if let Some(pending) = self.start("misbehave", &json!({ "fault": fault }).to_string()) {
            self.settle(pending.watch(Some(self.pace.patience), |_| ()).unwrap_or(Err(CallError::Closed)).map(drop));
        }
    }

    fn start(&self, tool: &str, arguments: &str) -> Option<Pending> {
        let name = json!(tool).to_string();
        self.client.start_with_progress("tools/call", &[("name", &name), ("arguments", arguments)]).ok()
    }

    /// Failed steps are part of the show; the wire tells about them.
    fn settle(&self, _: Result<(), CallError>) {}

    fn wait_for(&self, method: &str) {
        let end = Instant::now() + Duration::from_secs(2);
        let mut methods = self.heard.methods.lock().unwrap_or_else(PoisonError::into_inner);
        while !methods.iter().any(|heard| heard == method) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            methods = self.heard.changed.wait_timeout(methods, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lists(&self) {
        for list in [List::Tools, List::Prompts, List::Resources, List::Templates] {
            self.pause();
            self.settle(self.client.list(list).map(drop));
        }
    }

    /// What both eras have in common: calls that go well, and calls that fail in each of the ways.
    fn everyday(&self) {
        self.call("weather", r#"{"city":"Bergen","unit":"celsius","days":3,"place":{"lat":60.39,"lon":5.32}}"#);
        self.call("search", r#"{"query":"shelf","limit":5}"#);
        self.call("render", r#"{"kind":"markdown"}"#);
        self.call("render", r#"{"kind":"rust"}"#);
        self.call("media", "{}");
        self.ask("prompts/get", &[("name", "\"packing-list\""), ("arguments", r#"{"city":"Bergen"}"#)]);
        self.ask("resources/read", &[("uri", "\"demo://docs/report.md\"")]);
        let argument = ("argument", r#"{"name":"city","value":"B"}"#);
        self.ask("completion/complete", &[("ref", r#"{"type":"ref/prompt","name":"packing-list"}"#), argument]);
        // The client's fault: a required argument is missing, another has the wrong type.
        self.call("weather", r#"{"city":"Oslo","days":"three"}"#);
        // The tool's failure, which is no protocol error.
        self.call("fail", "{}");
        // Protocol errors.
        self.call("forecast", r#"{"city":"Oslo"}"#);
        self.ask("resources/read", &[("uri", "\"demo://docs/lost.md\"")]);
        self.call("slow", &format!(r#"{{"ms":{},"steps":4}}"#, self.pace.step.as_millis() * 4));
        if let Some(pending) = self.start("slow", r#"{"ms":30000,"steps":100}"#) {
            self.settle(pending.watch(Some(self.pace.patience), |_| ()).unwrap_or(Err(CallError::Closed)).map(drop));
            pending.cancel("the user went on");
        }
        self.call("book", r#"{"from":"Oslo","to":"Bergen","date":"2026-12-24"}"#);
    }

    /// A list and a resource change, and the client looks again, as it should.
    fn changes(&self) {
        self.call("change", r#"{"list":"tools"}"#);
        self.wait_for("notifications/tools/list_changed");
        self.settle(self.client.list(List::Tools).map(drop));
        self.call("now", "{}");
        self.call("restock", r#"{"item":"rope","stock":6}"#);
        self.wait_for("notifications/resources/updated");
        self.ask("resources/read", &[("uri", "\"demo://shelf/rope\"")]);
    }

    fn modern(self) {
        self.lists();
        let filter =
            r#"{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["demo://shelf/rope"]}"#;
        // Kept to the end: it stays open, as subscriptions do.
        let _listen = self.client.start("subscriptions/listen", &[("notifications", filter)]);
        self.wait_for("notifications/subscriptions/acknowledged");
        self.everyday();
        self.changes();
        for fault in [
            "hostile-text",
            "missing-result-type",
            "bad-structured-content",
            "stdout-noise",
            "duplicate-response",
            "late-progress",
            "stray-response",
            "id-type-changed",
            "unasked-change",
            "no-answer",
        ] {
            self.misbehave(fault);
        }
        let _left_open = self.start("slow", r#"{"ms":30000,"steps":1}"#);
        self.misbehave("crash");
    }

    fn legacy(self) {
        self.ask("ping", &[]);
        self.lists();
        self.ask("logging/setLevel", &[("level", "\"info\"")]);
        self.ask("resources/subscribe", &[("uri", "\"demo://shelf/rope\"")]);
        self.everyday();
        self.changes();
        self.misbehave("wrong-not-found-code");
        self.ask("resources/read", &[("uri", "\"demo://docs/lost.md\"")]);
        for fault in ["error-id-lost", "pretty-json", "bom", "nan", "no-answer", "half-line-at-exit"] {
            self.misbehave(fault);
        }
        self.pause();
        self.client.close();
        // The server's last words are part of the show.
        let end = Instant::now() + LIMIT;
        while self.client.is_open() && Instant::now() < end {
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Answers the one question of the demo after a moment of thought.
struct Traveller(Pace);

impl Answerer for Traveller {
    fn abilities(&self) -> Abilities {
        Abilities { form: true, ..Abilities::default() }
    }

    fn answer(&self, _: &Question<'_>) -> Answer {
        thread::sleep(self.0.step * 2);
        Answer::accept(
            &json!({ "name": "Ada Lovelace", "email": "ada@example.com", "class": "second", "window": true }),
        )
    }
}
