//! The demo server against the built-in client, over pipes inside this process.

mod calls;
mod faults;
mod raw;
mod schemas;
mod script;

use std::io::{self, BufReader, Read, Write};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mcpscope::mcp::Revision;
use mcpscope::peer::client::{Abilities, Answer, Answerer, Client, Options, Question, Speak, Transport};
use mcpscope::peer::demo;
use mcpscope::peer::demo::faults::{Fault, FaultSet};

/// Long enough for a busy machine; nothing waits for it when all is well.
pub const PATIENCE: Option<Duration> = Some(Duration::from_secs(20));

/// What went over the wire, each direction by itself.
#[derive(Clone, Default)]
pub struct Log {
    pub c2s: Arc<Mutex<Vec<u8>>>,
    pub s2c: Arc<Mutex<Vec<u8>>>,
}

impl Log {
    pub fn lines(bytes: &Mutex<Vec<u8>>) -> Vec<String> {
        let bytes = bytes.lock().unwrap();
        String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
    }
}

/// Copies what passes.
pub struct Copying<T> {
    inner: T,
    to: Arc<Mutex<Vec<u8>>>,
}

impl<T: Write> Write for Copying<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.lock().unwrap().extend_from_slice(bytes);
        self.inner.write_all(bytes)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Copying<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.to.lock().unwrap().extend_from_slice(&buffer[..count]);
        Ok(count)
    }
}

/// A running demo server and the ends of its pipes.
pub struct Running {
    pub log: Log,
    pub server: JoinHandle<i32>,
}

/// Starts a server in a thread.
pub fn server(revisions: &[Revision], faults: FaultSet) -> (Transport, Running) {
    let (server_in, to_server) = io::pipe().unwrap();
    let (from_server, server_out) = io::pipe().unwrap();
    let options = demo::Options { revisions: revisions.to_vec(), faults };
    let server = thread::spawn(move || demo::serve(BufReader::new(server_in), server_out, options, |_| ()));
    let log = Log::default();
    let transport = Transport::lines(
        Copying { inner: from_server, to: log.s2c.clone() },
        Copying { inner: to_server, to: log.c2s.clone() },
    );
    (transport, Running { log, server })
}

/// Accepts forms with one fixed content; has roots and a model to show.
pub struct Person;

impl Answerer for Person {
    fn abilities(&self) -> Abilities {
        Abilities { form: true, ..Abilities::default() }
    }

    fn answer(&self, question: &Question<'_>) -> Answer {
        assert_eq!(question.method, "elicitation/create");
        assert!(question.read()["requestedSchema"]["properties"]["name"].is_object());
        Answer::accept(&serde_json::json!({ "name": "Ada", "class": "first", "window": false }))
    }
}

/// A client connected to a fresh server; the receiver gets the notifications.
pub struct Setup {
    pub client: Client,
    pub running: Running,
    pub notes: mpsc::Receiver<(String, String)>,
}

impl Setup {
    pub fn new(speak: Speak, faults: &[Fault]) -> Setup {
        Setup::with(speak, &demo::Options::all_revisions(), faults, Arc::new(Person))
    }

    pub fn with(speak: Speak, revisions: &[Revision], faults: &[Fault], answerer: Arc<dyn Answerer>) -> Setup {
        let (transport, running) = server(revisions, faults.iter().copied().collect());
        let (sender, notes) = mpsc::channel();
        let sender = Mutex::new(sender);
        let options = Options {
            speak,
            answerer,
            timeout: PATIENCE,
            on_notification: Some(Arc::new(move |method: &str, message: &[u8]| {
                let text = String::from_utf8_lossy(message).into_owned();
                let _ = sender.lock().unwrap().send((method.to_owned(), text));
            })),
            ..Options::default()
        };
        let client = Client::connect(transport, options).unwrap();
        Setup { client, running, notes }
    }

    /// Waits for the next notification and expects that method.
    pub fn note(&self, method: &str) -> String {
        let (got, text) = self.notes.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(got, method, "{text}");
        text
    }

    /// Closes, and gives back what went over the wire and the server's status.
    pub fn end(self) -> (Vec<String>, Vec<String>, i32) {
        self.client.close();
        let status = self.running.server.join().unwrap();
        // The client's reader ends after the server; it holds what is left in the pipe.
        while self.client.is_open() {
            thread::yield_now();
        }
        (Log::lines(&self.running.log.c2s), Log::lines(&self.running.log.s2c), status)
    }
}

/// The revisions and how they are spoken.
pub fn all() -> Vec<(Revision, Speak)> {
    Revision::ALL
        .into_iter()
        .map(|revision| (revision, if revision.is_modern() { Speak::Modern } else { Speak::Legacy(revision) }))
        .collect()
}
