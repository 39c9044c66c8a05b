//! The demo server against the built-in client, over pipes inside this process.

mod calls;
mod faults;
mod judged;
mod odd_servers;
mod raw;
mod rounds;
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
use mcpscope::wire::frame::Dir;

/// Long enough for a busy machine; nothing waits for it when all is well.
pub const PATIENCE: Option<Duration> = Some(Duration::from_secs(20));

/// What went over the wire, in the order in which the client wrote and read it: a request stands before its answer.
#[derive(Clone, Default)]
pub struct Log(pub Arc<Mutex<Vec<(Dir, u8)>>>);

impl Log {
    /// The lines of one direction.
    pub fn lines(&self, dir: Dir) -> Vec<String> {
        let bytes: Vec<u8> = self.0.lock().unwrap().iter().filter(|(d, _)| *d == dir).map(|(_, byte)| *byte).collect();
        String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
    }

    /// All lines, each where its end stands; what has no end comes last.
    pub fn ordered(&self) -> Vec<(Dir, Vec<u8>, bool)> {
        let mut open: [(Dir, Vec<u8>); 2] = [(Dir::C2s, Vec::new()), (Dir::S2c, Vec::new())];
        let mut lines = Vec::new();
        for (dir, byte) in self.0.lock().unwrap().iter() {
            let line = &mut open[usize::from(*dir == Dir::S2c)].1;
            if *byte == b'\n' {
                lines.push((*dir, std::mem::take(line), true));
            } else {
                line.push(*byte);
            }
        }
        lines.extend(open.into_iter().filter(|(_, line)| !line.is_empty()).map(|(dir, line)| (dir, line, false)));
        lines
    }

    fn add(&self, dir: Dir, bytes: &[u8]) {
        self.0.lock().unwrap().extend(bytes.iter().map(|byte| (dir, *byte)));
    }
}

/// Copies what passes.
pub struct Copying<T> {
    inner: T,
    to: Log,
}

impl<T: Write> Write for Copying<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.add(Dir::C2s, bytes);
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
        self.to.add(Dir::S2c, &buffer[..count]);
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
        Copying { inner: from_server, to: log.clone() },
        Copying { inner: to_server, to: log.clone() },
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
        let (log, status) = self.end_log();
        (log.lines(Dir::C2s), log.lines(Dir::S2c), status)
    }

    /// As [`Setup::end`], with the log itself.
    pub fn end_log(self) -> (Log, i32) {
        self.client.close();
        let status = self.running.server.join().unwrap();
        // The client's reader ends after the server; it holds what is left in the pipe.
        while self.client.is_open() {
            thread::yield_now();
        }
        (self.running.log, status)
    }
}

/// The revisions and how they are spoken.
pub fn all() -> Vec<(Revision, Speak)> {
    Revision::ALL
        .into_iter()
        .map(|revision| (revision, if revision.is_modern() { Speak::Modern } else { Speak::Legacy(revision) }))
        .collect()
}
