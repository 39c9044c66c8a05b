//! `mcpscope demo`: the embedded server with every outcome and some faults, tapped like any other.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use super::Outcome;
use super::dial::{Session, start};
use crate::error::{Failure, Result};
use crate::feed::{Feed, Loaded, load};
use crate::paths::State;
use crate::peer::client::ConnectError;
use crate::peer::script::{self, Pace};
use crate::report::{self, Summary, text::Paint};
use crate::rules::Options;
use crate::tap::child::Launch;
use crate::tap::record::{self, Record};
use crate::wire::json::visible::visible;

/// Arguments of `demo`.
#[derive(Args, Debug)]
#[command(
    after_help = "Two conversations, one in each era, show every outcome an exchange can have and some faults of both sides.\n\n\
        Example:\n  mcpscope demo --headless --fast"
)]
pub struct Demo {
    /// Without a screen: run the script, then print the exchanges and the findings.
    #[arg(long)]
    headless: bool,
    /// Without the pauses that let a person watch.
    #[arg(long)]
    fast: bool,
    /// Record to this file (what is there is added to) instead of the state folder
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Root of the state folder [default: $XDG_STATE_HOME/mcpscope or ~/.local/state/mcpscope]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Runs `demo`.
///
/// # Errors
/// The trace cannot be written or read, or the server cannot be started.
pub fn run(demo: &Demo) -> Result<Outcome> {
    let pace = if demo.fast { Pace::FAST } else { Pace::VISIBLE };
    let trace = demo.trace_file()?;
    if !demo.headless && io::stdin().is_terminal() && io::stdout().is_terminal() {
        return show(&trace, pace);
    }
    play(&trace, pace)?;
    let loaded = load(&trace, Options::default())?;
    super::written(print(&loaded))?;
    Ok(Outcome::Fine)
}

impl Demo {
    /// The file that both conversations go into.
    fn trace_file(&self) -> Result<PathBuf> {
        if let Some(path) = &self.trace {
            return Ok(path.clone());
        }
        let state = State::new(self.dir.as_deref());
        let created = state.create_trace("demo", jiff::Timestamp::now(), std::process::id());
        created.map(|(_, path)| path).map_err(|failure| Failure::new(format!("cannot make a trace file: {failure}")))
    }
}

/// The demo on the screen, recorded in the state folder.
///
/// # Errors
/// As [`run`].
pub fn screen() -> Result<Outcome> {
    let demo = Demo { headless: false, fast: false, trace: None, dir: None };
    show(&demo.trace_file()?, Pace::VISIBLE)
}

/// The screen, while the script plays behind it.
fn show(trace: &Path, pace: Pace) -> Result<Outcome> {
    let path = trace.to_owned();
    let player = std::thread::Builder::new().name("demo".into()).spawn(move || play(&path, pace));
    let player = player.map_err(|failure| Failure::new(format!("cannot start the demo: {failure}")))?;
    let feed = Feed::open(trace, Options::default())?;
    let outcome = super::open::watch(feed, super::open::options(None, true)?)?;
    // Whoever leaves early does not wait for the script: its server ends with our end of the pipe.
    if player.is_finished() {
        if let Ok(played) = player.join() {
            played?;
        }
    }
    Ok(outcome)
}

/// Plays the script into a trace and comes back when both conversations are over.
///
/// # Errors
/// A server cannot be started or spoken to.
pub fn play(trace: &Path, pace: Pace) -> Result<()> {
    let program = std::env::current_exe().map_err(|failure| Failure::new(format!("cannot find myself: {failure}")))?;
    let command: Vec<OsString> = vec![program.into(), "demo-server".into()];
    let launch = Launch { command, own_group: true, ..Launch::default() };
    let mut sessions: Vec<Session> = Vec::new();
    let played = script::run::<Failure>(pace, || {
        // One after the other: both are recorded in one file.
        sessions.iter().for_each(Session::end);
        let record =
            Record::stdio(&launch, Some("demo"), record::ourselves(), Some(trace.to_owned()), State::new(None));
        let (transport, session) = start(&launch, Some(record))?;
        sessions.push(session);
        Ok(transport)
    });
    sessions.iter().for_each(Session::end);
    played
}

impl From<ConnectError> for Failure {
    fn from(failure: ConnectError) -> Failure {
        Failure::new(visible(&failure.to_string()).into_owned())
    }
}

fn print(loaded: &Loaded) -> io::Result<()> {
    let stdout = io::stdout();
    let paint = Paint { on: stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none() };
    let mut out = io::BufWriter::new(stdout.lock());
    // The folder says nothing here; `check` names whole paths.
    let name = loaded.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    report::table::write(&mut out, &loaded.store, &loaded.source, &loaded.store.rows, paint)?;
    writeln!(out)?;
    for finding in report::view::findings(&loaded.store) {
        report::text::finding(&mut out, &name, &finding, paint)?;
    }
    writeln!(out, "{}: {}", visible(&name), report::text::summary_line(&loaded.store, &Summary::of(&loaded.store)))?;
    out.flush()
}
