//! The mouse: rows, panes, dividers, scrolling.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use crate::tui::action::Action;
use crate::tui::data::Data;
use crate::tui::layout;
use crate::tui::model::{Drag, Model, Pane};

use super::Effect;

/// Rows that one notch of the wheel moves.
const NOTCH: usize = 3;

pub(super) fn mouse(m: &mut Model, event: MouseEvent, d: &Data<'_>, fx: &mut Vec<Effect>) {
    let at = Position { x: event.column, y: event.row };
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => press(m, at, d, fx),
        MouseEventKind::Drag(MouseButton::Left) => drag(m, at),
        MouseEventKind::Up(_) => m.drag = None,
        MouseEventKind::ScrollDown => wheel(m, at, true),
        MouseEventKind::ScrollUp => wheel(m, at, false),
        _ => {}
    }
}

fn press(m: &mut Model, at: Position, d: &Data<'_>, fx: &mut Vec<Effect>) {
    m.note = None;
    if m.prompt.is_some() {
        return;
    }
    if let Some(menu) = m.menu.clone() {
        let area = crate::tui::view::menu_area(m.size, &menu);
        let row = usize::from(at.y.saturating_sub(area.y + 1));
        match menu.items.get(row).filter(|_| area.contains(at)) {
            Some((_, _, pick)) => super::pick(m, *pick, d, fx),
            None => m.menu = None,
        }
        return;
    }
    let a = layout::areas(m);
    if let Some(page) = m.pages.last_mut() {
        let area = layout::page_body(&a);
        if area.contains(at) {
            let row = page.top + usize::from(at.y - area.y);
            let again = row == page.cursor;
            if row < page.lines.len() {
                page.cursor = row;
                if again {
                    super::act(m, Action::Enter, d, fx);
                }
            }
        }
        return;
    }
    if a.divider.contains(at) {
        m.drag = Some(Drag::Panes);
        return;
    }
    for area in &a.panes {
        // The title of a lower pane is the divider below the list.
        if area.head.contains(at) {
            m.focus = area.pane;
            if area.pane != Pane::List && area.head.y > 1 && is_under_list(&a, area.head.y) {
                m.drag = Some(Drag::List);
            }
            return;
        }
        if !area.body.contains(at) {
            continue;
        }
        let row = usize::from(at.y - area.body.y);
        let had_focus = m.focus == area.pane;
        m.focus = area.pane;
        if area.pane == Pane::List {
            let place = m.list.top + row;
            if place < m.list.items.len() {
                m.list.follow = m.list.follow && place + 1 == m.list.items.len();
                m.list.cursor = place;
            }
        } else if let Some(body) = m.body_mut(area.pane) {
            let place = body.top + row;
            if place < body.rows.len() {
                let again = had_focus && body.cursor == place;
                body.cursor = place;
                if again {
                    super::act(m, Action::Enter, d, fx);
                }
            }
        }
        return;
    }
    if a.reason.contains(at) {
        super::act(m, Action::Rule, d, fx);
    }
}

fn is_under_list(a: &layout::Areas, y: u16) -> bool {
    a.of(Pane::List).is_some_and(|list| y == list.body.bottom() || y == list.body.bottom() + a.reason.height)
}

fn drag(m: &mut Model, at: Position) {
    let (width, height) = m.size;
    match m.drag {
        Some(Drag::List) => {
            let middle = u32::from(height.saturating_sub(2)).max(1);
            let share = u32::from(at.y.saturating_sub(1)) * 1000 / middle;
            m.list_share = (share as u16).clamp(120, 850);
        }
        Some(Drag::Panes) => {
            let share = u32::from(at.x) * 1000 / u32::from(width).max(1);
            m.envelope_share = (share as u16).clamp(150, 800);
        }
        None => {}
    }
}

fn wheel(m: &mut Model, at: Position, down: bool) {
    let scroll = |top: &mut usize, cursor: &mut usize, len: usize, height: usize| {
        let last = len.saturating_sub(height);
        *top = if down { (*top + NOTCH).min(last) } else { top.saturating_sub(NOTCH) };
        // The cursor stays on the screen.
        *cursor = (*cursor).clamp(*top, (*top + height.max(1)).min(len.max(1)) - 1);
    };
    let a = layout::areas(m);
    let page_height = usize::from(layout::page_body(&a).height);
    if let Some(page) = m.pages.last_mut() {
        let len = page.lines.len();
        scroll(&mut page.top, &mut page.cursor, len, page_height.max(1));
        return;
    }
    let Some(area) = a.panes.iter().copied().find(|p| p.body.contains(at) || p.head.contains(at)) else { return };
    let height = usize::from(area.body.height).max(1);
    if area.pane == Pane::List {
        let len = m.list.items.len();
        scroll(&mut m.list.top, &mut m.list.cursor, len, height);
        m.list.follow = down && m.list.at_end();
        if m.list.follow {
            m.list.fresh = 0;
        }
    } else if let Some(body) = m.body_mut(area.pane) {
        let len = body.rows.len();
        scroll(&mut body.top, &mut body.cursor, len, height);
    }
}
