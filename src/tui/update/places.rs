//! What is open and how it is left: the start screen, menus, questions, pages; and what the cursor stands on.

use crate::tui::action::Action;
use crate::tui::data::Data;
use crate::tui::detail::body::Row;
use crate::tui::home::Choice;
use crate::tui::layout;
use crate::tui::list::Sel;
use crate::tui::model::{Menu, Model, Pane, Pick, Tone};
use crate::tui::page::PageKind;

use super::{Effect, copy, jump, prompt};

/// Actions of the start screen; false for those that are not.
pub(super) fn home(m: &mut Model, action: Action) -> bool {
    if !m.pages.is_empty() {
        return false;
    }
    let a = layout::areas(m);
    let half = (usize::from(a.middle.height) / 2).max(1) as isize;
    let Some(home) = &mut m.home else { return false };
    let choice = match action {
        Action::Enter => home.choice(),
        Action::Demo => Some(Choice::Demo),
        Action::Wrap => home.wrap(),
        Action::Pin => home.pin(),
        _ => {
            match action {
                Action::Down => home.step(1),
                Action::Up => home.step(-1),
                Action::HalfDown | Action::PageDown => home.step(half),
                Action::HalfUp | Action::PageUp => home.step(-half),
                Action::First => home.step(isize::MIN / 2),
                Action::Last => home.step(isize::MAX / 2),
                // The rest of the main screen has nothing to work on here.
                Action::Help | Action::Quit | Action::Suspend | Action::Redraw | Action::Theme | Action::Mouse => {
                    return false;
                }
                Action::OpenFile | Action::Close => return false,
                _ => {}
            }
            return true;
        }
    };
    match choice {
        Some(choice) => {
            m.choice = Some(choice);
            m.quit = true;
        }
        None if action == Action::Wrap => {
            m.say(Tone::Bad, "write mcpscope attach -- before a server's command in your host's configuration")
        }
        None => {}
    }
    true
}

pub(super) fn diff(m: &mut Model, d: &Data<'_>, fx: &mut Vec<Effect>) {
    let Some(sel) = m.list.selected(d.store) else { return };
    let marked = m.marks.values().last().copied().filter(|s| *s != sel);
    let other = marked.or_else(|| jump::counterpart(d.store, sel));
    match other {
        Some(other) => super::page(m, PageKind::Diff(other, sel), fx),
        None => m.say(Tone::Bad, "nothing to compare with: mark another row (m), or there is no same call before"),
    }
}

pub(super) fn worst_rule(m: &Model, d: &Data<'_>) -> Option<&'static str> {
    if let Some(body) = m.body(m.focus)
        && let Some(Row::Pin { pin, .. }) = body.row()
    {
        return body.pins.get(*pin).map(|p| p.rule);
    }
    let store = d.store;
    let all: Vec<u32> = match m.list.selected(store)? {
        Sel::Exchange(e) => store.findings_of_exchange(e),
        Sel::Record(r) => store.findings_of(r).map(|(i, _)| i).collect(),
    };
    all.into_iter().filter_map(|i| store.finding(i)).max_by_key(|f| f.severity).map(|f| f.rule)
}

/// Closes the innermost thing that is open. False where nothing was.
pub(super) fn close(m: &mut Model, d: &Data<'_>) -> bool {
    if m.menu.take().is_some() || m.pages.pop().is_some() {
        return true;
    }
    if m.zoom {
        m.zoom = false;
        return true;
    }
    if !matches!(m.focus, Pane::List | Pane::Tools) {
        m.focus = Pane::List;
        return true;
    }
    if m.highlighter.take().is_some() {
        m.highlight.clear();
        return true;
    }
    if m.list.filter.is_some() {
        m.filter.clear();
        prompt::apply_filter(m, d);
        return true;
    }
    false
}

pub(super) fn leave(m: &mut Model) {
    if !m.hosted {
        m.quit = true;
        return;
    }
    m.menu = Some(Menu {
        title: "a host uses this server through the tap".to_owned(),
        items: vec![
            ('d', "leave the screen, the tap goes on".to_owned(), Pick::Detach),
            ('s', "stop the server as well".to_owned(), Pick::Quit),
            ('c', "stay".to_owned(), Pick::Stay),
        ],
        cursor: 0,
    });
}

/// Keys of a menu. False where the key is not for it.
pub(super) fn menu(m: &mut Model, action: Action, d: &Data<'_>, fx: &mut Vec<Effect>) -> bool {
    let Some(menu) = &mut m.menu else { return false };
    let len = menu.items.len();
    match action {
        Action::Down => menu.cursor = (menu.cursor + 1) % len.max(1),
        Action::Up => menu.cursor = (menu.cursor + len.max(1) - 1) % len.max(1),
        Action::Enter => {
            let pick = menu.items.get(menu.cursor).map(|i| i.2);
            m.menu = None;
            if let Some(pick) = pick {
                self::pick(m, pick, d, fx);
            }
        }
        Action::Close | Action::Cancel => m.menu = None,
        Action::Quit | Action::Suspend | Action::Redraw => return false,
        _ => {}
    }
    true
}

/// Does what a menu entry says.
pub fn pick(m: &mut Model, pick: Pick, d: &Data<'_>, fx: &mut Vec<Effect>) {
    m.menu = None;
    match pick {
        Pick::Quit | Pick::Detach => m.quit = true,
        Pick::Stay => {}
        _ => match copy::text(m, pick, d) {
            Ok((what, text)) => fx.push(Effect::Copy { what, text }),
            Err(why) => m.say(Tone::Bad, why),
        },
    }
}
