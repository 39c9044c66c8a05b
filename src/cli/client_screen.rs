//! `attach` in a terminal: the screen, with mcpscope as the client of the server that it starts.

use std::sync::mpsc;
use std::time::Duration;

use super::Outcome;
use super::attach::Attach;
use super::dial::{Session, start};
use crate::error::{Failure, Result};
use crate::feed::Feed;
use crate::mcp::Revision;
use crate::peer::client::{Client, ConnectError, Options, Speak};
use crate::rules;
use crate::tap::child::Launch;
use crate::tap::record;
use crate::tui::{self, client};
use crate::wire::json::visible::visible;

/// A server has this long to be slow with the handshake: package runners install first.
const HANDSHAKE: Duration = Duration::from_secs(120);

/// Starts the server, shows the screen, and ends the server when the user leaves.
///
/// # Errors
/// When the server cannot be started, nothing can be recorded, or the screen fails.
pub fn run(arguments: &Attach) -> Result<Outcome> {
    // A process group of its own: Ctrl-C is for the screen, and the server sees the end of its input.
    let launch = Launch { own_group: true, ..arguments.launch() };
    let Some(record) = arguments.record(&launch, record::ourselves()) else {
        return Err(Failure::new("the screen shows what is recorded, and --no-trace records nothing")
            .hint("leave --no-trace away, or use --headless"));
    };
    let (transport, session) = start(&launch, Some(record))?;
    let Some(trace) = session.trace().map(std::path::Path::to_path_buf) else {
        session.end();
        return Err(Failure::new("no trace can be written, and the screen shows what is recorded"));
    };
    let feed = Feed::open(&trace, rules::Options::default())?;
    let screen = tui::Screen::new();
    let (changed, news) = (screen.waker(), screen.waker());
    feed.on_change(move || changed.wake());
    // The sessions come back when the screen is over: a probe may have needed a second start.
    let (keep, sessions) = mpsc::channel::<Session>();
    let again = {
        let same = Attach { trace: Some(trace.clone()), ..arguments.clone() };
        let launch = launch.clone();
        move || start(&launch, same.record(&launch, record::ourselves()))
    };
    let link = client::spawn(
        move || {
            let options = Options { probe_timeout: HANDSHAKE, timeout: None, ..Options::default() };
            match Client::connect(transport, options.clone()) {
                Err(ConnectError::Closed { probing: true }) => {
                    let (transport, second) = again().map_err(|f| f.to_string())?;
                    let _ = keep.send(second);
                    let speak = Speak::Legacy(Revision::NEWEST_LEGACY);
                    Client::connect(transport, Options { speak, ..options })
                }
                other => other,
            }
            .map_err(|failure| visible(&failure.to_string()).into_owned())
        },
        move || news.wake(),
    );
    let options = tui::Options { client: Some(link), ..super::open::options(None, true)? };
    let shown = screen.run(&feed, options);
    drop(feed);
    session.end();
    for session in sessions.try_iter() {
        session.end();
    }
    eprintln!("mcpscope: the trace is {}", trace.display());
    match shown {
        Ok(tui::End::Signal(signal)) => Ok(Outcome::Status(128u8.saturating_add(signal as u8))),
        Ok(_) => Ok(Outcome::Fine),
        Err(error) => Err(Failure::new(format!("the screen failed: {error}"))),
    }
}
