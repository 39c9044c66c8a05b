//! Starting a server and connecting to it, for the commands in which mcpscope is the client.

use std::ffi::OsString;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;

use crate::error::{Failure, Result};
use crate::mcp::Revision;
use crate::peer::client::{Client, ConnectError, Options, Speak, Transport};
use crate::wire::json::visible::visible;

/// The server and how to speak to it.
#[derive(Args, Debug)]
pub struct Dial {
    /// The revision to speak; `auto` asks the server.
    #[arg(long, value_name = "auto|REVISION", default_value = "auto", value_parser = speak)]
    pub revision: Speak,
    /// The command that starts the server.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

fn speak(text: &str) -> std::result::Result<Speak, String> {
    match Revision::parse(text) {
        Some(revision) if revision.is_modern() => Ok(Speak::Modern),
        Some(revision) => Ok(Speak::Legacy(revision)),
        None if text == "auto" => Ok(Speak::Auto),
        None => {
            let names: Vec<&str> = Revision::ALL.iter().map(|revision| revision.as_str()).collect();
            Err(format!("not a revision; there are auto, {}", names.join(", ")))
        }
    }
}

/// A connected client and the server behind it.
pub struct Dialled {
    /// The client.
    pub client: Client,
    /// The running server.
    pub session: Session,
}

impl Dial {
    /// Starts the server and connects. A server that dies of the probe is started again for the handshake.
    ///
    /// # Errors
    /// No command, no such program, or a server that cannot be spoken to.
    pub fn connect(&self, mut options: Options) -> Result<Dialled> {
        if self.command.is_empty() {
            return Err(Failure::new("no server was given").hint("put its command after --"));
        }
        options.speak = self.revision;
        match self.attempt(options.clone()) {
            Err(ConnectError::Closed { probing: true }) if self.revision == Speak::Auto => {
                options.speak = Speak::Legacy(Revision::NEWEST_LEGACY);
                self.attempt(options)
            }
            attempt => attempt,
        }
        .map_err(|failure| Failure::new(visible(&failure.to_string()).into_owned()))
    }
}

impl Dial {
    fn attempt(&self, options: Options) -> std::result::Result<Dialled, ConnectError> {
        let refused = |failure: std::io::Error| {
            let program = self.command[0].to_string_lossy();
            ConnectError::Refused(format!("{program} could not be started: {failure}"))
        };
        let mut child = Command::new(&self.command[0])
            .args(&self.command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(refused)?;
        let (Some(output), Some(input)) = (child.stdout.take(), child.stdin.take()) else {
            return Err(ConnectError::Closed { probing: false });
        };
        let session = Session(child);
        match Client::connect(Transport::lines(output, input), options) {
            Ok(client) => Ok(Dialled { client, session }),
            Err(failure) => {
                session.end();
                Err(failure)
            }
        }
    }
}

/// A running server.
pub struct Session(Child);

impl Session {
    /// Waits for the server, whose input is closed, and ends it if it stays.
    pub fn end(mut self) {
        let end = Instant::now() + Duration::from_secs(2);
        while Instant::now() < end {
            if !matches!(self.0.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        // It is gone already if this fails.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
