//! The command line: one file a subcommand. Each has its arguments (with help and an example) and `run`.

mod attach;
mod attach_http;
mod call;
mod check;
mod client_screen;
mod convert;
mod demo;
mod demo_server;
mod dial;
mod diff;
mod files;
mod home;
mod list;
mod open;
mod prune;
mod rules;
mod sanitize;
mod show;
mod stats;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::Result;
use crate::tap;

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Exit status 0.
    Fine,
    /// The command did its work and the answer is "no": exit status 1.
    No,
    /// The status of somebody else: `attach` ends as its server ends.
    Status(u8),
}

/// Interactive terminal debugger and wire inspector for MCP.
#[derive(Parser, Debug)]
#[command(name = "mcpscope", version, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

// One variant a subcommand, in the order in which `--help` lists them.
#[derive(Subcommand, Debug)]
enum Command {
    /// Put the tap around a server: record what goes over the wire, change nothing.
    Attach(attach::Attach),
    /// Watch a live tap from its first byte.
    Watch(watch::Watch),
    /// A trace on the screen.
    Open(open::Open),
    /// Check traces for faults, and say who has to mend them.
    Check(check::CheckArgs),
    /// The exchanges of a trace; or the traces that there are.
    List(list::List),
    /// One exchange in full.
    Show(show::Show),
    /// Latency, sizes and counts per method and tool.
    Stats(stats::StatsArgs),
    /// One call of a tool from the shell, a prompt or a resource; or a list of what there is.
    Call(call::Call),
    /// A trace against a fixture: what differs, exchange by exchange.
    Diff(diff::DiffArgs),
    /// A trace that may be shown to others.
    Sanitize(sanitize::SanitizeArgs),
    /// Between formats: traces, other people's recordings and logs, reports.
    Convert(convert::Convert),
    /// The rules that messages are checked by; one of them explained with examples.
    Rules(rules::Rules),
    /// Remove old traces.
    Prune(prune::Prune),
    /// An embedded server with every outcome and some faults, tapped.
    Demo(demo::Demo),
    /// The embedded demo server on stdin and stdout.
    #[command(hide = true)]
    DemoServer(demo_server::DemoServer),
}

fn run(cli: Cli) -> Result<Outcome> {
    match cli.command {
        Some(command) => match command {
            Command::Open(arguments) => open::run(&arguments),
            Command::Check(args) => check::run(&args),
            Command::Watch(args) => watch::run(&args),
            Command::List(args) => list::run(&args),
            Command::Show(args) => show::run(&args),
            Command::Stats(args) => stats::run(&args),
            Command::Diff(args) => diff::run(&args),
            Command::Sanitize(args) => sanitize::run(&args),
            Command::Call(arguments) => call::run(&arguments),
            Command::Convert(arguments) => convert::run(&arguments),
            Command::Attach(arguments) => attach::run(&arguments),
            Command::Prune(arguments) => prune::run(&arguments),
            Command::Rules(arguments) => rules::run(&arguments),
            Command::Demo(arguments) => demo::run(&arguments),
            Command::DemoServer(arguments) => demo_server::run(&arguments),
        },
        None => home::run(),
    }
}

/// What became of writing to stdout: a reader that has gone away (`| head`) is no failure.
fn written(result: std::io::Result<()>) -> Result<()> {
    match result {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(crate::error::Failure::new(format!("cannot write to standard output: {e}")))
        }
        _ => Ok(()),
    }
}

/// Parses the arguments, runs the command and prints a failure in one line.
pub fn main() -> ExitCode {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    // Before anything else: this call becomes the server, and the server's start is waited for.
    if words.get(1).is_some_and(|word| word == tap::child::GUARD) {
        return tap::child::guard_main(&words[2..]);
    }
    tap::child::install_guard();
    // `mcpscope -- CMD …` is `mcpscope attach -- CMD …`.
    if words.get(1).is_some_and(|word| word == "--") {
        words.insert(1, "attach".into());
    }
    match run(Cli::parse_from(words)) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::No) => ExitCode::from(1),
        Ok(Outcome::Status(code)) => ExitCode::from(code),
        Err(failure) => {
            eprintln!("mcpscope: {failure}");
            ExitCode::from(2)
        }
    }
}
