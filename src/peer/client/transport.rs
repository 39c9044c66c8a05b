//! What the client needs of a transport: to send one message, to receive the next, to give a request up, to close.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use crate::mcp::Revision;

/// A message on its way out, with what a transport may need beside the bytes (HTTP mirrors some of it in headers).
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    /// The message, one line without its end.
    pub bytes: &'a [u8],
    /// The id as JSON text, of a request or of the answer to one. `None` for notifications and raw bytes.
    pub id: Option<&'a str>,
    /// The method; `None` for answers and raw bytes.
    pub method: Option<&'a str>,
    /// The revision spoken; `None` before it is known (the probe is written in the newest).
    pub revision: Option<Revision>,
}

impl<'a> Outgoing<'a> {
    /// Bytes of which nothing is known.
    pub fn of_bytes(bytes: &'a [u8], revision: Revision) -> Outgoing<'a> {
        Outgoing { bytes, id: None, method: None, revision: Some(revision) }
    }
}

/// What comes in.
#[derive(Debug)]
pub enum Incoming {
    /// A message, or what stands in the place of one.
    Message(Vec<u8>),
    /// The transport refused a request, without a JSON-RPC answer (an HTTP status, for example).
    Refused {
        /// The id of the request, as JSON text.
        id: String,
        /// The HTTP status.
        status: u16,
        /// What the refusal says, for people.
        text: String,
    },
}

/// The way to the server. Used by several threads.
pub trait Outlet: Send + Sync {
    /// Sends one message, exactly these bytes.
    ///
    /// # Errors
    /// `BrokenPipe` if the server is gone or [`Outlet::close`] was called.
    fn send(&self, message: &Outgoing<'_>) -> io::Result<()>;

    /// Gives up the request with that id (JSON text) in the transport's own way, for example by closing its stream.
    /// `false`: there is none, and the client sends `notifications/cancelled`.
    fn abandon(&self, id: &str) -> bool {
        let _ = id;
        false
    }

    /// No more messages: the server sees the end of its input.
    fn close(&self);
}

/// The way from the server. Used by one thread.
pub trait Inlet: Send {
    /// Waits for the next message; `None` at the end.
    ///
    /// # Errors
    /// What the channel says; the client takes it as the end.
    fn recv(&mut self) -> io::Result<Option<Incoming>>;
}

/// Both ways.
pub struct Transport {
    /// To the server.
    pub outlet: Arc<dyn Outlet>,
    /// From the server.
    pub inlet: Box<dyn Inlet>,
}

impl Transport {
    /// The stdio framing over any two byte streams: one message a line.
    pub fn lines(from_server: impl Read + Send + 'static, to_server: impl Write + Send + 'static) -> Transport {
        Transport {
            outlet: Arc::new(LineOutlet(Mutex::new(Some(Box::new(to_server))))),
            inlet: Box::new(LineInlet(BufReader::new(Box::new(from_server)))),
        }
    }
}

struct LineOutlet(Mutex<Option<Box<dyn Write + Send>>>);

impl Outlet for LineOutlet {
    fn send(&self, message: &Outgoing<'_>) -> io::Result<()> {
        let mut sink = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(sink) = sink.as_mut() else { return Err(io::ErrorKind::BrokenPipe.into()) };
        // One write a message: a server that reads while we write sees whole lines.
        let mut line = Vec::with_capacity(message.bytes.len() + 1);
        line.extend_from_slice(message.bytes);
        line.push(b'\n');
        sink.write_all(&line)?;
        sink.flush()
    }

    fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

struct LineInlet(BufReader<Box<dyn Read + Send>>);

impl Inlet for LineInlet {
    fn recv(&mut self) -> io::Result<Option<Incoming>> {
        loop {
            let mut line = Vec::new();
            if self.0.read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            while line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
                line.pop();
            }
            if !line.is_empty() {
                return Ok(Some(Incoming::Message(line)));
            }
        }
    }
}
