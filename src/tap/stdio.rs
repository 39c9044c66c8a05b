//! The stdio tap: server, pumps, recorder and signals put together.
//!
//! [`run`] is the tap that a host starts: its client is at this process's own standard streams. [`spawn`] is the same tap
//! with this process as the client: it hands out two pipes.

use std::io::{PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::child::{Launch, StartError};
use super::clock::Clock;
use super::pump::{End, Meter, pump};
use super::record::Record;
use super::shared::Shared;
use super::signals::{self, Target};
use super::spool::Spool;
use crate::wire::frame::{Dir, EventKind};

/// When the server has ended, a process that it left may still hold its streams: so long without a byte ends them.
const LEFT_BEHIND: Duration = Duration::from_millis(500);

/// So long may a client leave the server's last words on stderr unread.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// So long without progress is the recorder waited for at the end.
const RECORDER: Duration = Duration::from_millis(300);

/// How a server ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// By itself, with a status.
    Status(i32),
    /// By a signal: its number.
    Signal(i32),
    /// It never began.
    NotStarted(StartError),
}

impl Ended {
    /// The exit status that a shell would give for it.
    pub fn code(&self) -> u8 {
        match self {
            Ended::Status(status) => (*status & 0xff) as u8,
            Ended::Signal(signal) => 128u8.wrapping_add(*signal as u8),
            Ended::NotStarted(error) => error.status,
        }
    }

    fn of(status: ExitStatus) -> Ended {
        use std::os::unix::process::ExitStatusExt as _;
        match (status.code(), status.signal()) {
            (Some(code), _) => Ended::Status(code),
            (None, Some(signal)) => Ended::Signal(signal),
            (None, None) => Ended::Status(1),
        }
    }

    fn event(&self) -> Option<EventKind> {
        match self {
            Ended::Status(status) => Some(EventKind::Exit { status: Some(*status), signal: None }),
            Ended::Signal(signal) => Some(EventKind::Exit { status: None, signal: Some(signals::name(*signal)) }),
            Ended::NotStarted(_) => None,
        }
    }
}

/// A tap's client side.
struct Client {
    input: End,
    output: End,
    errors: End,
}

/// Runs a server for the client at this process's standard streams. Comes back when the server has ended and what it said
/// has been passed on. `opened` is told where the trace is, if it is told in time.
pub fn run(
    launch: &Launch,
    record: Option<Record>,
    opened: impl FnOnce(&Result<PathBuf, String>),
) -> std::io::Result<Ended> {
    let clock = Clock::start();
    signals::survive_file_size_limit();
    let spool = record.map(|record| Spool::start(record, clock)).transpose()?;
    let shared = spool.as_ref().map(|s| s.shared().clone());
    let target = Target::default();
    let (tell, told) = channel();
    let late = tell.clone();
    signals::forward(target.clone(), shared.clone(), move || drop(late.send(Note::Hurry)))?;
    let client = Client { input: End::Stdin, output: End::Stdout, errors: End::Stderr };
    let ended = match launch.start() {
        Ok(child) => {
            let watch = start_pumps(child, client, shared.as_ref(), &target, tell);
            if let Some(path) = spool.as_ref().and_then(|s| s.wait_open(Duration::from_millis(100))) {
                opened(path);
            }
            watch.until_the_end(&target, &told)
        }
        Err(error) => not_started(error, shared.as_ref()),
    };
    finish(&ended, spool.as_ref());
    Ok(ended)
}

fn not_started(error: StartError, shared: Option<&Arc<Shared>>) -> Ended {
    if let Some(shared) = shared {
        shared.event(1, EventKind::SpawnFailed { why: error.why.clone() });
    }
    Ended::NotStarted(error)
}

fn finish(ended: &Ended, spool: Option<&Spool>) {
    if let Some(spool) = spool {
        if let Some(event) = ended.event() {
            spool.shared().event(1, event);
        }
        // A disk that takes nothing must not hold up who waits for the server.
        spool.finish(RECORDER);
    }
}

/// What the supervisor is told.
enum Note {
    /// A pump has ended.
    Ended(Dir),
    /// A signal came after the server's end: nobody waits for the rest.
    Hurry,
}

/// A running server and its pumps.
struct Watch {
    child: Child,
    meters: [Arc<Meter>; 2],
}

fn start_pumps(
    mut child: Child,
    client: Client,
    shared: Option<&Arc<Shared>>,
    target: &Target,
    tell: Sender<Note>,
) -> Watch {
    if let Some(pid) = Pid::from_raw(child.id() as i32) {
        target.started(pid);
    }
    if let Some(shared) = shared {
        shared.event(1, EventKind::Spawn { pid: Some(child.id()) });
    }
    let end = |fd: Option<OwnedFd>| fd.map_or(End::Nowhere, End::Pipe);
    let stdin = end(child.stdin.take().map(Into::into));
    let stdout = end(child.stdout.take().map(Into::into));
    let stderr = end(child.stderr.take().map(Into::into));
    let meters = [Arc::<Meter>::default(), Arc::<Meter>::default()];
    let start = |dir: Dir, from: End, to: End, meter: Arc<Meter>, tell: Sender<Note>| {
        let shared = shared.cloned();
        let body = move || {
            pump(dir, from, to, shared.as_ref(), &meter);
            // The supervisor may have left.
            let _ = tell.send(Note::Ended(dir));
        };
        // Without a thread there is no wire: its ends are closed, and both sides see that.
        let _ = thread::Builder::new().name(dir.as_str().into()).spawn(body);
    };
    start(Dir::S2c, stdout, client.output, meters[0].clone(), tell.clone());
    start(Dir::C2s, client.input, stdin, Arc::default(), tell.clone());
    start(Dir::Err, stderr, client.errors, meters[1].clone(), tell);
    Watch { child, meters }
}

impl Watch {
    /// Waits for the server's end, and then for what it left in its pipes.
    fn until_the_end(mut self, target: &Target, told: &Receiver<Note>) -> Ended {
        if let Some(pid) = Pid::from_raw(self.child.id() as i32) {
            // First without reaping it: as long as it is not reaped, its id is nobody else's and signals may be sent.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(waitid(WaitId::Pid(pid), options), Err(rustix::io::Errno::INTR)) {}
        }
        target.gone();
        let ended = self.child.wait().map_or(Ended::Status(1), Ended::of);
        self.drain(told);
        ended
    }

    fn drain(&self, told: &Receiver<Note>) {
        let mut open = [true, true];
        let since = Instant::now();
        let mut moved = [0, 0];
        while open != [false, false] {
            match told.recv_timeout(LEFT_BEHIND) {
                Ok(Note::Ended(Dir::S2c)) => open[0] = false,
                Ok(Note::Ended(Dir::Err)) => open[1] = false,
                Ok(Note::Ended(Dir::C2s)) => {}
                Ok(Note::Hurry) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    let now = [self.meters[0].moved(), self.meters[1].moved()];
                    // The client has not taken the last answer yet: it is kept for it.
                    let waits = open[0] && self.meters[0].is_writing()
                        || open[1] && self.meters[1].is_writing() && since.elapsed() < LAST_WORDS;
                    if now == moved && !waits {
                        return;
                    }
                    moved = now;
                }
            }
        }
    }
}

/// A tapped server whose client is this process.
pub struct Tapped {
    /// What the client writes goes to the server. Dropped: the server sees the end of its input.
    pub stdin: PipeWriter,
    /// What the server writes.
    pub stdout: PipeReader,
    /// The rest.
    pub handle: Handle,
}

/// Life and record of a tapped server.
pub struct Handle {
    /// The server's process id.
    pub pid: u32,
    trace: Option<PathBuf>,
    target: Target,
    end: Mutex<(Receiver<Ended>, Option<Ended>)>,
}

/// A server that could not be started, and the trace that says so.
#[derive(Clone, Debug)]
pub struct NotStarted {
    /// Why.
    pub error: StartError,
    /// The record of the attempt.
    pub trace: Option<PathBuf>,
}

impl Handle {
    /// Where the trace is; `None` if there is none.
    pub fn trace(&self) -> Option<&PathBuf> {
        self.trace.as_ref()
    }

    /// Waits for the server's end (and that of its record), at most so long.
    pub fn wait(&self, at_most: Duration) -> Option<Ended> {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        if end.1.is_none() {
            end.1 = end.0.recv_timeout(at_most).ok();
        }
        end.1.clone()
    }

    /// Sends the server a signal (`SIGTERM` is 15).
    pub fn signal(&self, signal: i32) {
        self.target.signal(signal);
    }

    /// Ends the server as a host does, once its input is closed: waits, then SIGTERM, then SIGKILL, `grace` between them.
    pub fn stop(&self, grace: Duration) -> Option<Ended> {
        for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGKILL] {
            if let Some(ended) = self.wait(grace) {
                return Some(ended);
            }
            self.signal(signal);
        }
        self.wait(grace.max(LEFT_BEHIND * 4))
    }
}

/// Starts a tapped server with this process as its client. Its stderr is recorded, and shown to nobody here.
pub fn spawn(launch: &Launch, record: Option<Record>) -> std::io::Result<Result<Tapped, NotStarted>> {
    signals::survive_file_size_limit();
    let (from_client, stdin) = std::io::pipe()?;
    let (stdout, to_client) = std::io::pipe()?;
    let client =
        Client { input: End::Pipe(from_client.into()), output: End::Pipe(to_client.into()), errors: End::Nowhere };
    let spool = record.map(|record| Spool::start(record, Clock::start())).transpose()?;
    let trace = |spool: Option<&Spool>| {
        // The client shows the trace: it wants to know where it is before the first message.
        spool.and_then(|s| s.wait_open(Duration::from_secs(2))).and_then(|r| r.as_ref().ok()).cloned()
    };
    let path = trace(spool.as_ref());
    let target = Target::default();
    let (began, begun) = sync_channel(1);
    let (end_tx, end) = sync_channel(1);
    let (launch, supervised) = (launch.clone(), target.clone());
    // The server's parent must be a thread that lives as long as the server: see `child`.
    thread::Builder::new().name("supervisor".into()).spawn(move || {
        supervise(&launch, client, spool.as_ref(), &supervised, &began, &end_tx);
    })?;
    Ok(match begun.recv() {
        Ok(Ok(pid)) => {
            Ok(Tapped { stdin, stdout, handle: Handle { pid, trace: path, target, end: Mutex::new((end, None)) } })
        }
        Ok(Err(error)) => {
            // Its record is complete when the supervisor says so.
            let _ = end.recv_timeout(Duration::from_secs(4));
            Err(NotStarted { error, trace: path })
        }
        Err(_) => return Err(std::io::Error::other("the tap's supervisor ended before the server began")),
    })
}

fn supervise(
    launch: &Launch,
    client: Client,
    spool: Option<&Spool>,
    target: &Target,
    began: &SyncSender<Result<u32, StartError>>,
    end: &SyncSender<Ended>,
) {
    let shared = spool.map(Spool::shared);
    let (tell, told) = channel();
    let ended = match launch.start() {
        Ok(child) => {
            let pid = child.id();
            let watch = start_pumps(child, client, shared, target, tell);
            let _ = began.send(Ok(pid));
            watch.until_the_end(target, &told)
        }
        Err(error) => {
            let _ = began.send(Err(error.clone()));
            not_started(error, shared)
        }
    };
    finish(&ended, spool);
    // Nobody may be interested any more.
    let _ = end.send(ended);
}
