//! The terminal: taken and given back on every way out.

use std::io::{self, Write, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};

/// Whether the terminal is ours now.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Raw mode and the alternate screen, for as long as it lives. Panics give the terminal back before they are printed.
#[derive(Debug)]
pub struct Guard(());

impl Guard {
    /// Takes the terminal.
    ///
    /// # Errors
    /// What the operating system says; then nothing is taken.
    pub fn take(mouse: bool) -> io::Result<Guard> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                give_back();
                before(info);
            }));
        });
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        let guard = Guard(());
        execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste, Hide)?;
        if mouse {
            execute!(stdout(), EnableMouseCapture)?;
        }
        Ok(guard)
    }

    /// The mouse for us, or for the terminal's own selection.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn mouse(&self, ours: bool) -> io::Result<()> {
        if ours { execute!(stdout(), EnableMouseCapture) } else { execute!(stdout(), DisableMouseCapture) }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back, once. Errors are of no use here: it may be gone.
pub fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(stdout(), DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
        let _ = stdout().flush();
    }
}
