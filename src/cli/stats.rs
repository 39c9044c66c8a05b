//! `mcpscope stats`: latency, sizes and counts per method and tool.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Outcome, files};
use crate::error::Result;
use crate::feed::load;
use crate::paths::State;
use crate::report::stats::Stats;
use crate::report::text::Paint;
use crate::rules::Options;
use crate::trace::Row;

/// Arguments of `stats`.
#[derive(Args, Debug)]
#[command(
    long_about = "Latency percentiles, sizes and outcomes by method and by tool, and findings by layer and owner.",
    after_help = "Examples:\n  mcpscope stats last\n  mcpscope stats trace.jsonl --where 'tool:search' --format json | jq .methods\n\n\
        Exit status: 0 there is something to count, 1 nothing matches --where, 2 the file could not be read."
)]
pub struct StatsArgs {
    /// A trace: a path, `last`, a server's name, `NAME~1` (the run before); `-` reads standard input
    file: PathBuf,
    /// Only what this query selects
    #[arg(long = "where", value_name = "QUERY")]
    query: Option<String>,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Root of the state folder [default: $XDG_STATE_HOME/mcpscope or ~/.local/state/mcpscope]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// Tables.
    Text,
    /// For programs.
    Json,
}

/// Runs `stats`.
///
/// # Errors
/// A query that cannot be read, a file that cannot be read.
pub fn run(args: &StatsArgs) -> Result<Outcome> {
    let query = args.query.as_deref().map(files::query).transpose()?;
    let loaded = load(&files::resolve(&State::new(args.dir.as_deref()), &args.file)?, Options::default())?;
    let rows: Vec<Row> = match &query {
        Some(query) => files::select(&loaded, query),
        None => loaded.store.rows.clone(),
    };
    let stats = Stats::of(&loaded.store, &rows);
    let stdout = io::stdout();
    let paint = Paint { on: stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none() };
    let mut out = io::BufWriter::new(stdout.lock());
    let written = match args.format {
        Format::Text => stats.write_text(&mut out, paint),
        Format::Json => stats.write_json(&mut out),
    };
    super::written(written.and_then(|()| out.flush()))?;
    Ok(if rows.is_empty() && query.is_some() { Outcome::No } else { Outcome::Fine })
}
