//! `mcpscope open FILE…`: a trace on the screen.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use clap::Args;

use super::Outcome;
use crate::error::{Failure, Result};
use crate::feed::Feed;
use crate::paths::{self, State};
use crate::rules;
use crate::tui::{self, End};

/// Arguments of `open`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  mcpscope open last\n  mcpscope open trace.jsonl\n  mcpscope open everything~1")]
pub struct Open {
    /// A file, `last`, a server's name, `NAME~1` for the run before, or `-` for standard input.
    file: PathBuf,
    /// Read the file as this format instead of what its content shows (see `mcpscope convert --help`).
    #[arg(long, alias = "format", value_name = "FORMAT")]
    from: Option<String>,
    /// Colours: dark, light, ansi, contrast, mono.
    #[arg(long)]
    theme: Option<String>,
    /// Leave the mouse to the terminal.
    #[arg(long)]
    no_mouse: bool,
}

/// Shows a trace until the user leaves.
///
/// # Errors
/// When the file cannot be read, or there is no terminal.
pub fn run(args: &Open) -> Result<Outcome> {
    if !std::io::stdout().is_terminal() {
        return Err(Failure::new("open needs a terminal").hint("without one, use: mcpscope list FILE"));
    }
    let name = args.file.to_string_lossy();
    let path = if name == "-" { args.file.clone() } else { paths::resolve(&State::new(None), &name)? };
    let feed = Feed::open_as(&path, args.from.as_deref(), rules::Options::default())?;
    watch(feed, options(args.theme.as_deref(), !args.no_mouse)?)
}

/// The default keys with the user's file over them: `mcpscope/keys.toml` in the configuration folder.
fn keymap() -> Result<tui::keymap::Keymap> {
    let var = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let folder = var("XDG_CONFIG_HOME").or_else(|| var("HOME").map(|h| h.join(".config")));
    let Some(path) = folder.map(|f| f.join("mcpscope/keys.toml")) else { return Ok(tui::keymap::Keymap::default()) };
    match std::fs::read_to_string(&path) {
        Ok(text) => tui::keymap::Keymap::with_user(&text)
            .map_err(|why| Failure::new(format!("{}: {why}", path.display())).hint("mend the file, or move it away")),
        Err(_) => Ok(tui::keymap::Keymap::default()),
    }
}

/// Shows a feed until the user leaves.
///
/// # Errors
/// When there is no terminal, or it cannot be written to.
pub fn watch(feed: Feed, options: tui::Options) -> Result<Outcome> {
    let screen = tui::Screen::new();
    let waker = screen.waker();
    feed.on_change(move || waker.wake());
    match screen.run(&feed, options) {
        Ok(End::Left | End::Lost | End::Chose(_)) => Ok(Outcome::Fine),
        Ok(End::Signal(signal)) => Ok(Outcome::Status(128u8.saturating_add(signal as u8))),
        Err(error) => Err(Failure::new(format!("the screen failed: {error}"))),
    }
}

/// The user's choices for a screen.
///
/// # Errors
/// When there is no such theme.
pub fn options(theme: Option<&str>, mouse: bool) -> Result<tui::Options> {
    let mut options = tui::Options { mouse, keymap: keymap()?, ..tui::Options::default() };
    if let Some(name) = theme {
        options.theme = tui::theme::Theme::named(name).ok_or_else(|| {
            let names: Vec<_> = tui::theme::Theme::names().collect();
            Failure::new(format!("there is no theme {name}")).hint(format!("there are {}", names.join(", ")))
        })?;
    }
    Ok(options)
}
