//! `mcpscope demo-server`: the embedded server on stdin and stdout. Hidden: `demo` starts it, tests do, and curious people.

use std::io;

use clap::{Args, ValueEnum};

use super::Outcome;
use crate::error::{Failure, Result};
use crate::mcp::Revision;
use crate::peer::demo::faults::{FAULTS, FaultSet, by_name};
use crate::peer::demo::{self, Options};

/// Arguments of `demo-server`.
#[derive(Args, Debug)]
#[command(after_help = fault_list())]
pub struct DemoServer {
    /// The revisions that are served: `dual` is all five.
    #[arg(long, value_enum, default_value = "dual")]
    revision: Speaks,
    /// Commits a fault all the time; may be given several times.
    #[arg(long, value_name = "NAME", value_parser = FAULTS.iter().map(|row| row.name).collect::<Vec<_>>())]
    fault: Vec<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Speaks {
    Dual,
    #[value(name = "2026-07-28")]
    V2026_07_28,
    #[value(name = "2025-11-25")]
    V2025_11_25,
    #[value(name = "2025-06-18")]
    V2025_06_18,
    #[value(name = "2025-03-26")]
    V2025_03_26,
    #[value(name = "2024-11-05")]
    V2024_11_05,
}

fn fault_list() -> String {
    let rows: Vec<String> = FAULTS.iter().map(|row| format!("  {:<25} {}", row.name, row.help)).collect();
    format!("Faults:\n{}\n\nExample:\n  mcpscope attach -- mcpscope demo-server --fault stdout-noise", rows.join("\n"))
}

/// Serves until stdin ends.
///
/// # Errors
/// A fault that the table does not have.
pub fn run(arguments: &DemoServer) -> Result<Outcome> {
    let revisions = match arguments.revision {
        Speaks::Dual => Options::all_revisions(),
        Speaks::V2026_07_28 => vec![Revision::V2026_07_28],
        Speaks::V2025_11_25 => vec![Revision::V2025_11_25],
        Speaks::V2025_06_18 => vec![Revision::V2025_06_18],
        Speaks::V2025_03_26 => vec![Revision::V2025_03_26],
        Speaks::V2024_11_05 => vec![Revision::V2024_11_05],
    };
    let mut faults = FaultSet::NONE;
    for name in &arguments.fault {
        let row = by_name(name).ok_or_else(|| Failure::new(format!("no fault is called {name}")))?;
        faults = faults.with(row.fault);
    }
    let status =
        demo::serve(io::stdin().lock(), io::stdout(), Options { revisions, faults }, |code| std::process::exit(code));
    Ok(if status == 0 { Outcome::Fine } else { Outcome::Status(status as u8) })
}
