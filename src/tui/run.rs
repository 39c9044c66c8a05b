//! The loop: waits, takes what is there (keys before data), updates, draws at most once in 16 ms and only if something
//! changed. Nothing ticks while nothing happens.

use std::io::{self, Write as _, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossterm::event::Event;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM};

use super::app::App;
use super::client::{Client, Link};
use super::data::{Data, Feed};
use super::home::{Choice, Home, Lists};
use super::keymap::Keymap;
use super::model::{Pane, Tone};
use super::terminal::Guard;
use super::theme::Theme;
use super::update::{Effect, Msg};

/// Between two drawings.
const FRAME: Duration = Duration::from_millis(16);
/// Between two drawings that only move a clock.
const CLOCK: Duration = Duration::from_millis(100);
/// Between two looks at what the start screen lists.
const LISTS: Duration = Duration::from_secs(2);

/// What wakes the loop.
enum Wake {
    Input(Event),
    Data,
    Signal(i32),
    Lost,
}

/// Wakes the loop from another thread. Cheap: while a wake is on its way, another one is none.
#[derive(Clone)]
pub struct Waker {
    send: Sender<Wake>,
    flying: Arc<AtomicBool>,
}

impl Waker {
    /// Something in the data may have changed.
    pub fn wake(&self) {
        if !self.flying.swap(true, Ordering::AcqRel) {
            let _ = self.send.send(Wake::Data);
        }
    }
}

impl std::fmt::Debug for Waker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waker").finish_non_exhaustive()
    }
}

/// What the user chose before the screen came up.
#[derive(Debug)]
pub struct Options {
    /// Colours.
    pub theme: Theme,
    /// Keys.
    pub keymap: Keymap,
    /// Takes the mouse.
    pub mouse: bool,
    /// A host is behind the tap: leaving asks.
    pub hosted: bool,
    /// mcpscope is the client, and this is its worker.
    pub client: Option<Link>,
    /// The start screen, and who lists what is on it. Asked again every two seconds.
    pub home: Option<Lister>,
}

/// Lists what the start screen shows.
pub struct Lister(pub Box<dyn Fn() -> Lists>);

impl std::fmt::Debug for Lister {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lister")
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            theme: Theme::from_env(|name| std::env::var(name).ok()),
            keymap: Keymap::default(),
            mouse: true,
            hosted: false,
            client: None,
            home: None,
        }
    }
}

/// How the screen ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The user left.
    Left,
    /// The user chose something on the start screen.
    Chose(Choice),
    /// A signal.
    Signal(i32),
    /// The terminal is gone.
    Lost,
}

/// A loop that is not running yet.
pub struct Screen {
    receive: Receiver<Wake>,
    waker: Waker,
}

impl Default for Screen {
    fn default() -> Screen {
        Screen::new()
    }
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen").finish_non_exhaustive()
    }
}

impl Screen {
    /// A loop with its waker.
    pub fn new() -> Screen {
        let (send, receive) = channel();
        Screen { receive, waker: Waker { send, flying: Arc::new(AtomicBool::new(false)) } }
    }

    /// For whoever brings data.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Shows a feed until the user leaves.
    ///
    /// # Errors
    /// When there is no terminal, or it cannot be written to.
    pub fn run(self, feed: &dyn Feed, options: Options) -> io::Result<End> {
        let size = crossterm::terminal::size()?;
        let mut guard = Guard::take(options.mouse)?;
        let mut terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
        input_thread(self.waker.send.clone());
        signal_thread(self.waker.send.clone())?;
        let mut app = App::new(size, options.theme, options.keymap);
        app.model.mouse = options.mouse;
        app.model.hosted = options.hosted;
        if options.client.is_some() {
            app.model.client = Some(Client::default());
            app.model.focus = Pane::Tools;
        }
        let lister = options.home;
        if let Some(list) = &lister {
            app.model.home = Some(Home::new((list.0)()));
        }
        let mut listed = Instant::now();
        let mut drawn: Option<Instant> = None;
        let mut dirty = true;
        let mut clock = false;
        let mut working = true;
        loop {
            let wait = if working {
                Some(Duration::ZERO)
            } else if dirty {
                Some(drawn.map_or(Duration::ZERO, |t| FRAME.saturating_sub(t.elapsed())))
            } else if clock {
                Some(drawn.map_or(Duration::ZERO, |t| CLOCK.saturating_sub(t.elapsed())))
            } else if lister.is_some() {
                Some(LISTS.saturating_sub(listed.elapsed()))
            } else {
                None
            };
            let first = match wait {
                None => self.receive.recv().ok(),
                Some(wait) => match self.receive.recv_timeout(wait) {
                    Ok(wake) => Some(wake),
                    Err(RecvTimeoutError::Timeout) => {
                        dirty |= clock && drawn.is_none_or(|t| t.elapsed() >= CLOCK);
                        None
                    }
                    Err(RecvTimeoutError::Disconnected) => return Ok(End::Lost),
                },
            };
            let mut inputs = Vec::new();
            let mut data = false;
            for wake in first.into_iter().chain(self.receive.try_iter()) {
                match wake {
                    Wake::Input(event) => inputs.push(event),
                    Wake::Data => data = true,
                    Wake::Signal(SIGCONT) => {
                        drop(guard);
                        guard = Guard::take(app.model.mouse)?;
                        wipe(&mut terminal)?;
                        dirty = true;
                    }
                    Wake::Signal(signal) => return Ok(End::Signal(signal)),
                    Wake::Lost => return Ok(End::Lost),
                }
            }
            if data {
                self.waker.flying.store(false, Ordering::Release);
            }
            dirty |= !inputs.is_empty();
            if let Some(list) = lister.as_ref().filter(|_| listed.elapsed() >= LISTS) {
                let mut lists = Some((list.0)());
                feed.look(&mut |d| {
                    if let Some(lists) = lists.take() {
                        app.msg(d, Msg::Lists(lists));
                    }
                });
                listed = Instant::now();
                dirty = true;
            }
            let news = options.client.as_ref().map(Link::news).unwrap_or_default();
            let resized = inputs.iter().any(|e| matches!(e, Event::Resize(..)));
            feed.look(&mut |d| {
                for event in inputs.drain(..) {
                    app.event(d, event);
                }
                for news in news.clone() {
                    app.msg(d, Msg::News(news));
                }
                if data || working {
                    // As many rows as fit into half a frame.
                    let began = Instant::now();
                    loop {
                        working = app.work(d);
                        if !working || began.elapsed() > FRAME / 2 {
                            break;
                        }
                    }
                    dirty = true;
                }
            });
            if resized {
                terminal.autoresize()?;
            }
            for effect in std::mem::take(&mut app.outside) {
                match effect {
                    Effect::Suspend => {
                        drop(guard);
                        // Stops here until somebody brings us back; SIGCONT then draws.
                        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TSTP);
                        guard = Guard::take(app.model.mouse)?;
                        wipe(&mut terminal)?;
                    }
                    Effect::Redraw => wipe(&mut terminal)?,
                    Effect::Client(command) => {
                        if !options.client.as_ref().is_some_and(|link| link.send(command)) {
                            feed.look(&mut |d| app.msg(d, Msg::Done(Tone::Bad, "the server has ended".into())));
                        }
                    }
                    Effect::Mouse(ours) => guard.mouse(ours)?,
                    other => {
                        let (tone, text) = outside(other);
                        feed.look(&mut |d| app.msg(d, Msg::Done(tone, text.clone())));
                    }
                }
            }
            if app.model.quit {
                return Ok(app.model.choice.take().map_or(End::Left, End::Chose));
            }
            if dirty && drawn.is_none_or(|t| t.elapsed() >= FRAME) {
                let mut failed = Ok(());
                feed.look(&mut |d| {
                    app.msg(d, Msg::Clock(now(d)));
                    app.before_draw(d);
                    failed = terminal
                        .draw(|frame| {
                            let cursor = app.draw(d, frame.buffer_mut());
                            if let Some(cursor) = cursor {
                                frame.set_cursor_position(cursor);
                            }
                        })
                        .map(|_| ());
                    clock = d.facts.live && app.has_clock(d.store);
                });
                failed?;
                drawn = Some(Instant::now());
                dirty = false;
            }
        }
    }
}

/// Clears the terminal and has the next drawing write every cell. `Terminal::clear` would ask the terminal where its cursor
/// is, and the thread that reads keys would take the answer.
fn wipe(terminal: &mut Terminal<CrosstermBackend<io::Stdout>>) -> io::Result<()> {
    let (width, height) = crossterm::terminal::size()?;
    terminal.resize(Rect { x: 0, y: 0, width, height })
}

/// The trace's clock: the wall clock's for a live one, the last record's for one that has ended.
fn now(d: &Data<'_>) -> i64 {
    let last = d.store.records.last().map_or(0, |r| r.t);
    let Some(created) = d.facts.created.filter(|_| d.facts.live) else { return last };
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_micros() as i64);
    (wall - created).max(last)
}

/// Where keys go: to the screen that runs now. One thread reads for all of them, because one that is still waiting when its
/// screen ends would take the next screen's first key.
static KEYS_TO: Mutex<Option<Sender<Wake>>> = Mutex::new(None);

fn input_thread(send: Sender<Wake>) {
    *KEYS_TO.lock().unwrap_or_else(PoisonError::into_inner) = Some(send);
    static READER: Once = Once::new();
    READER.call_once(|| {
        thread::spawn(|| {
            let tell = |wake: Wake| {
                if let Some(to) = &*KEYS_TO.lock().unwrap_or_else(PoisonError::into_inner) {
                    // Nobody may be there: between two screens.
                    let _ = to.send(wake);
                }
            };
            // Two failures in a row: the terminal is gone.
            let mut failures = 0;
            while failures < 2 {
                match crossterm::event::read() {
                    Ok(event) => {
                        failures = 0;
                        tell(Wake::Input(event));
                    }
                    Err(_) => failures += 1,
                }
            }
            tell(Wake::Lost);
        });
    });
}

fn signal_thread(send: Sender<Wake>) -> io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP, SIGINT, SIGCONT])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            if send.send(Wake::Signal(signal)).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Terminals cut or drop longer ones.
const CLIPBOARD: usize = 74_000;

/// Clipboard and files.
fn outside(effect: Effect) -> (Tone, String) {
    match effect {
        Effect::Copy { what, text } if text.len() > CLIPBOARD => {
            (Tone::Bad, format!("the {what} is too long for a terminal's clipboard ({} bytes)", text.len()))
        }
        Effect::Copy { what, text } => {
            let copied = crossterm::execute!(stdout(), crossterm::clipboard::CopyToClipboard::to_clipboard_from(&text));
            match copied.and_then(|()| stdout().flush()) {
                Ok(()) => {
                    (Tone::Fine, format!("{what} copied ({} bytes), if the terminal allows it (OSC 52)", text.len()))
                }
                Err(error) => (Tone::Bad, format!("could not copy: {error}")),
            }
        }
        Effect::Save { path, text } => {
            use std::os::unix::fs::OpenOptionsExt as _;
            let made = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
            match made.and_then(|mut file| file.write_all(text.as_bytes())) {
                Ok(()) => (Tone::Fine, format!("saved to {path} ({} bytes)", text.len())),
                Err(error) => (Tone::Bad, format!("{path}: {error}")),
            }
        }
        _ => (Tone::Fine, String::new()),
    }
}
