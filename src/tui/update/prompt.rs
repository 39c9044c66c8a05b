//! Input lines: filter, highlight, palette, file names.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::trace::NONE;
use crate::tui::action::{ACTIONS, Action, Info};
use crate::tui::data::Data;
use crate::tui::filter::Matcher;
use crate::tui::list::Sel;
use crate::tui::model::{Model, Pane, Prompt, PromptKind, Tone};

use super::Effect;

/// Rows looked at per change while somebody types; the loop looks at the rest.
const FIRST: usize = 2_000;

/// Opens an input line.
pub(super) fn open(m: &mut Model, kind: PromptKind) {
    let text = match kind {
        PromptKind::Filter => m.filter.clone(),
        PromptKind::Highlight => m.highlight.clone(),
        PromptKind::Palette | PromptKind::OpenFile | PromptKind::Save => String::new(),
    };
    m.pending.clear();
    m.prompt = Some(Prompt { kind, at: text.len(), before: text.clone(), text, fault: None, history: None, cursor: 0 });
}

/// Types into it.
pub(super) fn insert(m: &mut Model, text: &str, d: &Data<'_>, fx: &mut Vec<Effect>) {
    let Some(p) = &mut m.prompt else { return };
    p.text.insert_str(p.at, text);
    p.at += text.len();
    changed(m, d, fx);
}

/// Pasted text, on one line.
pub(super) fn paste(m: &mut Model, text: &str, d: &Data<'_>, fx: &mut Vec<Effect>) {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(10_000).collect();
    if m.prompt.is_some() {
        insert(m, &line, d, fx);
    }
}

/// The palette's entries that fit what is typed, best first.
pub fn palette(m: &Model, typed: &str) -> Vec<&'static Info> {
    let contexts = if m.pages.is_empty() { m.focus } else { Pane::Payload };
    let ctx = if contexts == Pane::List { crate::tui::action::Ctx::List } else { crate::tui::action::Ctx::Body };
    let words: Vec<String> = typed.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let mut found: Vec<(usize, &Info)> = ACTIONS
        .iter()
        .filter(|i| i.action.is_for(ctx) && i.action != Action::Palette)
        .filter(|i| words.iter().all(|w| i.name.contains(w.as_str()) || i.help.to_lowercase().contains(w.as_str())))
        .map(|i| {
            let rank = match words.first() {
                Some(w) if i.name.starts_with(w.as_str()) => 0,
                Some(w) if i.name.contains(w.as_str()) => 1,
                _ => 2,
            };
            (rank, i)
        })
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, i)| i).collect()
}

/// An action while the line is open.
pub(super) fn act(m: &mut Model, action: Action, d: &Data<'_>, fx: &mut Vec<Effect>) {
    let Some(p) = &mut m.prompt else { return };
    let left = p.text[..p.at].grapheme_indices(true).next_back().map_or(0, |(i, _)| i);
    match action {
        Action::Accept => accept(m, d, fx),
        Action::Cancel | Action::Close | Action::Quit => {
            let (kind, before) = (p.kind, p.before.clone());
            m.prompt = None;
            match kind {
                PromptKind::Filter if m.filter != before => {
                    m.filter = before;
                    apply_filter(m, d);
                }
                PromptKind::Highlight => set_highlight(m, before),
                _ => {}
            }
        }
        Action::CursorLeft => p.at = left,
        Action::CursorRight => {
            p.at += p.text[p.at..].graphemes(true).next().map_or(0, str::len);
        }
        Action::CursorHome => p.at = 0,
        Action::CursorEnd => p.at = p.text.len(),
        Action::DeleteBack => {
            p.text.replace_range(left..p.at, "");
            p.at = left;
            changed(m, d, fx);
        }
        Action::DeleteWord => {
            let before = p.text[..p.at].trim_end();
            let start = before
                .rfind(char::is_whitespace)
                .map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8));
            p.text.replace_range(start..p.at, "");
            p.at = start;
            changed(m, d, fx);
        }
        Action::DeleteAll => {
            p.text.replace_range(..p.at, "");
            p.at = 0;
            changed(m, d, fx);
        }
        Action::HistoryUp | Action::HistoryDown if p.kind == PromptKind::Palette => {
            let len = palette(m, &m.prompt.as_ref().map_or(String::new(), |p| p.text.clone())).len().max(1);
            if let Some(p) = &mut m.prompt {
                let by = if action == Action::HistoryDown { 1 } else { len - 1 };
                p.cursor = (p.cursor + by) % len;
            }
        }
        Action::HistoryUp | Action::HistoryDown if p.kind == PromptKind::Filter => {
            let len = m.history.len();
            let at = match (p.history, action) {
                (None, Action::HistoryUp) => len.checked_sub(1),
                (Some(i), Action::HistoryUp) => Some(i.saturating_sub(1)),
                (Some(i), _) if i + 1 < len => Some(i + 1),
                _ => None,
            };
            p.history = at;
            p.text = at.and_then(|i| m.history.get(i).cloned()).unwrap_or_default();
            p.at = p.text.len();
            changed(m, d, fx);
        }
        Action::Complete => complete(m, d, fx),
        _ => {}
    }
}

fn accept(m: &mut Model, d: &Data<'_>, fx: &mut Vec<Effect>) {
    let Some(p) = m.prompt.take() else { return };
    match p.kind {
        PromptKind::Filter => {
            if p.fault.is_some() {
                // Stays open: the fault is shown at its column.
                m.prompt = Some(p);
                return;
            }
            m.filter = p.text.clone();
            m.filter_on = true;
            if !p.text.trim().is_empty() {
                m.history.retain(|h| *h != p.text);
                m.history.push(p.text);
            }
            apply_filter(m, d);
        }
        PromptKind::Highlight => set_highlight(m, p.text),
        PromptKind::Palette => {
            if let Some(info) = palette(m, &p.text).get(p.cursor) {
                super::act(m, info.action, d, fx);
            }
        }
        PromptKind::Save => {
            let text = match m.page() {
                Some(page) => page.text(),
                None => match super::copy::text(m, crate::tui::model::Pick::CopyExchange, d) {
                    Ok((_, text)) => text,
                    Err(why) => return m.say(Tone::Bad, why),
                },
            };
            if !p.text.trim().is_empty() {
                fx.push(Effect::Save { path: p.text.trim().to_owned(), text });
            }
        }
        PromptKind::OpenFile => {
            if !p.text.trim().is_empty() {
                m.choice = Some(crate::tui::home::Choice::Open(p.text.trim().into()));
                m.quit = true;
            }
        }
    }
}

/// The text changed: the filter shows its matches while it is typed.
fn changed(m: &mut Model, d: &Data<'_>, _fx: &mut Vec<Effect>) {
    let Some(p) = &mut m.prompt else { return };
    p.cursor = 0;
    match p.kind {
        PromptKind::Filter => match Matcher::compile(&p.text) {
            Ok(_) => {
                p.fault = None;
                m.filter = p.text.clone();
                m.filter_on = true;
                apply_filter(m, d);
            }
            Err(fault) => p.fault = Some(fault),
        },
        PromptKind::Highlight => {
            let text = p.text.clone();
            set_highlight(m, text);
        }
        _ => {}
    }
}

fn complete(m: &mut Model, d: &Data<'_>, fx: &mut Vec<Effect>) {
    let Some(p) = &mut m.prompt else { return };
    if p.kind != PromptKind::Filter {
        return;
    }
    let found = crate::query::complete(&p.text, p.at, d.store);
    let Some(first) = found.first() else { return };
    // What all of them share, or the likeliest one.
    let same_place = found.iter().filter(|c| (c.start, c.end) == (first.start, first.end));
    let mut common = first.text.len();
    for other in same_place {
        common = first.text.bytes().zip(other.text.bytes()).take(common).take_while(|(a, b)| a == b).count();
    }
    while !first.text.is_char_boundary(common) {
        common -= 1;
    }
    let typed = p.at.saturating_sub(first.start);
    let text = if common > typed { &first.text[..common] } else { first.text.as_str() };
    p.text.replace_range(first.start..first.end.max(p.at), text);
    p.at = first.start + text.len();
    changed(m, d, fx);
}

fn set_highlight(m: &mut Model, text: String) {
    m.highlighter = Matcher::compile(&text).ok().flatten();
    m.highlight = text;
}

/// Puts the filter in force; the selection stays on its row, or the nearest one above.
pub(super) fn apply_filter(m: &mut Model, d: &Data<'_>) {
    let sel = m.list.selected(d.store);
    let compiled = if m.filter_on { Matcher::compile(&m.filter).ok().flatten() } else { None };
    let follow = m.list.follow;
    m.list.filter = compiled;
    m.list.restart();
    // Enough to see something at once, from the beginning; the loop goes on.
    m.list.follow = follow;
    let total = m.list.total(d.store);
    m.list.scan(d, if m.list.filter.is_none() { total } else { FIRST });
    m.list.fresh = 0;
    if let Some((place, _)) = sel.and_then(|s| m.list.place_of(d.store, s)) {
        m.list.cursor = place;
    }
}

/// Filters by what is under the cursor.
pub(super) fn filter_this(m: &mut Model, d: &Data<'_>) {
    let store = d.store;
    let word = if m.focus == Pane::List {
        let record = match m.list.selected(store) {
            Some(Sel::Exchange(e)) => store.exchanges.get(e as usize).map_or(NONE, |e| e.request),
            Some(Sel::Record(r)) => r,
            None => NONE,
        };
        store.record(record).and_then(|r| {
            let target = store.name(r.target).map(|t| crate::tui::filter::term("target", t));
            target.or_else(|| store.name(r.method).map(|t| crate::tui::filter::term("method", t)))
        })
    } else {
        let body = m.body(m.focus);
        body.and_then(|b| b.value_of(b.row()?)).map(|(_, v)| crate::tui::filter::value_term(v))
    };
    let Some(word) = word else { return m.say(Tone::Bad, "nothing to filter by here") };
    m.filter = if m.filter.trim().is_empty() { word } else { format!("{} {word}", m.filter) };
    m.filter_on = true;
    m.history.push(m.filter.clone());
    apply_filter(m, d);
}
