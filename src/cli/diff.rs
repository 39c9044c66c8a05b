//! `mcpscope diff LEFT RIGHT`: a trace against a fixture.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::{Outcome, files};
use crate::diff::{self, Options, Pattern, Trace};
use crate::error::{Failure, Result};
use crate::feed::{Loaded, load};
use crate::paths::State;
use crate::query::Query;
use crate::report::text::Paint;
use crate::trace::Row;

/// Alignment takes what it has after this time: traces may be made to be hard to align.
const PATIENCE: Duration = Duration::from_secs(20);

/// Arguments of `diff`.
#[derive(Args, Debug)]
#[command(
    long_about = "Compares two traces exchange by exchange: aligned by method, target and order, so that a call that was \
        added or moved does not spoil the rest; then as JSON, place by place, numbers by value. Lists of tools, prompts \
        and resources are compared as contracts (breaking, safe, cosmetic).\n\n\
        Left out unless --strict: ids, progress tokens, cursors, requestState, trace context, task ids, times, UUIDs, and \
        the versions of server and client. Strings in LEFT may be matchers: \"<<any>>\", \"<<string>>\", \"<<number>>\", \
        \"<<integer>>\", \"<<boolean>>\", \"<<array>>\", \"<<object>>\", \"<<regex:…>>\".",
    after_help = "Examples:\n  mcpscope diff fixture.jsonl last\n  mcpscope diff server~1 server --where 'method = tools/list'\n  \
        mcpscope diff a.jsonl b.jsonl --ignore '/result/content/*/text' --format json\n\n\
        Exit status: 0 the same, 1 different, 2 a file could not be read."
)]
pub struct DiffArgs {
    /// What it should be: a path, `last`, a server's name, `NAME~1` (the run before); `-` reads standard input
    left: PathBuf,
    /// What it is
    right: PathBuf,
    /// Leave out a place of every message and what is below it (a JSON pointer; `*` is any one name or position)
    #[arg(long, value_name = "POINTER")]
    ignore: Vec<String>,
    /// Compare only this place
    #[arg(long, value_name = "POINTER")]
    only: Vec<String>,
    /// Only the exchanges that this query selects, in both
    #[arg(long = "where", value_name = "QUERY")]
    query: Option<String>,
    /// Compare also what differs on every run
    #[arg(long)]
    strict: bool,
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
}

/// Runs `diff`.
///
/// # Errors
/// A query or pointer that cannot be read, a file that cannot be read.
pub fn run(args: &DiffArgs) -> Result<Outcome> {
    let state = State::new(args.dir.as_deref());
    let query = args.query.as_deref().map(files::query).transpose()?;
    let options = Options {
        ignore: patterns("--ignore", &args.ignore)?,
        only: patterns("--only", &args.only)?,
        strict: args.strict,
        deadline: Some(Instant::now() + PATIENCE),
    };
    let (left, right) = (files::resolve(&state, &args.left)?, files::resolve(&state, &args.right)?);
    if left == Path::new("-") && right == Path::new("-") {
        return Err(Failure::new("standard input can be one of the two, not both"));
    }
    let (left, right) = (load(&left, Default::default())?, load(&right, Default::default())?);
    let (of_left, of_right) = (selected(&left, query.as_ref()), selected(&right, query.as_ref()));
    let (a, b) = (trace(&left, &of_left), trace(&right, &of_right));
    let found = diff::diff(a, b, &options).map_err(|e| Failure::new(format!("cannot read the traces again: {e}")))?;
    let stdout = io::stdout();
    let paint = Paint { on: stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none() };
    let mut out = io::BufWriter::new(stdout.lock());
    let names = (left.path.display().to_string(), right.path.display().to_string());
    let written = match args.format {
        Format::Text => diff::show::text(&mut out, a, b, &found, paint),
        Format::Json => diff::show::json(&mut out, (&names.0, a), (&names.1, b), &found),
    };
    super::written(written.and_then(|()| out.flush()))?;
    Ok(if found.is_same() { Outcome::Fine } else { Outcome::No })
}

fn patterns(option: &str, texts: &[String]) -> Result<Vec<Pattern>> {
    let read = |text: &String| {
        Pattern::parse(text).ok_or_else(|| {
            Failure::new(format!("{option} {text}: no JSON pointer"))
                .hint("it begins with /, as in /result/content/0/text; * stands for any position")
        })
    };
    texts.iter().map(read).collect()
}

fn selected(loaded: &Loaded, query: Option<&Query>) -> Vec<u32> {
    match query {
        None => (0..loaded.store.exchanges.len() as u32).collect(),
        Some(query) => {
            let rows = files::select(loaded, query);
            rows.into_iter().filter_map(|r| if let Row::Exchange(i) = r { Some(i) } else { None }).collect()
        }
    }
}

fn trace<'a>(loaded: &'a Loaded, exchanges: &'a [u32]) -> Trace<'a> {
    Trace { store: &loaded.store, source: &loaded.source, exchanges }
}
