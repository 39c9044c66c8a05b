//! Makes pages. Each has a file; all read the store (and payloads where they must) and give lines.

mod catalogue;
mod diff;
mod findings;
mod help;
mod lanes;
mod rule;
mod schema;
mod stats;
pub mod why;

use super::action::Ctx;
use super::data::Data;
use super::detail::body::{Go, Text};
use super::keymap::Keymap;
use super::page::{Page, PageKind, PageLine};
use super::theme::Ink;

/// Makes a page.
pub fn build(kind: &PageKind, d: &Data<'_>, keymap: &Keymap, contexts: &[Ctx], width: u16) -> Option<Page> {
    let width = usize::from(width).saturating_sub(3).max(20);
    let (title, lines) = match kind {
        PageKind::Help => help::lines(keymap, contexts),
        PageKind::Rule(id) => rule::lines(id, width)?,
        PageKind::Findings => findings::lines(d),
        PageKind::Stats => stats::lines(d, width),
        PageKind::Catalogue => catalogue::lines(d, width),
        PageKind::Lanes => lanes::lines(d, width),
        PageKind::Why(exchange) => why::lines(d, *exchange)?,
        PageKind::Schema(exchange) => schema::lines(d, *exchange, width)?,
        PageKind::Diff(left, right) => diff::lines(d, *left, *right)?,
        PageKind::Text => return None,
    };
    Some(Page::new(kind.clone(), title, lines))
}

pub(super) fn line(text: Text) -> PageLine {
    PageLine { text, go: None }
}

pub(super) fn link(text: Text, go: Go) -> PageLine {
    PageLine { text, go: Some(go) }
}

pub(super) fn blank() -> PageLine {
    PageLine::default()
}

pub(super) fn heading(text: impl Into<String>) -> PageLine {
    line(vec![(Ink::Heading, text.into())])
}

/// Breaks a paragraph into lines of at most `width` columns.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    use unicode_width::UnicodeWidthStr as _;
    let mut lines = Vec::new();
    for paragraph in text.trim().split('\n') {
        let mut row = String::new();
        for word in paragraph.split_whitespace() {
            if !row.is_empty() && row.width() + 1 + word.width() > width {
                lines.push(std::mem::take(&mut row));
            }
            if !row.is_empty() {
                row.push(' ');
            }
            row.push_str(word);
        }
        lines.push(row);
    }
    lines
}
