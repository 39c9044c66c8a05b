//! Starting a server and connecting to it, for the commands in which mcpscope is the client.

use std::ffi::OsString;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::Args;

use crate::error::{Failure, Result};
use crate::mcp::Revision;
use crate::paths::State;
use crate::peer::client::{Client, ConnectError, Options, Speak, Transport};
use crate::tap::child::Launch;
use crate::tap::http::{self, Tap, Upstream};
use crate::tap::record::{self, Record};
use crate::tap::stdio::{self, Handle, Tapped};
use crate::wire::json::visible::visible;

/// The server and how to speak to it.
#[derive(Args, Debug)]
pub struct Dial {
    /// The revision to speak; `auto` asks the server.
    #[arg(long, value_name = "auto|REVISION", default_value = "auto", value_parser = speak)]
    pub revision: Speak,
    /// Record to this file (what is there is added to) instead of the state folder
    #[arg(long, value_name = "FILE", conflicts_with = "no_trace")]
    pub trace: Option<PathBuf>,
    /// Record nothing
    #[arg(long)]
    pub no_trace: bool,
    /// Name of the server in lists [default: its package or script]
    #[arg(long)]
    pub name: Option<String>,
    /// Root of the state folder [default: $XDG_STATE_HOME/mcpscope or ~/.local/state/mcpscope]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// URL of an HTTP server, instead of a command
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Trust the certificates in this PEM file too
    #[arg(long, value_name = "FILE", requires = "url")]
    pub ca: Option<PathBuf>,
    /// Do not look at the server's certificate: anybody can be in the middle
    #[arg(long, requires = "url", conflicts_with = "ca")]
    pub insecure: bool,
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

/// How long a server may take to end by itself, and then to heed SIGTERM.
const GRACE: Duration = Duration::from_secs(2);

impl Dial {
    /// Starts the server under the tap and connects. A server that dies of the probe is started again for the handshake.
    ///
    /// # Errors
    /// No command, no such program, or a server that cannot be spoken to.
    pub fn connect(&self, mut options: Options) -> Result<Dialled> {
        options.speak = self.revision;
        if let Some(url) = &self.url {
            if !self.command.is_empty() {
                return Err(Failure::new("a server has a URL or a command, not both"));
            }
            return self.dial(url, options);
        }
        if self.command.is_empty() {
            return Err(Failure::new("no server was given").hint("put its command after --, or its URL after --url"));
        }
        match self.attempt(options.clone())? {
            Err(ConnectError::Closed { probing: true }) if self.revision == Speak::Auto => {
                options.speak = Speak::Legacy(Revision::NEWEST_LEGACY);
                self.attempt(options)?
            }
            attempt => attempt,
        }
        .map_err(|failure| Failure::new(visible(&failure.to_string()).into_owned()))
    }

    /// Puts the HTTP tap in front of the server, on any port, and connects through it.
    fn dial(&self, url: &str, options: Options) -> Result<Dialled> {
        let server = Upstream::parse(url)?;
        let record = (!self.no_trace).then(|| {
            let name = self.name.clone().unwrap_or_else(|| server.name());
            let state = State::new(self.dir.as_deref());
            Record::http(server.to_string(), name, record::ourselves(), self.trace.clone(), state)
        });
        let mut tap = http::Options::new(server);
        tap.listen = Some((Ipv4Addr::LOCALHOST, 0).into());
        (tap.ca, tap.insecure) = (self.ca.clone(), self.insecure);
        let tap = Tap::start(tap, record)?;
        let transport = Transport::http(&tap.url).map_err(|e| Failure::new(format!("cannot start the client: {e}")))?;
        match Client::connect(transport, options) {
            Ok(client) => Ok(Dialled { client, session: Session::Http(Tapping::new(tap)) }),
            Err(failure) => Err(Failure::new(visible(&failure.to_string()).into_owned())),
        }
    }

    fn attempt(&self, options: Options) -> Result<std::result::Result<Dialled, ConnectError>> {
        // A process group of its own: Ctrl-C is for us, and the server sees the end of its input.
        let launch = Launch { command: self.command.clone(), own_group: true, ..Launch::default() };
        let record = (!self.no_trace).then(|| {
            let state = State::new(self.dir.as_deref());
            Record::stdio(&launch, self.name.as_deref(), record::ourselves(), self.trace.clone(), state)
        });
        let (transport, session) = start(&launch, record)?;
        Ok(match Client::connect(transport, options) {
            Ok(client) => Ok(Dialled { client, session }),
            Err(failure) => {
                session.end();
                Err(failure)
            }
        })
    }
}

/// Starts a tapped server and gives the way to it.
///
/// # Errors
/// The program cannot be started, or the tap cannot.
pub fn start(launch: &Launch, record: Option<Record>) -> Result<(Transport, Session)> {
    let started = stdio::spawn(launch, record).map_err(|e| Failure::new(format!("cannot start the tap: {e}")))?;
    match started {
        Ok(Tapped { stdin, stdout, handle }) => Ok((Transport::lines(stdout, stdin), Session::Process(handle))),
        Err(not_started) => Err(Failure::new(not_started.error.why)),
    }
}

/// A running server, or the tap before one that runs elsewhere.
pub enum Session {
    /// A process of ours.
    Process(Handle),
    /// A tap of ours.
    Http(Tapping),
}

/// A tap that runs, or did.
pub struct Tapping {
    trace: Option<PathBuf>,
    tap: Mutex<Option<Tap>>,
}

impl Tapping {
    fn new(tap: Tap) -> Tapping {
        let trace = tap.trace.clone().and_then(std::result::Result::ok);
        Tapping { trace, tap: Mutex::new(Some(tap)) }
    }
}

impl Session {
    /// Where it is recorded.
    pub fn trace(&self) -> Option<&Path> {
        match self {
            Session::Process(handle) => handle.trace().map(PathBuf::as_path),
            Session::Http(tapping) => tapping.trace.as_deref(),
        }
    }

    /// Waits for the server, whose input is closed, and ends it if it stays; or ends the tap. The record is complete then.
    pub fn end(&self) {
        match self {
            Session::Process(handle) => drop(handle.stop(GRACE)),
            Session::Http(tapping) => drop(tapping.tap.lock().unwrap_or_else(PoisonError::into_inner).take()),
        }
    }
}
