//! What stands over the panes: pages, menus, the palette, and the bottom line with its hints and input lines.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr as _;

use crate::tui::action::Action;
use crate::tui::data::{Data, thousands};
use crate::tui::keymap::Keymap;
use crate::tui::layout::{self, Areas};
use crate::tui::model::{Await, Menu, Model, Pane, PromptKind};
use crate::tui::page::Page;
use crate::tui::theme::Ink;
use crate::tui::update::palette_entries;
use crate::wire::json::fit::width;

use super::Pen;

pub(super) fn page(m: &Model, page: &Page, a: &Areas, buf: &mut Buffer) {
    let area = layout::page_body(a);
    let head = Rect { height: 1.min(a.middle.height), ..a.middle };
    super::rule(m, head, buf);
    let mut pen = Pen::new(buf, &m.theme, head, 0);
    pen.skip(1).put(Ink::TitleFocus, &format!(" {} ", page.title));
    if page.lines.len() > usize::from(area.height) {
        pen.right(&vec![(Ink::Dim, format!(" {}/{} ", thousands(page.cursor + 1), thousands(page.lines.len())))], 1);
    }
    let needle = m.highlight.to_lowercase();
    for row in 0..area.height {
        let place = page.top + usize::from(row);
        let Some(line) = page.lines.get(place) else { break };
        let mut pen = Pen::new(buf, &m.theme, Rect { width: area.width.saturating_sub(1), ..area }, row);
        if place == page.cursor {
            pen.fill(Ink::Cursor);
        }
        pen.skip(1);
        let mut skip = page.left;
        for (ink, piece) in &line.text {
            let ink = if !needle.is_empty() && piece.to_lowercase().contains(&needle) { Ink::Match } else { *ink };
            let columns = width(piece);
            if skip >= columns {
                skip -= columns;
                continue;
            }
            let cut: String = piece.chars().skip(std::mem::take(&mut skip)).collect();
            pen.put(ink, &cut);
        }
    }
    super::scroll_bar(m, area, page.top, page.lines.len(), buf);
}

/// Where a menu stands: in the middle.
pub fn menu_area(size: (u16, u16), menu: &Menu) -> Rect {
    let (width, height) = size;
    let wide = menu.items.iter().map(|(_, t, _)| t.width() + 6).max().unwrap_or(0).max(menu.title.width() + 4) as u16;
    let w = (wide + 2).min(width);
    let h = (menu.items.len() as u16 + 2).min(height);
    Rect { x: (width - w) / 2, y: (height - h) / 2, width: w, height: h }
}

/// An empty box with a title.
pub(super) fn frame(m: &Model, area: Rect, title: &str, buf: &mut Buffer) {
    let area = area.intersection(buf.area);
    if area.width < 2 || area.height < 2 {
        return;
    }
    let style = m.theme.get(Ink::Popup);
    let rule = style.patch(m.theme.get(Ink::Rule));
    for y in area.y..area.bottom() {
        for x in area.x..area.right() {
            let cell = &mut buf[(x, y)];
            cell.reset();
            cell.set_style(style);
        }
        buf.set_stringn(area.x, y, "│", 1, rule);
        buf.set_stringn(area.right() - 1, y, "│", 1, rule);
    }
    for x in area.x + 1..area.right() - 1 {
        buf.set_stringn(x, area.y, "─", 1, rule);
        buf.set_stringn(x, area.bottom() - 1, "─", 1, rule);
    }
    for (x, y, sign) in [
        (area.x, area.y, "╭"),
        (area.right() - 1, area.y, "╮"),
        (area.x, area.bottom() - 1, "╰"),
        (area.right() - 1, area.bottom() - 1, "╯"),
    ] {
        buf.set_stringn(x, y, sign, 1, rule);
    }
    Pen::new(buf, &m.theme, Rect { x: area.x + 2, width: area.width.saturating_sub(3), ..area }, 0)
        .put(Ink::Title, &format!(" {title} "));
}

fn inside(area: Rect) -> Rect {
    Rect { x: area.x + 1, y: area.y + 1, width: area.width.saturating_sub(2), height: area.height.saturating_sub(2) }
}

pub(super) fn menu(m: &Model, menu: &Menu, buf: &mut Buffer) {
    let area = menu_area(m.size, menu);
    frame(m, area, &menu.title, buf);
    for (i, (letter, text, _)) in menu.items.iter().enumerate() {
        let mut pen = Pen::new(buf, &m.theme, inside(area), i as u16);
        if i == menu.cursor {
            pen.fill(Ink::Cursor);
        }
        pen.skip(1).put(Ink::HintKey, &letter.to_string()).skip(2).put(Ink::Text, text);
    }
}

/// What may follow the keys that were pressed.
pub(super) fn pending(m: &Model, keymap: &Keymap, a: &Areas, buf: &mut Buffer) {
    let next: Vec<_> = keymap.after(m.contexts(), &m.pending).collect();
    let height = (next.len() as u16 + 2).min(a.middle.height);
    let width = 56.min(a.middle.width);
    let area = Rect { x: a.middle.right() - width, y: a.middle.bottom() - height, width, height };
    let so_far: Vec<String> = m.pending.iter().map(ToString::to_string).collect();
    frame(m, area, &so_far.join(" "), buf);
    for (i, b) in next.iter().enumerate() {
        let rest: Vec<String> = b.keys[m.pending.len()..].iter().map(ToString::to_string).collect();
        Pen::new(buf, &m.theme, inside(area), i as u16)
            .skip(1)
            .column(Ink::HintKey, &rest.join(" "), 8, false)
            .put(Ink::Text, b.action.info().help);
    }
}

pub(super) fn palette(m: &Model, keymap: &Keymap, a: &Areas, buf: &mut Buffer) {
    let Some(p) = &m.prompt else { return };
    let found = palette_entries(m, &p.text);
    let height = (found.len() as u16 + 2).min(16).min(a.middle.height);
    let width = 84.min(a.middle.width);
    let area = Rect { x: 0, y: a.middle.bottom() - height, width, height };
    frame(m, area, "commands", buf);
    let rows = usize::from(height.saturating_sub(2)).max(1);
    let top = (p.cursor + 1).saturating_sub(rows);
    for (row, (i, info)) in found.iter().enumerate().skip(top).take(rows).enumerate() {
        let mut pen = Pen::new(buf, &m.theme, inside(area), row as u16);
        if i == p.cursor {
            pen.fill(Ink::Cursor);
        }
        let keys = [crate::tui::action::Ctx::List, crate::tui::action::Ctx::Body, crate::tui::action::Ctx::Global];
        pen.skip(1)
            .column(Ink::Accent, info.name, 19, false)
            .column(Ink::HintKey, &keymap.keys_of(&keys, info.action).unwrap_or_default(), 10, false)
            .put(Ink::Text, info.help);
    }
}

/// The bottom line: an input line, a note, or hints.
pub(super) fn bottom(m: &Model, d: &Data<'_>, keymap: &Keymap, a: &Areas, buf: &mut Buffer) -> Option<Position> {
    let mut pen = Pen::new(buf, &m.theme, a.hints, 0);
    pen.fill(Ink::Hint);
    if let Some(p) = &m.prompt {
        let label = match p.kind {
            PromptKind::Filter => " filter: ",
            PromptKind::Highlight => " highlight: ",
            PromptKind::Palette => " : ",
            PromptKind::OpenFile => " open: ",
            PromptKind::Save => " save as: ",
        };
        pen.put(Ink::HintKey, label);
        let x = pen.x();
        // What is behind the cursor must be in view: the line scrolls by graphemes.
        let room = pen.room().saturating_sub(2);
        let mut from = 0;
        while width(&p.text[from..p.at]) > room {
            from += p.text[from..].chars().next().map_or(1, char::len_utf8);
        }
        let cursor = Position { x: x + width(&p.text[from..p.at]) as u16, y: a.hints.y };
        pen.put(if p.fault.is_some() { Ink::Error } else { Ink::Text }, &p.text[from..]);
        if let Some(fault) = &p.fault {
            pen.put(Ink::Warning, &format!("   column {}: {}", fault.column + 1, fault.message));
        } else if p.kind == PromptKind::Filter {
            let n = m.list.items.len();
            let more = if m.list.is_whole(d.store) { "" } else { " so far …" };
            let text = if p.text.trim().is_empty() {
                "type to filter; tab completes, ↑ history".to_owned()
            } else {
                format!("{} match{more}", thousands(n))
            };
            pen.right(&vec![(Ink::Dim, format!("{text} "))], 2);
        }
        return Some(cursor);
    }
    if let Some(what) = m.awaiting {
        let text = match what {
            Await::SetMark => " a letter for this mark …",
            Await::GoMark => " to which mark? ",
        };
        pen.put(Ink::HintKey, text);
        if what == Await::GoMark {
            let names: Vec<String> = m.marks.keys().map(|c| c.to_string()).collect();
            pen.put(Ink::Hint, &names.join(" "));
        }
        return None;
    }
    if let Some((tone, text)) = &m.note {
        pen.put(super::tone_ink(*tone), &format!(" {text}"));
        return None;
    }
    hints(m, keymap, &mut pen);
    None
}

/// The most useful keys of the place, as many as fit.
fn hints(m: &Model, keymap: &Keymap, pen: &mut Pen<'_>) {
    use Action as A;
    let actions: &[Action] = if m.menu.is_some() {
        &[A::Enter, A::Cancel]
    } else if m.page().is_some() {
        &[A::Cancel, A::Enter, A::NextMatch, A::Copy, A::Save, A::Help]
    } else if m.home.is_some() {
        &[A::Enter, A::Wrap, A::Demo, A::OpenFile, A::Help, A::Close]
    } else if m.client.as_ref().is_some_and(crate::tui::client::Client::is_editing) {
        &[A::Send, A::Cancel]
    } else if m.focus == Pane::Tools {
        &[A::Help, A::Enter, A::NextPane, A::Filter, A::NextError, A::Catalogue, A::Stats, A::Close]
    } else if m.focus == Pane::List {
        &[
            A::Call,
            A::Help,
            A::Filter,
            A::NextError,
            A::NextWarning,
            A::Enter,
            A::NextPane,
            A::Partner,
            A::NextOperation,
            A::View,
            A::Findings,
            A::Copy,
            A::Diff,
            A::Schema,
            A::Messages,
            A::Stats,
            A::Catalogue,
            A::Follow,
            A::Close,
        ]
    } else {
        &[
            A::Help,
            A::Cancel,
            A::Enter,
            A::View,
            A::Copy,
            A::Rule,
            A::Partner,
            A::NextPane,
            A::FoldAll,
            A::NextError,
            A::Schema,
        ]
    };
    let words = |a: Action| match (a, m.focus, m.page().is_some()) {
        (A::Close, ..) => "quit",
        (A::NextMatch, _, true) => "next link",
        (A::Rule, ..) => "rule",
        (A::FoldAll, ..) => "fold all",
        (A::NextPane, ..) => "pane",
        (A::Enter, Pane::Tools, false) => "call",
        (A::Enter, Pane::List, false) if m.home.is_none() => "payload",
        (A::Enter, ..) => "open",
        (A::Save, ..) => "save",
        _ => a.info().hint,
    };
    for action in actions {
        let Some(keys) = keymap.keys_of(m.contexts(), *action) else { continue };
        let word = words(*action);
        if *action == A::Call && m.client.is_none() {
            continue;
        }
        if word.is_empty() || pen.room() < keys.width() + word.width() + 3 {
            continue;
        }
        pen.put(Ink::HintKey, &format!(" {keys}")).put(Ink::Hint, &format!(" {word} "));
    }
}
