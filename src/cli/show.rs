//! `mcpscope show FILE N`: one exchange in full.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Outcome, files};
use crate::error::{Failure, Result};
use crate::feed::load;
use crate::paths::State;
use crate::report::show::Detail;
use crate::report::text::Paint;
use crate::report::{table, view};
use crate::rules::Options;

/// Arguments of `show`.
#[derive(Args, Debug)]
#[command(
    long_about = "One exchange in full: request and answer, envelope and payload, what was found, and why it was refused. \
        Headers that hold credentials are named, not shown.",
    after_help = "Examples:\n  mcpscope show last 43\n  mcpscope show trace.jsonl 43 --format markdown | pbcopy"
)]
pub struct Show {
    /// A trace: a path, `last`, a server's name, `NAME~1` (the run before); `-` reads standard input
    file: PathBuf,
    /// Number of the exchange (`#` in list)
    n: u32,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Root of the state folder [default: $XDG_STATE_HOME/mcpscope or ~/.local/state/mcpscope]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// For reading.
    Text,
    /// For programs.
    Json,
    /// For a ticket.
    Markdown,
}

/// Runs `show`.
///
/// # Errors
/// A file that cannot be read, a number that no exchange has.
pub fn run(show: &Show) -> Result<Outcome> {
    let state = State::new(show.dir.as_deref());
    let loaded = load(&files::resolve(&state, &show.file)?, Options::default())?;
    let Some(index) = table::by_number(&loaded.store, show.n) else {
        let failure = Failure::new(format!("there is no exchange #{}", show.n));
        return Err(match loaded.store.exchanges.len() {
            0 => failure.hint("the trace holds none"),
            last => failure.hint(format!("they go from 1 to {last}")),
        });
    };
    let name = loaded.path.display().to_string();
    let detail = Detail::read(&loaded.store, &loaded.source, &name, index, view::findings(&loaded.store))
        .map_err(|e| Failure::new(format!("cannot read {name} again: {e}")))?;
    let stdout = io::stdout();
    let paint = Paint { on: stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none() };
    let mut out = io::BufWriter::new(stdout.lock());
    let written = match show.format {
        Format::Text => detail.write_text(&mut out, paint),
        Format::Json => detail.write_json(&mut out),
        Format::Markdown => detail.write_markdown(&mut out),
    };
    super::written(written.and_then(|()| out.flush()))?;
    Ok(Outcome::Fine)
}
