//! Draws the model. Reads, never changes; only what is visible is laid out.

mod body;
mod client;
mod home;
pub(crate) mod list;
mod pen;
mod popup;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::trace::Outcome;

use super::data::{Data, count, thousands};
use super::keymap::Keymap;
use super::layout::{self, Area, Areas};
use super::list::Mode;
use super::model::{Model, Pane, PromptKind, Tone};
use super::theme::Ink;

pub(crate) use pen::Pen;
pub use popup::menu_area;

/// Draws everything, and says where the terminal's cursor belongs.
pub fn view(m: &Model, d: &Data<'_>, keymap: &Keymap, buf: &mut Buffer) -> Option<Position> {
    let screen = buf.area;
    buf.set_style(screen, m.theme.get(Ink::Text));
    let a = layout::areas(m);
    title(m, d, &a, buf);
    if let Some(page) = m.page() {
        popup::page(m, page, &a, buf);
    } else if let Some(home) = &m.home {
        home::draw(m, home, a.middle, buf);
    } else {
        for area in &a.panes {
            pane(m, d, &a, *area, buf);
        }
        if a.divider.height > 0 {
            for y in a.divider.y..a.divider.bottom() {
                let sign = if y == a.divider.y { "┬" } else { "│" };
                buf.set_stringn(a.divider.x, y, sign, 1, m.theme.get(Ink::Rule));
            }
        }
        for y in a.side.y..a.side.bottom() {
            buf.set_stringn(a.side.x, y, "│", 1, m.theme.get(Ink::Rule));
        }
        if let Some(reason) = m.detail.as_ref().and_then(|d| d.reason.as_ref()).filter(|_| a.reason.height > 0) {
            let mut pen = Pen::new(buf, &m.theme, a.reason, 0);
            pen.put(reason.ink, &format!(" {}: ", reason.lead)).put(Ink::Text, &reason.text);
        }
    }
    highlight(m, a.middle, buf);
    let cursor = popup::bottom(m, d, keymap, &a, buf);
    if let Some(editor) = m.client.as_ref().and_then(|c| c.editor.as_ref()) {
        client::editor(m, editor, buf);
    }
    if let Some(menu) = &m.menu {
        popup::menu(m, menu, buf);
    }
    if !m.pending.is_empty() {
        popup::pending(m, keymap, &a, buf);
    }
    if m.prompt.as_ref().is_some_and(|p| p.kind == PromptKind::Palette) {
        popup::palette(m, keymap, &a, buf);
    }
    cursor
}

fn title(m: &Model, d: &Data<'_>, a: &Areas, buf: &mut Buffer) {
    let mut pen = Pen::new(buf, &m.theme, a.title, 0);
    pen.fill(Ink::Bar);
    let wide = m.size.0 >= 90;
    if m.home.is_some() {
        pen.put(Ink::BarStrong, " mcpscope ")
            .put(Ink::Bar, "  what goes over the wire between MCP clients and servers");
        return;
    }
    pen.put(Ink::BarStrong, " mcpscope ").put(Ink::BarStrong, &d.facts.name);
    let revision = d.store.sessions.iter().rev().find_map(|s| s.revision);
    let about: Vec<String> =
        [(wide && !d.facts.transport.is_empty()).then(|| d.facts.transport.clone()), revision.map(|r| r.to_string())]
            .into_iter()
            .flatten()
            .collect();
    if !about.is_empty() {
        pen.put(Ink::Bar, &format!(" ({})", about.join(", ")));
    }
    if m.client.is_some() {
        let words = if wide { "● you are the client, no host is connected" } else { "● client: you" };
        pen.put(Ink::Bar, "  ").put(Ink::Live, words);
    } else if d.facts.live {
        pen.put(Ink::Bar, "  ").put(Ink::Live, "● live");
    }
    if let Some(percent) = d.facts.progress {
        pen.put(Ink::Bar, &format!("  reading {percent} %"));
    }
    pen.put(Ink::Bar, "  ");
    let t = &m.tally;
    pen.put(Ink::Bar, &if wide { count(t.requests(), "exchange") } else { thousands(t.requests()) });
    let mut say = |n: usize, ink: Ink, one: &str, many: &str| {
        if n > 0 {
            pen.put(Ink::Bar, "  ").put(ink, &format!("{} {}", thousands(n), if n == 1 { one } else { many }));
        }
    };
    let pending = t
        .open()
        .iter()
        .filter(|e| d.store.exchanges.get(**e as usize).is_some_and(|e| e.outcome == Outcome::Pending))
        .count();
    say(pending, Ink::Pending, "pending", "pending");
    say(t.of(Outcome::ProtocolError) + t.of(Outcome::Refused), Ink::ProtocolError, "error", "errors");
    say(t.of(Outcome::ToolError), Ink::ToolError, "tool error", "tool errors");
    say(t.of(Outcome::Unanswered), Ink::Odd, "unanswered", "unanswered");
    say(d.facts.faults as usize, Ink::Warning, "bad line", "bad lines");
    if let Some(why) = &d.facts.failed {
        pen.put(Ink::Bar, "  ").put(Ink::Error, why);
    }
}

fn pane(m: &Model, d: &Data<'_>, a: &Areas, area: Area, buf: &mut Buffer) {
    let focused = m.focus == area.pane && m.prompt.is_none() && m.menu.is_none();
    head(m, d, area, focused, buf);
    match area.pane {
        Pane::List => list::draw(m, d, a.columns, area.body, focused, buf),
        Pane::Tools => {
            if let Some(c) = &m.client {
                client::tools(m, c, area, focused, buf);
            }
        }
        pane => match m.body(pane) {
            Some(body) => body::draw(m, body, area.body, focused, buf),
            None => {
                let mut pen = Pen::new(buf, &m.theme, area.body, 0);
                pen.put(Ink::Dim, " nothing selected");
            }
        },
    }
}

/// The line with a pane's title: `─ payload ────────`.
fn head(m: &Model, d: &Data<'_>, area: Area, focused: bool, buf: &mut Buffer) {
    rule(m, area.head, buf);
    let ink = if focused { Ink::TitleFocus } else { Ink::Title };
    let mut pen = Pen::new(buf, &m.theme, area.head, 0);
    pen.skip(1);
    let (name, note) = match area.pane {
        Pane::List => {
            let name = if m.list.mode == Mode::Exchanges { "exchanges" } else { "messages" };
            (name, list_note(m, d))
        }
        Pane::Envelope => {
            let findings = m.detail.as_ref().map_or(0, |d| d.findings.pins.len() + lines_with_rule(d));
            let note = if findings > 0 && layout::areas(m).of(Pane::Findings).is_none() {
                format!("{} (tab)", count(findings, "finding"))
            } else {
                String::new()
            };
            ("envelope", note)
        }
        Pane::Payload => {
            let look = match m.detail.as_ref().map(|d| d.payload.look) {
                Some(super::detail::body::Look::Raw) => "as it came",
                Some(super::detail::body::Look::Hex) => "as it came, hex",
                _ => "",
            };
            ("payload", look.to_owned())
        }
        Pane::Findings => ("findings", String::new()),
        Pane::Tools => {
            let c = m.client.as_ref();
            let busy = c.map_or(0, |c| c.in_flight);
            (
                "tools",
                if busy > 0 { format!("{busy} in flight") } else { c.map_or(String::new(), |c| c.server.clone()) },
            )
        }
    };
    pen.put(ink, &format!(" {name} "));
    if m.size.0 < layout::STACKED && !matches!(area.pane, Pane::List | Pane::Tools) {
        pen.put(Ink::Dim, "tab: next pane ");
    }
    if !note.is_empty() {
        let has_filter = area.pane == Pane::List && m.list.filter.is_some();
        pen.put(if has_filter { Ink::Match } else { Ink::Dim }, &format!("{note} "));
    }
    if area.pane == Pane::List {
        let total = m.list.items.len();
        let at = if total == 0 { 0 } else { m.list.cursor + 1 };
        let mut right = vec![(Ink::Dim, format!(" {}/{} ", thousands(at), thousands(total)))];
        if d.facts.live || d.facts.progress.is_some() {
            if m.list.follow {
                right.push((Ink::Live, "follow ▼ ".to_owned()));
            } else if m.list.fresh > 0 {
                right.push((Ink::Pending, format!("paused, {} new ", thousands(m.list.fresh))));
            } else {
                right.push((Ink::Dim, "paused ".to_owned()));
            }
        }
        pen.right(&right, 1);
    } else if let Some(body) = m.body(area.pane) {
        let height = usize::from(area.body.height);
        if body.rows.len() > height && height > 0 {
            let percent = (body.top + height) * 100 / body.rows.len().max(1);
            pen.right(&vec![(Ink::Dim, format!(" {}% ", percent.min(100)))], 1);
        }
    }
}

/// A line across an area's first row.
pub(crate) fn rule(m: &Model, area: Rect, buf: &mut Buffer) {
    let area = area.intersection(buf.area);
    if area.height > 0 {
        for x in area.x..area.right() {
            buf.set_stringn(x, area.y, "─", 1, m.theme.get(Ink::Rule));
        }
    }
}

fn lines_with_rule(d: &super::detail::Detail) -> usize {
    use super::detail::body::{Block, Go};
    d.findings.blocks.iter().filter(|b| matches!(b, Block::Line(_, Some(Go::Rule(_))))).count() / 2
}

fn list_note(m: &Model, d: &Data<'_>) -> String {
    let mut note = String::new();
    if m.list.filter.is_some() {
        note = format!("filter: {}", m.filter);
        if !m.list.is_whole(d.store) {
            let total = m.list.total(d.store).max(1);
            note.push_str(&format!("  {} %", m.list.scanned * 100 / total));
        }
    } else if !m.filter.trim().is_empty() {
        note = format!("filter suspended: {}", m.filter);
    }
    note
}

/// Marks what the search found, wherever it is on the screen.
fn highlight(m: &Model, area: Rect, buf: &mut Buffer) {
    let needle: Vec<char> = m.highlight.trim().trim_matches('"').to_lowercase().chars().collect();
    if needle.is_empty() || m.highlighter.is_none() {
        return;
    }
    let area = area.intersection(buf.area);
    for y in area.y..area.bottom() {
        // One character a cell; wide ones leave an empty cell behind.
        let row: Vec<char> = (area.x..area.right())
            .map(|x| buf[(x, y)].symbol().chars().next().unwrap_or(' ').to_lowercase().next().unwrap_or(' '))
            .collect();
        let mut at = 0;
        while at + needle.len() <= row.len() {
            if row[at..at + needle.len()] == needle[..] {
                let found = Rect { x: area.x + at as u16, y, width: needle.len() as u16, height: 1 };
                buf.set_style(found, m.theme.get(Ink::Match));
                at += needle.len();
            } else {
                at += 1;
            }
        }
    }
}

/// A thin bar at the right edge that shows where one is.
pub(crate) fn scroll_bar(m: &Model, area: Rect, top: usize, len: usize, buf: &mut Buffer) {
    let area = area.intersection(buf.area);
    let height = usize::from(area.height);
    if len <= height || height < 2 || area.width == 0 {
        return;
    }
    let size = (height * height / len).max(1);
    let at = if len == height { 0 } else { (height - size) * top / (len - height) };
    for i in at..(at + size).min(height) {
        let y = area.y + i as u16;
        buf.set_stringn(area.right() - 1, y, "▐", 1, m.theme.get(Ink::Rule));
    }
}

pub(crate) fn tone_ink(tone: Tone) -> Ink {
    match tone {
        Tone::Fine => Ink::Ok,
        Tone::Bad => Ink::Warning,
    }
}
