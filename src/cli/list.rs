//! `mcpscope list`: the exchanges of a trace, or the traces that there are.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::time::SystemTime;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::{Outcome, files};
use crate::error::Result;
use crate::feed::{load, load_as};
use crate::paths::{self, State, TraceFile};
use crate::report::summary::Summary;
use crate::report::table::{self, size_words};
use crate::report::text::Paint;
use crate::rules::Options;
use crate::trace::Row;
use crate::wire::json::visible::visible;

/// Arguments of `list`.
#[derive(Args, Debug)]
#[command(
    long_about = "The exchanges of a trace, one a line. With --where also stderr lines, events and HTTP requests that \
        the query selects. Without FILE: the traces and the taps that run.",
    after_help = "Examples:\n  mcpscope list\n  mcpscope list last --where 'is:failed'\n  \
        mcpscope list trace.jsonl --where 'tool = search latency > 500ms' --format jsonl | jq .n\n\n\
        Exit status: 0 something is listed, 1 nothing matches --where, 2 the file could not be read."
)]
pub struct List {
    /// A trace: a path, `last`, a server's name, `NAME~1` (the run before); `-` reads standard input
    file: Option<PathBuf>,
    /// Only what this query selects
    #[arg(long = "where", value_name = "QUERY", requires = "file")]
    query: Option<String>,
    /// Read the file as this format instead of what its content shows (see `mcpscope convert --help`)
    #[arg(long, value_name = "FORMAT", requires = "file")]
    from: Option<String>,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Root of the state folder [default: $XDG_STATE_HOME/mcpscope or ~/.local/state/mcpscope]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// A table.
    Text,
    /// JSON Lines.
    Jsonl,
}

/// Runs `list`.
///
/// # Errors
/// A query that cannot be read, a file that cannot be read.
pub fn run(list: &List) -> Result<Outcome> {
    let state = State::new(list.dir.as_deref());
    let Some(file) = &list.file else { return traces(&state, list.format) };
    let query = list.query.as_deref().map(files::query).transpose()?;
    let path = files::resolve(&state, file)?;
    let loaded = load_as(&path, list.from.as_deref(), Options::default())?;
    // Beside the list, not in it.
    let name = path.display().to_string();
    let _ = files::about(&mut io::stderr(), &visible(&name), &loaded);
    let rows: Vec<Row> = match &query {
        Some(query) => files::select(&loaded, query),
        None => loaded.store.rows.iter().copied().filter(|r| matches!(r, Row::Exchange(_))).collect(),
    };
    let stdout = io::stdout();
    let paint = Paint { on: stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none() };
    let mut out = io::BufWriter::new(stdout.lock());
    let written = match list.format {
        Format::Text if rows.is_empty() => Ok(()),
        Format::Text => table::write(&mut out, &loaded.store, &loaded.source, &rows, paint),
        Format::Jsonl => table::write_json(&mut out, &loaded.store, &loaded.source, &rows),
    };
    super::written(written.and_then(|()| out.flush()))?;
    Ok(if rows.is_empty() && query.is_some() { Outcome::No } else { Outcome::Fine })
}

/// Traces that are looked into, newest first, and how large they may be: a list must come at once.
const LOOK_INTO: usize = 20;
const LOOK_INTO_BYTES: u64 = 8 << 20;

#[derive(Serialize)]
struct Trace {
    name: String,
    file: String,
    host: Option<String>,
    started: Option<String>,
    seconds_ago: Option<u64>,
    exchanges: Option<usize>,
    error: Option<u32>,
    warning: Option<u32>,
    size: u64,
    pinned: bool,
    live: bool,
}

impl Trace {
    fn of(file: &TraceFile, look: bool) -> Trace {
        let mut trace = Trace {
            name: file.name.clone(),
            file: file.path.display().to_string(),
            host: None,
            started: None,
            seconds_ago: SystemTime::now().duration_since(file.modified).ok().map(|d| d.as_secs()),
            exchanges: None,
            error: None,
            warning: None,
            size: file.len,
            pinned: paths::is_pinned(&file.path),
            live: file.is_live(),
        };
        // What cannot be read is listed all the same.
        if let Some(loaded) =
            (look && file.len <= LOOK_INTO_BYTES).then(|| load(&file.path, Options::default()).ok()).flatten()
        {
            let summary = Summary::of(&loaded.store);
            trace.exchanges = Some(loaded.store.exchanges.len());
            (trace.error, trace.warning) = (Some(summary.error), Some(summary.warning));
            if let Some(header) = loaded.header {
                trace.host = header.host.and_then(|h| h.name);
                trace.started = header.created;
            }
        }
        trace
    }

    fn state(&self) -> &'static str {
        match (self.live, self.pinned) {
            (true, _) => "live",
            (false, true) => "pinned",
            _ => "",
        }
    }
}

/// `12 min`, `3 days`.
fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

fn traces(state: &State, format: Format) -> Result<Outcome> {
    let found = paths::list(state);
    let stdout = io::stdout();
    let mut out = io::BufWriter::new(stdout.lock());
    let written = found
        .iter()
        .enumerate()
        .try_for_each(|(i, file)| {
            let trace = Trace::of(file, i < LOOK_INTO);
            if format == Format::Jsonl {
                serde_json::to_writer(&mut out, &trace)?;
                return out.write_all(b"\n");
            }
            if i == 0 {
                writeln!(
                    out,
                    "{:<24} {:<6} {:<12} {:>8} {:>9} {:>6} {:>8} {:>8}  FILE",
                    "NAME", "", "HOST", "CHANGED", "EXCHANGES", "ERRORS", "WARNINGS", "SIZE"
                )?;
            }
            let number = |n: Option<u64>| n.map(|n| n.to_string()).unwrap_or_default();
            writeln!(
                out,
                "{:<24} {:<6} {:<12} {:>8} {:>9} {:>6} {:>8} {:>8}  {}",
                visible(&trace.name),
                trace.state(),
                visible(trace.host.as_deref().unwrap_or("")),
                trace.seconds_ago.map(ago).unwrap_or_default(),
                number(trace.exchanges.map(|n| n as u64)),
                number(trace.error.map(u64::from)),
                number(trace.warning.map(u64::from)),
                size_words(trace.size),
                visible(&trace.file)
            )
        })
        .and_then(|()| {
            if found.is_empty() && format == Format::Text {
                writeln!(out, "no trace has been recorded yet; begin with: mcpscope attach -- COMMAND")?;
            }
            out.flush()
        });
    super::written(written)?;
    Ok(Outcome::Fine)
}
