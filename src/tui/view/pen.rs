//! Writes text into a line of the screen. All text goes through here, and nothing reaches a cell that a terminal would
//! execute: hostile characters are written out and styled as such.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr as _;

use crate::tui::detail::body::Text;
use crate::tui::theme::{Ink, Theme};
use crate::wire::json::fit::{Fitted, fit, fit_bytes};

/// A place on one line.
pub(crate) struct Pen<'b> {
    buf: &'b mut Buffer,
    theme: &'b Theme,
    x: u16,
    y: u16,
    end: u16,
    base: Style,
}

impl<'b> Pen<'b> {
    /// At the beginning of a row of an area; what does not fit the area is cut with `…`.
    pub(crate) fn new(buf: &'b mut Buffer, theme: &'b Theme, area: Rect, row: u16) -> Pen<'b> {
        let area = area.intersection(buf.area);
        let inside = row < area.height;
        let end = if inside { area.right() } else { area.x };
        Pen { buf, theme, x: area.x, y: area.y.saturating_add(row), end, base: Style::new() }
    }

    /// Fills the whole row with a style that all text on it keeps (cursor, bars).
    pub(crate) fn fill(&mut self, ink: Ink) -> &mut Self {
        let style = self.theme.get(ink);
        if self.end > self.x {
            self.buf.set_style(Rect { x: self.x, y: self.y, width: self.end - self.x, height: 1 }, style);
        }
        self.base = style;
        self
    }

    /// Columns left.
    pub(crate) fn room(&self) -> usize {
        usize::from(self.end.saturating_sub(self.x))
    }

    /// Where it stands.
    pub(crate) fn x(&self) -> u16 {
        self.x
    }

    fn style(&self, ink: Ink) -> Style {
        // The cursor's background and modifiers stay, the meaning's colour too.
        let style = self.theme.get(ink);
        let mut both = style.patch(Style { fg: None, ..self.base });
        if style.fg.is_none() && self.base.fg.is_some() {
            both.fg = self.base.fg;
        }
        both
    }

    fn fitted(&mut self, ink: Ink, fitted: &Fitted<'_>) {
        let style = self.style(ink);
        let hostile = self.theme.get(Ink::Hostile);
        let text = fitted.visible.text.as_ref();
        let mut at = 0;
        for mark in &fitted.visible.marks {
            let (start, end) = (mark.start.max(at).min(text.len()), mark.end.min(text.len()));
            self.cells(&text[at..start], style);
            self.cells(&text[start..end], hostile);
            at = end;
        }
        self.cells(&text[at..], style);
    }

    fn cells(&mut self, text: &str, style: Style) {
        if text.is_empty() || self.x >= self.end {
            return;
        }
        let (x, _) = self.buf.set_stringn(self.x, self.y, text, self.room(), style);
        self.x = x;
    }

    /// Writes text.
    pub(crate) fn put(&mut self, ink: Ink, text: &str) -> &mut Self {
        let room = self.room();
        if room > 0 {
            self.fitted(ink, &fit(text, room));
        }
        self
    }

    /// Writes bytes.
    pub(crate) fn bytes(&mut self, ink: Ink, bytes: &[u8]) -> &mut Self {
        let room = self.room();
        if room > 0 {
            self.fitted(ink, &fit_bytes(bytes, room));
        }
        self
    }

    /// Writes text into a column of a width, and goes behind it.
    pub(crate) fn column(&mut self, ink: Ink, text: &str, width: u16, right: bool) -> &mut Self {
        let width = width.min(self.end.saturating_sub(self.x));
        if width == 0 {
            return self;
        }
        let fitted = fit(text, usize::from(width));
        let start = self.x;
        if right {
            self.x += width - (fitted.columns as u16).min(width);
        }
        let end = std::mem::replace(&mut self.end, start + width);
        self.fitted(ink, &fitted);
        self.end = end;
        self.x = start + width;
        self
    }

    /// Moves on.
    pub(crate) fn skip(&mut self, columns: u16) -> &mut Self {
        self.x = self.x.saturating_add(columns).min(self.end);
        self
    }

    /// Writes pieces one after the other.
    pub(crate) fn text(&mut self, text: &Text) -> &mut Self {
        for (ink, piece) in text {
            self.put(*ink, piece);
        }
        self
    }

    /// Writes text at the right end, if at least `gap` columns stay free before it.
    pub(crate) fn right(&mut self, text: &Text, gap: usize) -> &mut Self {
        let width: usize = text.iter().map(|(_, t)| t.width()).sum();
        if self.room() >= width + gap {
            self.x = self.end - width as u16;
            self.text(text);
        }
        self
    }
}
