//! `mcpscope attach`: the tap around a server.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;

use clap::Args;

use super::Outcome;
use super::attach_http::{self, HttpArgs};
use crate::error::{Failure, Result};
use crate::paths::State;
use crate::tap::child::Launch;
use crate::tap::record::{self, MAX_TRACE, Record};
use crate::tap::stdio::{self, Ended};

/// Arguments of `attach`.
#[derive(Args, Clone, Debug)]
#[command(
    long_about = "Put the tap around a server: record what goes over the wire, change nothing.\n\n\
        Started by a host (standard input or output is no terminal) it is a transparent proxy: bytes pass unchanged and at \
        once, the server's exit status and signals are its own, and any terminal can watch it. Started in a terminal it \
        shows the screen, and mcpscope is the client.",
    after_help = "Examples:\n  mcpscope attach -- npx -y @modelcontextprotocol/server-everything\n  \
        mcpscope attach --name files uvx mcp-server-filesystem /tmp\n  \
        mcpscope -- node server.js\n  \
        mcpscope attach --url https://mcp.example.com/mcp\n\n\
        In a host's configuration: \"command\": \"mcpscope\", \"args\": [\"attach\", \"--\", \"npx\", \"-y\", \"…\"]\n\n\
        Exit status: the server's own; 128+n if signal n ended it; 127 if it was not found, 126 if it cannot be executed."
)]
pub struct Attach {
    /// Record to this file (what is there is added to) instead of the state folder
    #[arg(long, value_name = "FILE", conflicts_with = "no_trace")]
    pub trace: Option<PathBuf>,
    /// Record nothing; then there is nothing to watch from elsewhere
    #[arg(long)]
    pub no_trace: bool,
    /// Name of the server in lists [default: its package or script]
    #[arg(long)]
    pub name: Option<String>,
    /// Root of the state folder [default: $XDG_STATE_HOME/mcpscope or ~/.local/state/mcpscope]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Name of the host that starts the server [default: the parent process]
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
    /// Be a transparent proxy even in a terminal
    #[arg(long, conflicts_with = "tui")]
    pub headless: bool,
    /// Show the screen even if standard input or output is no terminal
    #[arg(long)]
    pub tui: bool,
    /// Ask the disk to take each batch (every 20 ms) at once
    #[arg(long)]
    pub sync: bool,
    /// Stop recording when the trace of this run has this size (the wire goes on), such as 500MiB
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_size)]
    pub max_trace: u64,
    /// Say on standard error where the trace is
    #[arg(short, long)]
    pub verbose: bool,
    #[command(flatten)]
    pub http: HttpArgs,
    /// The server's command and its arguments
    #[arg(trailing_var_arg = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// Runs the tap and ends as the server ends.
pub fn run(arguments: &Attach) -> Result<Outcome> {
    if let Some(url) = &arguments.http.url {
        if !arguments.command.is_empty() {
            return Err(Failure::new("a server has a URL or a command, not both"));
        }
        return attach_http::run(arguments, url);
    }
    if arguments.command.is_empty() {
        return Err(Failure::new("attach needs the server's command or its --url")
            .hint("for example: mcpscope attach -- node server.js"));
    }
    let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if arguments.tui || (terminal && !arguments.headless) { in_a_terminal(arguments) } else { headless(arguments) }
}

/// The screen, with mcpscope as the client.
fn in_a_terminal(arguments: &Attach) -> Result<Outcome> {
    super::client_screen::run(arguments)
}

impl Attach {
    /// The server's command.
    pub fn launch(&self) -> Launch {
        Launch { command: self.command.clone(), ..Launch::default() }
    }

    /// What is to be recorded for this server and host.
    pub fn record(&self, launch: &Launch, host: crate::format::Host) -> Option<Record> {
        if self.no_trace {
            return None;
        }
        let state = State::new(self.dir.as_deref());
        let record = Record::stdio(launch, self.name.as_deref(), host, self.trace.clone(), state);
        Some(Record { max_bytes: self.max_trace, sync: self.sync, ..record })
    }
}

fn headless(arguments: &Attach) -> Result<Outcome> {
    let launch = arguments.launch();
    let record = arguments.record(&launch, record::parent(arguments.host.clone()));
    let say = |path: &std::result::Result<PathBuf, String>| {
        if arguments.verbose {
            match path {
                Ok(path) => eprintln!("mcpscope: recording to {}", path.display()),
                Err(why) => eprintln!("mcpscope: nothing is recorded: {why}"),
            }
        }
    };
    let ended = stdio::run(&launch, record, say).map_err(|e| Failure::new(format!("cannot start the tap: {e}")))?;
    if let Ended::NotStarted(error) = &ended {
        eprintln!("mcpscope: {}", error.why);
    }
    Ok(Outcome::Status(ended.code()))
}

/// A size in bytes: a number with an optional unit (`k`, `M`, `G`, also `KiB`, `MB`; always powers of 1024).
pub(super) fn parse_size(text: &str) -> std::result::Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim().to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "" => 1u64,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        _ => return Err(format!("{unit} is no unit: use KiB, MiB or GiB")),
    };
    let number: f64 = number.parse().map_err(|_| "a size is a number and a unit, such as 500MiB".to_owned())?;
    Ok((number * factor as f64) as u64)
}

const _: () = assert!(MAX_TRACE == 1 << 30, "the default of --max-trace says 1GiB");

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Only {
        #[command(flatten)]
        attach: Attach,
    }

    fn parse(words: &[&str]) -> std::result::Result<Attach, String> {
        Only::try_parse_from([&["attach"], words].concat()).map(|o| o.attach).map_err(|e| e.to_string())
    }

    #[test]
    fn options_end_at_the_command() {
        for words in [&["--sync", "--", "node", "--name", "x", "-v"][..], &["--sync", "node", "--name", "x", "-v"]] {
            let attach = parse(words).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(attach.command, ["node", "--name", "x", "-v"]);
            assert!(attach.sync && attach.name.is_none() && !attach.verbose);
        }
        assert_eq!(parse(&["cat", "--", "-v"]).map(|a| a.command), Ok(vec!["cat".into(), "--".into(), "-v".into()]));
        assert!(parse(&["--hedless", "cat"]).is_err());
        assert!(parse(&["--trace", "x", "--no-trace", "cat"]).is_err());
    }

    #[test]
    fn sizes() {
        for (text, want) in [("10", 10), ("1GiB", 1 << 30), ("1.5k", 1536), ("500 MB", 500 << 20), ("2g", 2 << 30)] {
            assert_eq!(parse_size(text), Ok(want), "{text}");
        }
        assert!(parse_size("x").is_err() && parse_size("1q").is_err() && parse_size("").is_err());
    }
}
