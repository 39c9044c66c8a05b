//! Pages over the screen: help, a rule, findings of the whole trace, statistics. Lines of our own text, some of which
//! lead somewhere.

use super::detail::body::{Go, Text};
use super::list::Sel;

/// What a page shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PageKind {
    /// Keys of the place where one was.
    Help,
    /// A rule of the catalogue.
    Rule(&'static str),
    /// All findings by layer and owner.
    Findings,
    /// Latency, errors, traffic.
    Stats,
    /// Tools, prompts, resources as listed.
    Catalogue,
    /// Exchanges on a time axis.
    Lanes,
    /// A long text.
    Text,
    /// Why a request is stuck.
    Why(u32),
    /// Two calls compared.
    Diff(Sel, Sel),
    /// The schema of a tool beside what was sent.
    Schema(u32),
}

/// One line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PageLine {
    /// Its pieces.
    pub text: Text,
    /// Where it leads.
    pub go: Option<Go>,
}

/// A page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// What it shows.
    pub kind: PageKind,
    /// Its title.
    pub title: String,
    /// Its lines.
    pub lines: Vec<PageLine>,
    /// The selected line.
    pub cursor: usize,
    /// The first line on the screen.
    pub top: usize,
    /// Columns scrolled to the right.
    pub left: usize,
}

impl Page {
    /// A page that begins at its top.
    pub fn new(kind: PageKind, title: impl Into<String>, lines: Vec<PageLine>) -> Page {
        Page { kind, title: title.into(), lines, cursor: 0, top: 0, left: 0 }
    }

    /// Scrolls so that the cursor is on the screen.
    pub fn keep_in_view(&mut self, height: usize) {
        let height = height.max(1);
        self.cursor = self.cursor.min(self.lines.len().saturating_sub(1));
        self.top = self.top.min(self.lines.len().saturating_sub(height));
        if self.cursor < self.top {
            self.top = self.cursor;
        } else if self.cursor >= self.top + height {
            self.top = self.cursor + 1 - height;
        }
    }

    /// All of it as plain text.
    pub fn text(&self) -> String {
        let line = |l: &PageLine| l.text.iter().map(|(_, s)| s.as_str()).collect::<String>();
        self.lines.iter().map(|l| line(l).trim_end().to_owned() + "\n").collect()
    }
}
