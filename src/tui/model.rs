//! Everything the screen knows, as plain data. [`super::update`] changes it, [`super::view`] draws it.

use std::collections::BTreeMap;

use crate::trace::{Outcome, Store};
use crate::wire::frame::Micros;

use super::action::Ctx;
use super::detail::Detail;
use super::filter::{Fault, Matcher};
use super::key::Key;
use super::list::{List, Mode, Sel};
use super::page::{Page, PageKind};
use super::theme::Theme;

/// The panes of the main screen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pane {
    /// Exchanges or messages.
    List,
    /// What JSON-RPC and MCP carry.
    Envelope,
    /// What the tool sees.
    Payload,
    /// What is wrong.
    Findings,
    /// The server's tools, where mcpscope is the client.
    Tools,
}

/// What an input line is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PromptKind {
    /// Show only what matches.
    Filter,
    /// Mark what matches.
    Highlight,
    /// Find a command.
    Palette,
    /// Name of a file to open.
    OpenFile,
    /// Name of a file to write.
    Save,
}

/// An input line.
#[derive(Clone, PartialEq, Debug)]
pub struct Prompt {
    /// What for.
    pub kind: PromptKind,
    /// What is typed.
    pub text: String,
    /// Where the cursor is, in bytes.
    pub at: usize,
    /// What is wrong with it.
    pub fault: Option<Fault>,
    /// The text that was in force before.
    pub before: String,
    /// Place in the history while walking it.
    pub history: Option<usize>,
    /// The selected entry of the palette.
    pub cursor: usize,
}

/// What a menu entry does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pick {
    /// Copies the value under the cursor, as it came.
    CopyValue,
    /// Copies the value's text, unescaped.
    CopyText,
    /// Copies the JSON pointer.
    CopyPointer,
    /// Copies the message, as it came.
    CopyMessage,
    /// Copies the exchange as lines of a trace.
    CopyExchange,
    /// Copies what a page shows.
    CopyPage,
    /// Leaves.
    Quit,
    /// Leaves, and the tap goes on.
    Detach,
    /// Nothing.
    Stay,
}

/// A menu or a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Menu {
    /// Its title.
    pub title: String,
    /// Letter, words, what it does.
    pub items: Vec<(char, String, Pick)>,
    /// The selected one.
    pub cursor: usize,
}

/// What the next letter means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Await {
    /// The name of a mark to be set.
    SetMark,
    /// The name of a mark to go to.
    GoMark,
}

/// How a note is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// It worked.
    Fine,
    /// It did not.
    Bad,
}

/// Counts of outcomes, kept up to date by looking only at what is new or was open.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By outcome.
    pub by: [usize; Outcome::ALL.len()],
    scanned: usize,
    open: Vec<u32>,
}

impl Tally {
    /// Counts what came or changed since the last time.
    pub fn update(&mut self, store: &Store) {
        let by = &mut self.by;
        self.open.retain(|&e| {
            let Some(outcome) = store.exchanges.get(e as usize).map(|e| e.outcome) else { return false };
            if outcome.is_open() {
                return true;
            }
            by[outcome as usize] += 1;
            false
        });
        for (e, x) in store.exchanges.iter().enumerate().skip(self.scanned) {
            if x.outcome.is_open() {
                self.open.push(e as u32);
            } else {
                by[x.outcome as usize] += 1;
            }
        }
        self.scanned = store.exchanges.len();
    }

    /// Exchanges of an outcome.
    pub fn of(&self, outcome: Outcome) -> usize {
        self.by[outcome as usize]
    }

    /// Those that wait for an answer.
    pub fn open(&self) -> &[u32] {
        &self.open
    }

    /// All exchanges that began with a request.
    pub fn requests(&self) -> usize {
        use Outcome::{Notification, Orphan, Unreadable};
        let none = [Notification, Orphan, Unreadable].into_iter().map(|o| self.of(o)).sum::<usize>();
        self.by.iter().sum::<usize>() + self.open.len() - none
    }
}

/// Which divider is being dragged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Drag {
    /// Between list and panes.
    List,
    /// Between envelope and payload.
    Panes,
}

/// The screen.
#[derive(Debug)]
pub struct Model {
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The list.
    pub list: List,
    /// The list of the other mode, kept while away.
    pub other: List,
    /// Which pane has the keys.
    pub focus: Pane,
    /// One pane alone.
    pub zoom: bool,
    /// Rows of the list in thousandths of the height.
    pub list_share: u16,
    /// Columns of the envelope in thousandths of the width.
    pub envelope_share: u16,
    /// The panes of the selection; of an older one until the new one is read.
    pub detail: Option<Detail>,
    /// Pages over the screen, the last one on top.
    pub pages: Vec<Page>,
    /// The input line.
    pub prompt: Option<Prompt>,
    /// The menu.
    pub menu: Option<Menu>,
    /// Keys of an unfinished sequence.
    pub pending: Vec<Key>,
    /// What the next letter means.
    pub awaiting: Option<Await>,
    /// The filter as typed; in force while `filter_on`.
    pub filter: String,
    /// The filter is in force.
    pub filter_on: bool,
    /// Filters used before, newest last.
    pub history: Vec<String>,
    /// What is highlighted, as typed.
    pub highlight: String,
    /// The same, compiled.
    pub highlighter: Option<Matcher>,
    /// Marks.
    pub marks: BTreeMap<char, Sel>,
    /// Where the cursor was before jumps, newest last.
    pub back: Vec<Sel>,
    /// Where it was before going back, newest last.
    pub forward: Vec<Sel>,
    /// Counts for the title.
    pub tally: Tally,
    /// The trace's clock now.
    pub now: Micros,
    /// A word about the last action, until the next key.
    pub note: Option<(Tone, String)>,
    /// The mouse is ours.
    pub mouse: bool,
    /// A divider is being dragged.
    pub drag: Option<Drag>,
    /// The colours.
    pub theme: Theme,
    /// A tap with a host behind it: leaving asks.
    pub hosted: bool,
    /// The start screen, where there is no trace yet.
    pub home: Option<super::home::Home>,
    /// What the user chose on it.
    pub choice: Option<super::home::Choice>,
    /// The client's part: mcpscope is the client.
    pub client: Option<super::client::Client>,
    /// A call was sent: the first call on a row from here on becomes the selection.
    pub expect: Option<u32>,
    /// The first rows have come, and the cursor stands where it belongs.
    pub placed: bool,
    /// Rows of the store that have been seen.
    pub seen: u64,
    /// It is over.
    pub quit: bool,
}

impl Model {
    /// A screen of a size, in a theme.
    pub fn new(size: (u16, u16), theme: Theme) -> Model {
        Model {
            size,
            list: List::new(Mode::Exchanges),
            other: List::new(Mode::Messages),
            focus: Pane::List,
            zoom: false,
            // In a small terminal request and response need the rows more.
            list_share: if size.1 < 30 { 340 } else { 420 },
            envelope_share: 430,
            detail: None,
            pages: Vec::new(),
            prompt: None,
            menu: None,
            pending: Vec::new(),
            awaiting: None,
            filter: String::new(),
            filter_on: true,
            history: Vec::new(),
            highlight: String::new(),
            highlighter: None,
            marks: BTreeMap::new(),
            back: Vec::new(),
            forward: Vec::new(),
            tally: Tally::default(),
            now: 0,
            note: None,
            mouse: true,
            drag: None,
            theme,
            hosted: false,
            home: None,
            choice: None,
            client: None,
            expect: None,
            placed: false,
            seen: u64::MAX,
            quit: false,
        }
    }

    /// Where keys go, innermost first.
    pub fn contexts(&self) -> &'static [Ctx] {
        if self.prompt.is_some() {
            &[Ctx::Prompt]
        } else if self.menu.is_some() {
            &[Ctx::Menu, Ctx::Global]
        } else if self.client.as_ref().is_some_and(super::client::Client::is_editing) {
            &[Ctx::Edit]
        } else if !self.pages.is_empty() {
            &[Ctx::Page, Ctx::Global]
        } else if self.home.is_some() {
            &[Ctx::Home, Ctx::Global]
        } else if matches!(self.focus, Pane::List | Pane::Tools) {
            &[Ctx::List, Ctx::Global]
        } else {
            &[Ctx::Body, Ctx::Global]
        }
    }

    /// Letters are typed, not looked up.
    pub fn is_typing(&self) -> bool {
        self.prompt.is_some() || self.awaiting.is_some()
    }

    /// The page on top.
    pub fn page(&self) -> Option<&Page> {
        self.pages.last()
    }

    /// The kind of the page on top.
    pub fn page_kind(&self) -> Option<&PageKind> {
        self.page().map(|p| &p.kind)
    }

    /// The body of a pane.
    pub fn body(&self, pane: Pane) -> Option<&super::detail::body::Body> {
        let detail = self.detail.as_ref()?;
        match pane {
            Pane::List | Pane::Tools => None,
            Pane::Envelope => Some(&detail.envelope),
            Pane::Payload => Some(&detail.payload),
            Pane::Findings => Some(&detail.findings),
        }
    }

    /// The same, to be changed.
    pub fn body_mut(&mut self, pane: Pane) -> Option<&mut super::detail::body::Body> {
        let detail = self.detail.as_mut()?;
        match pane {
            Pane::List | Pane::Tools => None,
            Pane::Envelope => Some(&mut detail.envelope),
            Pane::Payload => Some(&mut detail.payload),
            Pane::Findings => Some(&mut detail.findings),
        }
    }

    /// Forgets everything that points into the trace.
    pub fn forget(&mut self) {
        self.list.restart();
        self.other.restart();
        self.list.cursor = 0;
        self.list.top = 0;
        self.detail = None;
        self.tally = Tally::default();
        self.marks.clear();
        self.back.clear();
        self.forward.clear();
        self.pages.clear();
    }

    /// Says something until the next key.
    pub fn say(&mut self, tone: Tone, text: impl Into<String>) {
        self.note = Some((tone, text.into()));
    }
}
