//! `mcpscope watch`: a live tap from its first byte, from any terminal.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use clap::Args;

use crate::error::{Failure, Result};
use crate::feed::Feed;
use crate::paths::{self, State};
use crate::report::{tail, text::Paint};
use crate::rules::Options;
use crate::trace::NONE;

use super::Outcome;

/// Arguments of `watch`.
#[derive(Args, Debug)]
#[command(
    long_about = "Watch a live tap from its first byte. When nothing is live, wait for the next run.",
    after_help = "Examples:\n  mcpscope watch\n  mcpscope watch everything --text\n\n\
        Exit status: 0 when the run has ended or you left; 2 if nothing could be watched."
)]
pub struct Watch {
    /// Name of the server [default: the newest live one]
    name: Option<String>,
    /// One line a message on standard output instead of the screen
    #[arg(long)]
    text: bool,
    /// Root of the state folder [default: $XDG_STATE_HOME/mcpscope or ~/.local/state/mcpscope]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Runs it.
///
/// # Errors
/// When the trace cannot be read.
pub fn run(args: &Watch) -> Result<Outcome> {
    let state = State::new(args.dir.as_deref());
    let screen = !args.text && io::stdout().is_terminal() && io::stdin().is_terminal();
    let path = match live(&state, args.name.as_deref()) {
        Some(path) => path,
        None => {
            let whose = args.name.as_deref().map(|n| format!(" of {n}")).unwrap_or_default();
            eprintln!("mcpscope: nothing is live; waiting for the next run{whose} (Ctrl-C to stop)");
            wait(&state, args.name.as_deref())
        }
    };
    if screen {
        let feed = Feed::open(&path, Options::default())?;
        return super::open::watch(feed, super::open::options(None, true)?);
    }
    print(&path)
}

/// The newest live trace of that name.
fn live(state: &State, name: Option<&str>) -> Option<PathBuf> {
    let named = |t: &paths::TraceFile| name.is_none_or(|n| t.name == n);
    paths::list(state).into_iter().find(|t| named(t) && t.is_live()).map(|t| t.path)
}

/// Waits for a run that is live, or that began after we did and has ended already (hosts probe for 100 ms).
fn wait(state: &State, name: Option<&str>) -> PathBuf {
    let named = |t: &paths::TraceFile| name.is_none_or(|n| t.name == n);
    let newest = |state: &State| paths::list(state).into_iter().find(named);
    let before = newest(state).map(|t| t.stem);
    loop {
        std::thread::sleep(Duration::from_millis(150));
        if let Some(path) = live(state, name) {
            return path;
        }
        if let Some(new) = newest(state).filter(|t| before.as_ref() != Some(&t.stem)) {
            return new.path;
        }
    }
}

/// Prints what comes until the run has ended.
fn print(path: &Path) -> Result<Outcome> {
    let feed = Feed::open(path, Options::default())?;
    let (send, changes) = mpsc::sync_channel(1);
    feed.on_change(move || {
        let _ = send.try_send(());
    });
    let stdout = io::stdout();
    let paint = Paint { on: stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none() };
    let mut next = 0;
    loop {
        let progress = feed.progress();
        let written = lines(&feed, &mut next, paint, &mut stdout.lock());
        if let Err(e) = written {
            super::written(Err(e))?;
            return Ok(Outcome::Fine);
        }
        if progress.ended {
            if let Some(why) = progress.failed {
                return Err(Failure::new(format!("{}: {why}", path.display())));
            }
            return Ok(Outcome::Fine);
        }
        let _ = changes.recv_timeout(Duration::from_secs(1));
    }
}

fn lines(feed: &Feed, next: &mut u32, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let mut buffer = Vec::new();
    {
        let store = feed.store();
        let source = feed.source();
        // A restart of the feed begins anew.
        *next = (*next).min(store.records.len() as u32);
        while (*next as usize) < store.records.len() {
            let record = &store.records[*next as usize];
            let plain = !record.kind.is_message() && record.len > 0 && record.stream == NONE;
            let payload = if plain { source.frame_bytes(record).unwrap_or_default() } else { Vec::new() };
            tail::record(&mut buffer, &store, *next, &payload, paint)?;
            *next += 1;
        }
    }
    out.write_all(&buffer)?;
    out.flush()
}
