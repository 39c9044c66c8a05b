//! Jumps: to errors, matches, partners, marks, and back again.

use crate::trace::{NONE, Outcome, RecordKind, Severity, Store};
use crate::tui::data::Data;
use crate::tui::detail::body::{Block, Row};
use crate::tui::layout;
use crate::tui::list::{Mode, Sel};
use crate::tui::model::{Model, Pane, Tone};
use crate::tui::page::Page;

/// Jumps remembered.
const DEPTH: usize = 200;

/// Remembers the place, so that one can come back.
pub(super) fn note(m: &mut Model, d: &Data<'_>) {
    if !m.pages.is_empty() || m.focus != Pane::List {
        return;
    }
    if let Some(sel) = m.list.selected(d.store) {
        remember(&mut m.back, sel);
        m.forward.clear();
    }
}

fn remember(stack: &mut Vec<Sel>, sel: Sel) {
    if stack.last() != Some(&sel) {
        stack.push(sel);
    }
    if stack.len() > DEPTH {
        stack.remove(0);
    }
}

/// To a place in the list.
pub(super) fn to(m: &mut Model, d: &Data<'_>, place: usize) {
    if let Some(sel) = m.list.selected(d.store) {
        remember(&mut m.back, sel);
        m.forward.clear();
    }
    land(m, place);
}

fn land(m: &mut Model, place: usize) {
    let height = layout::areas(m).height(Pane::List);
    m.list.follow = false;
    let far = place < m.list.top || place >= m.list.top + height;
    m.list.go(place, height);
    if far {
        // With something to see above and below.
        m.list.top = place.saturating_sub(height / 3).min(m.list.items.len().saturating_sub(height));
    }
}

/// To something, if it is shown.
pub(super) fn to_sel(m: &mut Model, d: &Data<'_>, sel: Sel) {
    match m.list.place_of(d.store, sel) {
        Some((place, true)) => to(m, d, place),
        _ => m.say(Tone::Bad, "hidden by the filter: \\ suspends it"),
    }
}

fn go_sel(m: &mut Model, d: &Data<'_>, sel: Sel) {
    if let Some((place, _)) = m.list.place_of(d.store, sel) {
        land(m, place);
    }
}

/// Back to where the cursor was.
pub(super) fn back(m: &mut Model, d: &Data<'_>) {
    let Some(sel) = m.back.pop() else { return m.say(Tone::Bad, "no earlier place") };
    if let Some(now) = m.list.selected(d.store) {
        remember(&mut m.forward, now);
    }
    go_sel(m, d, sel);
}

/// Forward again.
pub(super) fn forward(m: &mut Model, d: &Data<'_>) {
    let Some(sel) = m.forward.pop() else { return m.say(Tone::Bad, "no later place") };
    if let Some(now) = m.list.selected(d.store) {
        remember(&mut m.back, now);
    }
    go_sel(m, d, sel);
}

/// To the next row that is something.
pub(super) fn by(m: &mut Model, d: &Data<'_>, down: bool, is: fn(&Store, Sel) -> bool, none: &str) {
    let wanted = |place: &usize| m.list.sel_at(d.store, *place).is_some_and(|sel| is(d.store, sel));
    let found = if down {
        (m.list.cursor + 1..m.list.items.len()).find(wanted)
    } else {
        (0..m.list.cursor.min(m.list.items.len())).rev().find(wanted)
    };
    match found {
        Some(place) => to(m, d, place),
        None => m.say(Tone::Bad, none),
    }
}

fn worst(store: &Store, sel: Sel) -> Option<Severity> {
    match sel {
        Sel::Exchange(e) => store.worst_of_exchange(e),
        Sel::Record(r) => Severity::from_rank(store.record(r)?.worst),
    }
}

/// Failed, unreadable, or with a finding that is an error.
pub(super) fn is_error(store: &Store, sel: Sel) -> bool {
    use Outcome::{Orphan, ProtocolError, Refused, ToolError, Unreadable};
    let failed = match sel {
        Sel::Exchange(e) => store
            .exchanges
            .get(e as usize)
            .is_some_and(|e| matches!(e.outcome, ToolError | ProtocolError | Refused | Orphan | Unreadable)),
        Sel::Record(r) => store.record(r).is_some_and(|r| matches!(r.kind, RecordKind::Error | RecordKind::Unreadable)),
    };
    failed || worst(store, sel) == Some(Severity::Error)
}

/// With a finding that is a warning or worse.
pub(super) fn is_warning(store: &Store, sel: Sel) -> bool {
    worst(store, sel) >= Some(Severity::Warning)
}

/// Request to response and back: in the panes to the other section, in the message list to the other row.
pub(super) fn partner(m: &mut Model, d: &Data<'_>) {
    let store = d.store;
    let Some(sel) = m.list.selected(store) else { return };
    if let Sel::Record(r) = sel {
        let Some(e) = store.record(r).and_then(|r| store.exchanges.get(r.exchange as usize)) else {
            return m.say(Tone::Bad, "it belongs to no exchange");
        };
        let other = if r == e.request { e.response } else { e.request };
        return if other == NONE { m.say(Tone::Bad, "it has no partner") } else { to_sel(m, d, Sel::Record(other)) };
    }
    if let Sel::Exchange(e) = sel {
        let parent = store.exchanges.get(e as usize).map_or(NONE, |e| e.parent);
        if parent != NONE {
            return to_sel(m, d, Sel::Exchange(parent));
        }
    }
    let pane = if m.focus == Pane::Envelope { Pane::Envelope } else { Pane::Payload };
    m.focus = pane;
    let Some(body) = m.body_mut(pane) else { return };
    // Sections begin after an empty line.
    let heads = |r: &Row| matches!(r, Row::Line(i) if body.blocks.get(*i).is_some_and(is_head));
    let second = body.rows.iter().enumerate().skip(1).find(|(_, r)| heads(r)).map(|(p, _)| p);
    match second {
        Some(second) if body.cursor < second => {
            body.cursor = second;
            body.top = second;
        }
        Some(_) => body.cursor = 0,
        None => m.say(Tone::Bad, "there is no answer"),
    }
}

/// Whether a block begins the section of a message: its first piece is an arrow.
fn is_head(block: &Block) -> bool {
    matches!(block, Block::Line(text, _) if text.first().is_some_and(|(_, t)| t.starts_with(['→', '←'])))
}

/// The exchanges of one operation, in order: retries, the request of a notification with its other notifications.
fn operation_of(store: &Store, e: u32) -> Vec<u32> {
    let Some(x) = store.exchanges.get(e as usize) else { return Vec::new() };
    let mut root = if x.parent == NONE { e } else { x.parent };
    let mut guard = 0;
    while let Some(before) =
        store.exchanges.get(root as usize).map(|x| x.retry_of).filter(|r| *r != NONE && guard < 1000)
    {
        root = before;
        guard += 1;
    }
    let mut chain = vec![root];
    while let Some(next) = chain.last().and_then(|c| store.exchanges.get(*c as usize)).map(|x| x.retried_by) {
        if next == NONE || chain.contains(&next) || chain.len() > 1000 {
            break;
        }
        chain.push(next);
    }
    let first = chain[0] as usize;
    let mut all: Vec<u32> = chain.clone();
    let rest = store.exchanges.iter().enumerate().skip(first).take(100_000);
    all.extend(rest.filter(|(_, x)| x.parent != NONE && chain.contains(&x.parent)).map(|(i, _)| i as u32));
    all.sort_unstable();
    all.dedup();
    all
}

/// The next or previous step of the same operation.
pub(super) fn operation(m: &mut Model, d: &Data<'_>, down: bool) {
    let Some(e) = super::selected_exchange(m, d) else { return m.say(Tone::Bad, "it belongs to no operation") };
    let all = operation_of(d.store, e);
    let next = if down { all.iter().find(|x| **x > e) } else { all.iter().rev().find(|x| **x < e) };
    match next {
        Some(n) => to_sel(
            m,
            d,
            if m.list.mode == Mode::Messages {
                Sel::Record(d.store.exchanges.get(*n as usize).map_or(NONE, |e| e.first()))
            } else {
                Sel::Exchange(*n)
            },
        ),
        None if all.len() == 1 => m.say(Tone::Bad, "this operation is one exchange"),
        None => {
            m.say(Tone::Bad, if down { "the last step of this operation" } else { "the first step of this operation" })
        }
    }
}

/// The next or previous exchange of the same method and target.
pub(super) fn same(m: &mut Model, d: &Data<'_>, down: bool) {
    let store = d.store;
    let names = |sel: Sel| {
        let record = match sel {
            Sel::Exchange(e) => store.exchanges.get(e as usize).map_or(NONE, |e| e.request),
            Sel::Record(r) => r,
        };
        store.record(record).filter(|r| r.method.is_some()).map(|r| (r.method, r.target))
    };
    let Some(own) = m.list.selected(store).and_then(names) else { return m.say(Tone::Bad, "it has no method") };
    let wanted = |place: &usize| m.list.sel_at(store, *place).and_then(names) == Some(own);
    let found = if down {
        (m.list.cursor + 1..m.list.items.len()).find(wanted)
    } else {
        (0..m.list.cursor.min(m.list.items.len())).rev().find(wanted)
    };
    match found {
        Some(place) => to(m, d, place),
        None => m.say(Tone::Bad, "no other of the same method and target"),
    }
}

/// What an exchange is best compared with: the one it retries, else the same call before.
pub(super) fn counterpart(store: &Store, sel: Sel) -> Option<Sel> {
    let Sel::Exchange(e) = sel else { return None };
    let x = store.exchanges.get(e as usize)?;
    if x.retry_of != NONE {
        return Some(Sel::Exchange(x.retry_of));
    }
    let own = store.record(x.request)?;
    (0..e).rev().take(100_000).find_map(|i| {
        let r = store.record(store.exchanges[i as usize].request)?;
        (r.method == own.method && r.target == own.target && r.dir == own.dir && r.kind == own.kind)
            .then_some(Sel::Exchange(i))
    })
}

/// The next line of a page that holds what is highlighted, else the next one that leads somewhere.
pub(super) fn in_page(page: &mut Page, highlight: &str, forward: bool) {
    let needle = highlight.to_lowercase();
    let wanted = |i: &usize| match page.lines.get(*i) {
        Some(line) if needle.is_empty() => line.go.is_some(),
        Some(line) => line.text.iter().map(|(_, s)| s.to_lowercase()).collect::<String>().contains(&needle),
        None => false,
    };
    let found =
        if forward { (page.cursor + 1..page.lines.len()).find(wanted) } else { (0..page.cursor).rev().find(wanted) };
    if let Some(found) = found {
        page.cursor = found;
    }
}
