//! What an action does to the model. No IO, no drawing, no clock: what needs one of them is an [`Effect`].

mod client;
mod copy;
mod jump;
mod mouse;
mod places;
mod prompt;

use crossterm::event::MouseEvent;

use crate::trace::NONE;
use crate::wire::frame::Micros;

use super::action::Action;
use super::client::{Command, News};
use super::data::Data;
use super::detail::body::{Go, Look, Row};
use super::detail::{Detail, Stamp};
use super::home::Lists;
use super::key::Key;
use super::layout::{self, Areas};
use super::list::{Mode, Sel};
use super::model::{Await, Model, Pane, PromptKind, Tone};
use super::page::{Page, PageKind};
use super::theme::Theme;

pub use places::pick;
use places::{close, diff, home, leave, menu, worst_rule};
pub use prompt::palette as palette_entries;

/// What reaches the model.
#[derive(Debug)]
pub enum Msg {
    /// An action, from a key, the palette or a hint.
    Act(Action),
    /// A letter for an input line.
    Type(char),
    /// Pasted text.
    Paste(String),
    /// A key for the editor.
    Edit(Key),
    /// News from the client's worker.
    News(News),
    /// Newer lists for the start screen.
    Lists(Lists),
    /// The mouse.
    Mouse(MouseEvent),
    /// The terminal's size.
    Resize(u16, u16),
    /// The store may have changed.
    Wake,
    /// The trace's clock.
    Clock(Micros),
    /// The panes of a selection.
    Loaded(Box<Detail>),
    /// A page that was asked for.
    Opened(Box<Page>),
    /// Where a search ended: place in the list.
    Found(Option<usize>),
    /// A word about an effect.
    Done(Tone, String),
}

/// What the loop has to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Read the panes of a selection. Only the newest one counts.
    Load(Sel),
    /// Make a page.
    Open(PageKind),
    /// Find the next match from a place in the list.
    Find {
        /// Where to begin.
        from: usize,
        /// Downwards.
        forward: bool,
    },
    /// Put text on the clipboard.
    Copy {
        /// What it is, for the confirmation.
        what: &'static str,
        /// The text.
        text: String,
    },
    /// Write text to a file that must not exist.
    Save {
        /// Where.
        path: String,
        /// What.
        text: String,
    },
    /// The mouse for us, or for the terminal.
    Mouse(bool),
    /// Something for the client's worker.
    Client(Command),
    /// Draw everything again.
    Redraw,
    /// To the shell.
    Suspend,
}

/// Changes the model and says what is to be done.
pub fn update(m: &mut Model, msg: Msg, d: &Data<'_>) -> Vec<Effect> {
    let mut fx = Vec::new();
    match msg {
        Msg::Act(action) => act(m, action, d, &mut fx),
        Msg::Type(c) => typed(m, c, d, &mut fx),
        Msg::Paste(text) if m.prompt.is_none() => client::paste(m, &text),
        Msg::Paste(text) => prompt::paste(m, &text, d, &mut fx),
        Msg::Edit(key) => client::key(m, key),
        Msg::News(news) => client::news(m, news),
        Msg::Lists(lists) => {
            if let Some(home) = &mut m.home {
                home.refresh(lists);
            }
        }
        Msg::Mouse(event) => mouse::mouse(m, event, d, &mut fx),
        Msg::Resize(width, height) => {
            m.size = (width, height);
            m.drag = None;
        }
        Msg::Wake => wake(m, d),
        Msg::Clock(now) => m.now = now,
        Msg::Loaded(mut detail) => {
            if let Some(old) = m.detail.take().filter(|old| old.sel == detail.sel) {
                detail.inherit(old);
            } else if let Some(Look::Raw | Look::Hex) = m.detail.as_ref().map(|d| d.payload.look) {
                detail.payload.look = Look::Tree;
            }
            m.detail = Some(*detail);
        }
        Msg::Opened(page) => open_page(m, *page),
        Msg::Found(place) => match place {
            Some(place) => jump::to(m, d, place),
            None => m.say(Tone::Bad, "no other match"),
        },
        Msg::Done(tone, text) => m.say(tone, text),
    }
    settle(m, d, &mut fx);
    fx
}

/// What holds after every change: places are on the screen, rows fit the width, the panes are those of the selection.
fn settle(m: &mut Model, d: &Data<'_>, fx: &mut Vec<Effect>) {
    let findings_gone = m.focus == Pane::Findings && m.detail.as_ref().is_none_or(|d| d.findings.blocks.is_empty());
    if findings_gone {
        m.focus = Pane::Envelope;
    }
    let a = layout::areas(m);
    m.list.keep_in_view(a.height(Pane::List));
    for pane in [Pane::Envelope, Pane::Payload, Pane::Findings] {
        let Some(area) = a.of(pane) else { continue };
        if let Some(body) = m.body_mut(pane) {
            // One column for the scroll bar.
            body.fit(area.body.width.saturating_sub(1));
            body.keep_in_view(usize::from(area.body.height));
        }
    }
    let page_height = usize::from(layout::page_body(&a).height);
    if let Some(page) = m.pages.last_mut() {
        page.keep_in_view(page_height);
    }
    if let Some(home) = &mut m.home {
        home.keep_in_view(usize::from(a.middle.height));
    }
    let tools_height = a.height(Pane::Tools).max(1);
    if let Some(c) = &mut m.client {
        c.top = c.top.min(c.cursor).max((c.cursor + 1).saturating_sub(tools_height));
    }
    match m.list.selected(d.store) {
        Some(sel) => {
            let stale = m.detail.as_ref().is_none_or(|x| x.sel != sel || x.stamp != Stamp::of(d, sel));
            if stale {
                fx.push(Effect::Load(sel));
            }
        }
        None => m.detail = None,
    }
}

/// New rows: the selection stays where it is, unless it follows.
fn wake(m: &mut Model, d: &Data<'_>) {
    m.seen = d.store.version;
    // Only when all that is there has been read is it known whether more will come. A trace that has ended is read from
    // its beginning; a live one is followed.
    if !m.placed && d.facts.progress.is_none() && (d.facts.live || !d.store.rows.is_empty()) {
        m.placed = true;
        m.list.follow &= d.facts.live;
        m.list.fresh = 0;
    }
    m.tally.update(d.store);
    expected(m, d);
    if m.list.follow && m.placed && !m.list.items.is_empty() {
        m.list.cursor = m.list.items.len() - 1;
    }
}

/// The call that was just sent is selected, and what comes after it does not take the cursor away.
fn expected(m: &mut Model, d: &Data<'_>) {
    let Some(from) = m.expect.filter(|_| m.list.mode == Mode::Exchanges) else { return };
    let first = m.list.items.partition_point(|i| i.at < from);
    let is_call = |item: &super::list::Item| match d.store.rows.get(item.at as usize) {
        Some(crate::trace::Row::Exchange(e)) => {
            d.store.exchanges.get(*e as usize).is_some_and(|e| d.store.method_of(e) == Some("tools/call"))
        }
        _ => false,
    };
    if let Some(offset) = m.list.items[first..].iter().position(is_call) {
        m.expect = None;
        m.list.cursor = first + offset;
        m.list.follow = false;
        m.list.fresh = 0;
    }
}

fn open_page(m: &mut Model, page: Page) {
    match m.pages.last_mut() {
        // The same page again, with newer facts: the place stays.
        Some(top) if top.kind == page.kind => {
            let (cursor, from, left) = (top.cursor, top.top, top.left);
            *top = page;
            (top.cursor, top.top, top.left) = (cursor, from, left);
        }
        _ => m.pages.push(page),
    }
}

fn typed(m: &mut Model, c: char, d: &Data<'_>, fx: &mut Vec<Effect>) {
    match m.awaiting.take() {
        Some(Await::SetMark) => {
            if let Some(sel) = m.list.selected(d.store) {
                m.marks.insert(c, sel);
                m.say(Tone::Fine, format!("marked {c}; ' {c} comes back here, d compares with the last mark"));
            }
        }
        Some(Await::GoMark) => match m.marks.get(&c).copied() {
            Some(sel) => jump::to_sel(m, d, sel),
            None => m.say(Tone::Bad, format!("there is no mark {c}")),
        },
        None if m.prompt.is_some() => prompt::insert(m, &c.to_string(), d, fx),
        None => {}
    }
}

fn act(m: &mut Model, action: Action, d: &Data<'_>, fx: &mut Vec<Effect>) {
    m.note = None;
    m.awaiting = None;
    if m.prompt.is_some() {
        prompt::act(m, action, d, fx);
        return;
    }
    if m.menu.is_some() && menu(m, action, d, fx) {
        return;
    }
    if client::act(m, action, d, fx) || home(m, action) {
        return;
    }
    let a = layout::areas(m);
    match action {
        Action::Down => step(m, &a, 1),
        Action::Up => step(m, &a, -1),
        Action::HalfDown => step(m, &a, half(m, &a)),
        Action::HalfUp => step(m, &a, -half(m, &a)),
        Action::PageDown => step(m, &a, half(m, &a) * 2 - 1),
        Action::PageUp => step(m, &a, 1 - half(m, &a) * 2),
        Action::First => {
            jump::note(m, d);
            step(m, &a, isize::MIN / 2);
        }
        Action::Last => {
            jump::note(m, d);
            step(m, &a, isize::MAX / 2);
            if m.pages.is_empty() && m.focus == Pane::List {
                m.list.follow = true;
                m.list.fresh = 0;
            }
        }
        Action::Left => left(m),
        Action::Right => right(m),
        Action::Enter => enter(m, d, fx),
        Action::NextPane => next_pane(m, 1),
        Action::PrevPane => next_pane(m, -1),
        Action::Zoom => m.zoom = !m.zoom,
        Action::Grow => m.list_share = (m.list_share + 60).min(850),
        Action::Shrink => m.list_share = m.list_share.saturating_sub(60).max(120),
        Action::Filter => prompt::open(m, PromptKind::Filter),
        Action::Search => prompt::open(m, PromptKind::Highlight),
        Action::Palette => prompt::open(m, PromptKind::Palette),
        Action::Save => prompt::open(m, PromptKind::Save),
        Action::OpenFile => prompt::open(m, PromptKind::OpenFile),
        Action::FilterThis => prompt::filter_this(m, d),
        Action::FilterToggle => {
            m.filter_on = !m.filter_on;
            prompt::apply_filter(m, d);
        }
        Action::Messages => toggle_mode(m, d),
        Action::NextError => jump::by(m, d, true, jump::is_error, "no error below"),
        Action::PrevError => jump::by(m, d, false, jump::is_error, "no error above"),
        Action::NextWarning => jump::by(m, d, true, jump::is_warning, "no warning below"),
        Action::PrevWarning => jump::by(m, d, false, jump::is_warning, "no warning above"),
        Action::NextMatch | Action::PrevMatch => {
            let forward = action == Action::NextMatch;
            if let Some(page) = m.pages.last_mut() {
                jump::in_page(page, &m.highlight, forward);
            } else if m.highlighter.is_none() && m.list.filter.is_none() {
                m.say(Tone::Bad, "nothing is searched for: / filters, ctrl-f highlights");
            } else {
                fx.push(Effect::Find { from: m.list.cursor, forward });
            }
        }
        Action::Partner => jump::partner(m, d),
        Action::NextOperation => jump::operation(m, d, true),
        Action::PrevOperation => jump::operation(m, d, false),
        Action::NextSame => jump::same(m, d, true),
        Action::PrevSame => jump::same(m, d, false),
        Action::Follow => {
            m.list.follow = !m.list.follow;
            if m.list.follow {
                m.list.fresh = 0;
                m.list.cursor = m.list.items.len().saturating_sub(1);
            }
        }
        Action::SetMark => m.awaiting = Some(Await::SetMark),
        Action::GoMark => m.awaiting = Some(Await::GoMark),
        Action::Back => jump::back(m, d),
        Action::Forward => jump::forward(m, d),
        Action::View => {
            if let Some(detail) = &mut m.detail {
                let look = match detail.payload.look {
                    Look::Tree => Look::Raw,
                    Look::Raw => Look::Hex,
                    Look::Hex => Look::Tree,
                };
                detail.payload.set_look(look);
            }
        }
        Action::FoldAll | Action::UnfoldAll => {
            let pane = m.focus;
            if let Some(body) = m.body_mut(pane) {
                body.fold_all(action == Action::UnfoldAll);
            }
        }
        Action::Copy => copy::menu(m),
        Action::Findings => page(m, PageKind::Findings, fx),
        Action::Stats => page(m, PageKind::Stats, fx),
        Action::Catalogue => page(m, PageKind::Catalogue, fx),
        Action::Lanes => page(m, PageKind::Lanes, fx),
        Action::Help => page(m, PageKind::Help, fx),
        Action::Rule => match worst_rule(m, d) {
            Some(rule) => page(m, PageKind::Rule(rule), fx),
            None => m.say(Tone::Fine, "no finding here"),
        },
        Action::Why => match selected_exchange(m, d) {
            Some(e) => page(m, PageKind::Why(e), fx),
            None => m.say(Tone::Bad, "this is no request"),
        },
        Action::Schema => match selected_exchange(m, d) {
            Some(e) => page(m, PageKind::Schema(e), fx),
            None => m.say(Tone::Bad, "this is no call"),
        },
        Action::Diff => diff(m, d, fx),
        Action::Theme => {
            let names: Vec<_> = Theme::names().collect();
            let next = names.iter().position(|n| *n == m.theme.name).map_or(0, |i| (i + 1) % names.len());
            if let Some(theme) = names.get(next).and_then(|n| Theme::named(n)) {
                m.say(Tone::Fine, format!("theme {}", theme.name));
                m.theme = theme;
            }
        }
        Action::Mouse => {
            m.mouse = !m.mouse;
            fx.push(Effect::Mouse(m.mouse));
            m.say(
                Tone::Fine,
                if m.mouse { "the mouse is mcpscope's" } else { "the mouse is the terminal's: select and copy" },
            );
        }
        Action::Redraw => fx.push(Effect::Redraw),
        Action::Suspend => fx.push(Effect::Suspend),
        Action::Close => {
            if !close(m, d) {
                leave(m);
            }
        }
        Action::Cancel => {
            close(m, d);
        }
        Action::Quit => m.quit = true,
        Action::Call | Action::Resend | Action::Send | Action::SendAnyway => {
            m.say(Tone::Bad, "mcpscope is not the client here: attach -- COMMAND makes it one");
        }
        Action::Demo | Action::Wrap | Action::Pin => {}
        Action::Accept
        | Action::Complete
        | Action::HistoryUp
        | Action::HistoryDown
        | Action::CursorLeft
        | Action::CursorRight
        | Action::CursorHome
        | Action::CursorEnd
        | Action::DeleteBack
        | Action::DeleteWord
        | Action::DeleteAll => {}
    }
}

fn page(m: &mut Model, kind: PageKind, fx: &mut Vec<Effect>) {
    // A second press closes it.
    if m.page_kind() == Some(&kind) {
        m.pages.pop();
    } else {
        fx.push(Effect::Open(kind));
    }
}

/// Moves the cursor of whatever has the keys.
fn step(m: &mut Model, a: &Areas, by: isize) {
    if let Some(page) = m.pages.last_mut() {
        page.cursor = moved(page.cursor, by, page.lines.len());
        return;
    }
    if m.focus == Pane::List {
        let was = m.list.cursor;
        let place = moved(m.list.cursor, by, m.list.items.len());
        m.list.go(place, a.height(Pane::List));
        if place < was {
            m.list.follow = false;
        } else if m.list.at_end() && by > 0 && !m.list.follow {
            m.list.follow = true;
            m.list.fresh = 0;
        }
        return;
    }
    if m.focus == Pane::Tools {
        if let Some(c) = &mut m.client {
            c.cursor = moved(c.cursor, by, c.tools.len());
        }
        return;
    }
    let (pane, height) = (m.focus, a.height(m.focus));
    if let Some(body) = m.body_mut(pane) {
        let place = moved(body.cursor, by, body.rows.len());
        body.go(place, height);
    }
}

fn moved(from: usize, by: isize, len: usize) -> usize {
    from.saturating_add_signed(by).min(len.saturating_sub(1))
}

fn half(m: &Model, a: &Areas) -> isize {
    let height = if m.pages.is_empty() { a.height(m.focus) } else { usize::from(layout::page_body(a).height) };
    (height / 2).max(1) as isize
}

fn left(m: &mut Model) {
    if let Some(page) = m.pages.last_mut() {
        page.left = page.left.saturating_sub(8);
        return;
    }
    let pane = m.focus;
    if let Some(body) = m.body_mut(pane)
        && !body.fold(false)
        && let Some(row) = body.parent_row()
    {
        body.cursor = row;
    }
}

fn right(m: &mut Model) {
    if let Some(page) = m.pages.last_mut() {
        page.left = (page.left + 8)
            .min(page.lines.iter().map(|l| l.text.iter().map(|(_, s)| s.len()).sum()).max().unwrap_or(0));
        return;
    }
    let pane = m.focus;
    if let Some(body) = m.body_mut(pane)
        && !body.fold(true)
    {
        body.show_more();
    }
}

fn enter(m: &mut Model, d: &Data<'_>, fx: &mut Vec<Effect>) {
    if let Some(page) = m.pages.last() {
        if let Some(go) = page.lines.get(page.cursor).and_then(|l| l.go.clone()) {
            follow_link(m, d, go, fx);
        }
        return;
    }
    if m.focus == Pane::List {
        m.focus = Pane::Payload;
        return;
    }
    if m.focus == Pane::Tools {
        return client::open(m);
    }
    let pane = m.focus;
    let Some(body) = m.body_mut(pane) else { return };
    let go = match body.row() {
        Some(Row::Line(i)) => match body.blocks.get(*i) {
            Some(super::detail::body::Block::Line(_, go)) => go.clone(),
            _ => None,
        },
        Some(Row::Pin { pin, .. }) => body.pins.get(*pin).map(|p| Go::Rule(p.rule)),
        Some(Row::More { .. }) => {
            body.show_more();
            None
        }
        Some(Row::Node { .. } | Row::Text { .. }) => {
            if !body.fold(false) {
                body.fold(true);
            }
            None
        }
        _ => None,
    };
    if let Some(go) = go {
        follow_link(m, d, go, fx);
    }
}

fn follow_link(m: &mut Model, d: &Data<'_>, go: Go, fx: &mut Vec<Effect>) {
    match go {
        Go::Rule(rule) => fx.push(Effect::Open(PageKind::Rule(rule))),
        Go::Sel(sel) => {
            m.pages.clear();
            jump::to_sel(m, d, sel);
        }
        Go::Finding(index) => {
            if let Some(f) = d.store.finding(index) {
                let exchange = d.store.record(f.record).map_or(NONE, |r| r.exchange);
                let sel = if exchange == NONE { Sel::Record(f.record) } else { Sel::Exchange(exchange) };
                m.pages.clear();
                jump::to_sel(m, d, sel);
            }
        }
    }
}

fn next_pane(m: &mut Model, by: isize) {
    if !m.pages.is_empty() {
        return;
    }
    let mut order = vec![Pane::List, Pane::Envelope, Pane::Payload];
    let tools = m.client.is_some();
    if m.detail.as_ref().is_some_and(|d| !d.findings.blocks.is_empty()) {
        order.push(Pane::Findings);
    }
    if m.detail.is_none() {
        order.truncate(1);
    }
    if tools {
        order.insert(0, Pane::Tools);
    }
    let at = order.iter().position(|p| *p == m.focus).unwrap_or(0) as isize;
    m.focus = order[(at + by).rem_euclid(order.len() as isize) as usize];
}

/// Exchanges or messages; the selection goes with it.
fn toggle_mode(m: &mut Model, d: &Data<'_>) {
    let sel = m.list.selected(d.store);
    std::mem::swap(&mut m.list, &mut m.other);
    m.list.follow = m.other.follow;
    m.list.filter = m.other.filter.clone();
    m.list.restart();
    m.list.scan(d, usize::MAX / 2);
    let wanted = sel.map(|sel| match (sel, m.list.mode) {
        (Sel::Exchange(e), Mode::Messages) => d.store.exchanges.get(e as usize).map_or(sel, |e| Sel::Record(e.first())),
        (Sel::Record(r), Mode::Exchanges) => match d.store.record(r).map_or(NONE, |r| r.exchange) {
            NONE => sel,
            e => Sel::Exchange(e),
        },
        _ => sel,
    });
    if let Some((place, _)) = wanted.and_then(|sel| m.list.place_of(d.store, sel)) {
        m.list.cursor = place;
    }
}

fn selected_exchange(m: &Model, d: &Data<'_>) -> Option<u32> {
    match m.list.selected(d.store)? {
        Sel::Exchange(e) => Some(e),
        Sel::Record(r) => d.store.record(r).map(|r| r.exchange).filter(|e| *e != NONE),
    }
}
