//! `mcpscope demo`: the embedded server with every outcome and some faults, tapped like any other.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use super::Outcome;
use super::dial::{Session, start};
use crate::error::{Failure, Result};
use crate::feed::{Loaded, load};
use crate::paths::State;
use crate::peer::client::ConnectError;
use crate::peer::script::{self, Pace};
use crate::report::{self, Summary, text::Paint};
use crate::rules::Options;
use crate::tap::child::Launch;
use crate::tap::record::{self, Record};
use crate::trace::{Exchange, NONE, Store};
use crate::wire::frame::Dir;
use crate::wire::json::fit;
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
    let name = loaded.path.display().to_string();
    for (index, exchange) in loaded.store.exchanges.iter().enumerate() {
        writeln!(out, "{}", line(&loaded.store, index, exchange))?;
    }
    writeln!(out)?;
    for finding in report::view::findings(&loaded.store) {
        report::text::finding(&mut out, &name, &finding, paint)?;
    }
    writeln!(out, "{}: {}", visible(&name), report::text::summary_line(&loaded.store, &Summary::of(&loaded.store)))?;
    out.flush()
}

/// Columns for method and target.
const WIDTH: usize = 46;

/// Number, time, direction, method and target, outcome, time taken.
fn line(store: &Store, index: usize, exchange: &Exchange) -> String {
    let first = store.record(exchange.first());
    let seconds = first.map_or(0.0, |record| record.t as f64 / 1e6);
    let way = if exchange.dir == Dir::C2s { "→" } else { "←" };
    let method = visible(store.method_of(exchange).unwrap_or("")).into_owned();
    let target = store.target_of(exchange).map(|target| format!(" {}", visible(target))).unwrap_or_default();
    let what = format!("{method}{target}");
    let took = store.latency(exchange).map(|micros| format!("{:.1} ms", micros as f64 / 1e3)).unwrap_or_default();
    let again =
        if exchange.retry_of == NONE { String::new() } else { format!("  retry of #{}", exchange.retry_of + 1) };
    let outcome = exchange.outcome.as_str();
    let what = fit(&what, WIDTH);
    let blank = " ".repeat(WIDTH - what.columns.min(WIDTH));
    format!("{:>4} {seconds:>8.3} {way} {}{blank} {outcome:<15} {took:>9}{again}", index + 1, what.visible.text)
}
