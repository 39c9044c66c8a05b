//! `mcpscope attach --url`: the tap in front of an HTTP server.

use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::Args;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::Outcome;
use super::attach::{Attach, parse_size};
use crate::error::{Failure, Result};
use crate::paths::State;
use crate::tap::http::{Options, Tap, Upstream};
use crate::tap::record::{self, MAX_BODY, Record};

/// Arguments of the HTTP tap.
#[derive(Args, Clone, Debug)]
pub struct HttpArgs {
    /// The server's URL: put an HTTP tap in front of it instead of starting a command
    #[arg(long, value_name = "URL", help_heading = "HTTP")]
    pub url: Option<String>,
    /// Where the tap listens [default: 127.0.0.1 and a port that is the same for the same URL]
    #[arg(long, value_name = "[ADDRESS:]PORT", requires = "url", value_parser = address, help_heading = "HTTP")]
    pub listen: Option<SocketAddr>,
    /// Let other machines use the tap (with --listen): whoever reaches it can use the server through it
    #[arg(long, requires = "listen", help_heading = "HTTP")]
    pub allow_remote: bool,
    /// Trust the certificates in this PEM file too
    #[arg(long, value_name = "FILE", requires = "url", help_heading = "HTTP")]
    pub ca: Option<PathBuf>,
    /// Do not look at the server's certificate: anybody can be in the middle
    #[arg(long, requires = "url", conflicts_with = "ca", help_heading = "HTTP")]
    pub insecure: bool,
    /// Record so much of each body (and of each event), such as 1MiB; all of it passes
    #[arg(long, value_name = "SIZE", requires = "url", default_value = "16MiB", value_parser = parse_size, help_heading = "HTTP")]
    pub max_body: u64,
    /// Make OAuth work through the tap where the authorization server allows it: the addresses in the server's challenge
    /// and metadata become the tap's (the record keeps the server's own)
    #[arg(long, requires = "url", help_heading = "HTTP")]
    pub rewrite_oauth: bool,
}

const _: () = assert!(MAX_BODY == 16 << 20, "the default of --max-body says 16MiB");

/// A port, or an address and a port.
fn address(text: &str) -> std::result::Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    }
    let text = text.strip_prefix("localhost:").map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
    text.parse().map_err(|_| "an address and a port, such as 127.0.0.1:8080".to_owned())
}

impl HttpArgs {
    /// What the tap is to do.
    fn options(&self, server: Upstream) -> Options {
        Options {
            server,
            listen: self.listen,
            allow_remote: self.allow_remote,
            ca: self.ca.clone(),
            insecure: self.insecure,
            rewrite_oauth: self.rewrite_oauth,
            notice: Some(|text| drop(writeln!(std::io::stderr(), "mcpscope: {text}"))),
        }
    }
}

/// Starts the tap for the arguments.
///
/// # Errors
/// What [`Tap::start`] says, and a URL that is none.
pub fn start(arguments: &Attach, url: &str) -> Result<Tap> {
    let server = Upstream::parse(url)?;
    let record = (!arguments.no_trace).then(|| {
        let name = arguments.name.clone().unwrap_or_else(|| server.name());
        let state = State::new(arguments.dir.as_deref());
        let host = record::parent(arguments.host.clone());
        let record = Record::http(server.to_string(), name, host, arguments.trace.clone(), state);
        Record { max_bytes: arguments.max_trace, sync: arguments.sync, max_body: arguments.http.max_body, ..record }
    });
    Tap::start(arguments.http.options(server), record)
}

/// Runs the tap until somebody ends it (Ctrl-C, SIGTERM). A terminal that goes away does not end it.
pub fn run(arguments: &Attach, url: &str) -> Result<Outcome> {
    // Before the tap can be found, so that whoever started it can end it in order.
    let mut signals =
        Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(|e| Failure::new(format!("cannot listen to signals: {e}")))?;
    let tap = start(arguments, url)?;
    say(arguments, &tap);
    for signal in signals.forever() {
        if signal != SIGHUP {
            break;
        }
    }
    tap.stop();
    Ok(Outcome::Fine)
}

/// The URL on standard output, for whoever starts the tap; the rest on standard error. Nobody may read either.
fn say(arguments: &Attach, tap: &Tap) {
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    if arguments.http.insecure {
        let _ = writeln!(err, "mcpscope: warning: --insecure: the server's certificate is not looked at");
    }
    if tap.moved {
        let _ = writeln!(err, "mcpscope: the usual port of this URL is taken: another one this time");
    }
    match &tap.trace {
        Some(Ok(path)) if arguments.verbose => drop(writeln!(err, "mcpscope: recording to {}", path.display())),
        Some(Err(why)) => drop(writeln!(err, "mcpscope: nothing is recorded: {why}")),
        _ => {}
    }
    let _ = writeln!(err, "mcpscope: give your client this URL instead of the server's (Ctrl-C ends the tap):");
    let _ = writeln!(out, "{}", tap.url).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, want) in
            [("80", "127.0.0.1:80"), ("localhost:0", "127.0.0.1:0"), ("[::1]:9", "[::1]:9"), ("0.0.0.0:1", "0.0.0.0:1")]
        {
            assert_eq!(address(text).map(|a| a.to_string()), Ok(want.to_owned()));
        }
        assert!(address("example.com:80").is_err() && address("").is_err() && address("99999").is_err());
    }
}
