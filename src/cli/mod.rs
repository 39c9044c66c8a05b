//! The command line: one file a subcommand. Each has its arguments (with help and an example) and `run`.

mod call;
mod demo_server;
mod dial;
mod rules;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::Result;

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
    /// One call of a tool from the shell, a prompt or a resource; or a list of what there is.
    Call(call::Call),
    /// The rules that messages are checked by; one of them explained with examples.
    Rules(rules::Rules),
    /// The embedded demo server on stdin and stdout.
    #[command(hide = true)]
    DemoServer(demo_server::DemoServer),
}

fn run(cli: Cli) -> Result<Outcome> {
    match cli.command {
        Some(command) => match command {
            Command::Call(arguments) => call::run(&arguments),
            Command::Rules(arguments) => rules::run(&arguments),
            Command::DemoServer(arguments) => demo_server::run(&arguments),
        },
        None => Ok(Outcome::Fine),
    }
}

/// Parses the arguments, runs the command and prints a failure in one line.
pub fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::No) => ExitCode::from(1),
        Ok(Outcome::Status(code)) => ExitCode::from(code),
        Err(failure) => {
            eprintln!("mcpscope: {failure}");
            ExitCode::from(2)
        }
    }
}
