//! `mcpscope` alone: what is live, what was recorded, and one key each to go on. Without a terminal the same as a table.

use std::fs::File;
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::Path;

use super::{Outcome, demo, open};
use crate::error::{Failure, Result};
use crate::feed::Feed;
use crate::format::native::Reader;
use crate::paths::{self, State, TraceFile};
use crate::rules::Options;
use crate::tui::home::{Choice, Lists, Trace};
use crate::tui::{self, End, Still};

/// Traces that are listed.
const RECENT: usize = 100;
/// The header line of a trace is rarely longer.
const HEAD: usize = 8 << 10;

/// Shows the start screen, and what is chosen there, until the user leaves.
///
/// # Errors
/// When the screen fails, or a trace cannot be opened.
pub fn run() -> Result<Outcome> {
    if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
        return table();
    }
    let nothing = Still::read("", Vec::new());
    loop {
        let options = tui::Options { home: Some(tui::run::Lister(Box::new(lists))), ..open::options(None, true)? };
        let end = tui::Screen::new().run(&nothing, options);
        match end.map_err(|e| Failure::new(format!("the screen failed: {e}")))? {
            End::Chose(Choice::Open(path)) => {
                let feed = Feed::open(&path, Options::default())?;
                open::watch(feed, open::options(None, true)?)?;
            }
            End::Chose(Choice::Demo) => {
                demo::screen()?;
            }
            End::Chose(Choice::Pin(path, pinned)) => {
                paths::set_pinned(&path, pinned).map_err(|e| Failure::new(format!("{}: {e}", path.display())))?;
            }
            End::Chose(Choice::Wrap(host, server)) => {
                println!("write mcpscope attach -- before the command of {server:?} in the configuration of {host:?}");
                return Ok(Outcome::Fine);
            }
            End::Signal(signal) => return Ok(Outcome::Status(128u8.saturating_add(signal as u8))),
            End::Left | End::Lost => return Ok(Outcome::Fine),
        }
    }
}

fn lists() -> Lists {
    let mut lists = Lists::default();
    for file in paths::list(&State::new(None)).into_iter().take(RECENT) {
        let live = file.is_live();
        let trace = trace(&file);
        if live { lists.live.push(trace) } else { lists.recent.push(trace) }
    }
    lists
}

fn trace(file: &TraceFile) -> Trace {
    Trace {
        path: file.path.clone(),
        name: file.name.clone(),
        host: host(&file.path).unwrap_or_default(),
        when: when(&file.stem),
        exchanges: None,
        findings: None,
        size: file.len,
        pinned: paths::is_pinned(&file.path),
    }
}

/// The host's name in the header line.
fn host(path: &Path) -> Option<String> {
    let mut head = vec![0; HEAD];
    let n = File::open(path).and_then(|mut f| f.read(&mut head)).ok()?;
    let mut reader = Reader::new();
    reader.feed(&head[..n], &mut |_| ());
    reader.header()?.host.as_ref()?.name.clone()
}

/// The time in a file's name, in words of the local clock.
fn when(stem: &str) -> String {
    let at = |range: std::ops::Range<usize>| stem.get(range).unwrap_or_default();
    let text = format!("{}-{}-{}T{}:{}:{}Z", at(0..4), at(4..6), at(6..8), at(9..11), at(11..13), at(13..15));
    let Ok(time) = text.parse::<jiff::Timestamp>() else { return stem.to_owned() };
    let zone = jiff::tz::TimeZone::system();
    let (then, now) = (time.to_zoned(zone.clone()), jiff::Timestamp::now().to_zoned(zone));
    let clock = format!("{:02}:{:02}:{:02}", then.hour(), then.minute(), then.second());
    if then.date() == now.date() { format!("today {clock}") } else { format!("{} {clock}", then.date()) }
}

fn table() -> Result<Outcome> {
    let lists = lists();
    let mut out = Vec::new();
    for (title, traces) in [("LIVE", &lists.live), ("RECENT", &lists.recent)] {
        let _ = writeln!(out, "{title}");
        if traces.is_empty() {
            let _ = writeln!(out, "  nothing");
        }
        for t in traces {
            let _ = writeln!(
                out,
                "  {:<24} {:<16} {:<20} {:>8}  {}",
                t.name,
                t.host,
                t.when,
                tui::data::size(t.size),
                t.path.display()
            );
        }
    }
    super::written(std::io::stdout().lock().write_all(&out))?;
    Ok(Outcome::Fine)
}
