//! `mcpscope prune`: removes old traces.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::Args;

use super::Outcome;
use super::attach::parse_size;
use crate::error::Result;
use crate::paths::{Retention, State, prune};

/// Arguments of `prune`.
#[derive(Args, Clone, Debug)]
#[command(
    long_about = "Remove old traces: those older than 30 days, and the oldest beyond 2 GiB in all. Never those of the last 24 \
        hours, never what is pinned, never what a tap still writes. A tap that runs for a while does the same by itself.",
    after_help = "Examples:\n  mcpscope prune --dry-run\n  mcpscope prune --days 7 --max-size 500MiB"
)]
pub struct Prune {
    /// Remove traces older than this many days
    #[arg(long, default_value_t = 30)]
    pub days: u64,
    /// Remove the oldest beyond this size in all
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = parse_size)]
    pub max_size: u64,
    /// Only say what would be removed
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// Root of the state folder
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Removes and reports.
pub fn run(arguments: &Prune) -> Result<Outcome> {
    let state = State::new(arguments.dir.as_deref());
    let bounds = Retention {
        max_age: Duration::from_secs(arguments.days.saturating_mul(24 * 60 * 60)),
        max_bytes: arguments.max_size,
        ..Retention::default()
    };
    let done = prune(&state, bounds, SystemTime::now(), arguments.dry_run);
    let verb = if arguments.dry_run { "would remove" } else { "removed" };
    let mut text = String::new();
    for path in &done.removed {
        text += &format!("{verb} {}\n", path.display());
    }
    text += &format!(
        "{verb} {} ({}); {} kept ({})\n",
        traces(done.removed.len()),
        size(done.removed_bytes),
        traces(done.kept),
        size(done.kept_bytes)
    );
    // A reader that has enough (`| head`) is no failure.
    let _ = std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes());
    Ok(Outcome::Fine)
}

fn traces(n: usize) -> String {
    format!("{n} trace{}", if n == 1 { "" } else { "s" })
}

/// A size for people.
fn size(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", units[unit]) }
}
