//! Signals that the tap gets are the server's.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXFSZ};
use signal_hook::iterator::Signals;

use super::shared::Shared;
use crate::wire::frame::EventKind;

/// A terminal sends Ctrl-C to the server too: it is given this long to go by itself before it is told again.
const TERMINAL_FIRST: Duration = Duration::from_millis(500);

/// The server process as long as it can be signalled.
#[derive(Clone, Default)]
pub struct Target(Arc<Mutex<Process>>);

#[derive(Default)]
enum Process {
    /// Not started: what came until now waits.
    #[default]
    NotYet,
    Waiting(Vec<i32>),
    Running(Pid),
    /// Its id may already be somebody else's.
    Gone,
}

impl Target {
    /// It has been started: what came before is passed on.
    pub fn started(&self, pid: Pid) {
        let mut process = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Process::Waiting(signals) = std::mem::replace(&mut *process, Process::Running(pid)) {
            signals.into_iter().for_each(|signal| send(pid, signal));
        }
    }

    /// It has ended and will be reaped now.
    pub fn gone(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Process::Gone;
    }

    /// Passes a signal on. `false`: there is nobody any more.
    pub fn signal(&self, signal: i32) -> bool {
        let mut process = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *process {
            Process::NotYet => *process = Process::Waiting(vec![signal]),
            Process::Waiting(signals) => signals.push(signal),
            Process::Running(pid) => send(*pid, signal),
            Process::Gone => return false,
        }
        true
    }
}

fn send(pid: Pid, signal: i32) {
    if let Some(signal) = Signal::from_named_raw(signal) {
        // A process that has just ended takes none.
        let _ = kill_process(pid, signal);
    }
}

/// A signal's name.
pub fn name(signal: i32) -> String {
    signal_hook::low_level::signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned)
}

/// Passes the signals that this process gets on to `target`, and notes them in the trace. `late` is called for one that
/// comes after the server has ended.
pub fn forward(target: Target, shared: Option<Arc<Shared>>, late: impl Fn() + Send + 'static) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2])?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            if let Some(shared) = &shared {
                shared.event(1, EventKind::Signal { name: name(signal) });
            }
            if matches!(signal, SIGINT | SIGQUIT) && terminal_sends_it_to_both() {
                thread::sleep(TERMINAL_FIRST);
            }
            if !target.signal(signal) {
                late();
            }
        }
    })?;
    Ok(())
}

/// Whether this process group is the one that a terminal's keys reach.
fn terminal_sends_it_to_both() -> bool {
    let Ok(terminal) = std::fs::File::open("/dev/tty") else { return false };
    rustix::termios::tcgetpgrp(&terminal).is_ok_and(|group| group == rustix::process::getpgrp())
}

/// A trace that meets a file size limit must fail as a write, not end the process.
pub fn survive_file_size_limit() {
    let noticed = Arc::new(std::sync::atomic::AtomicBool::new(false));
    // Where it cannot be registered the default stays, and that is what other programs have.
    let _ = signal_hook::flag::register(SIGXFSZ, noticed);
}
