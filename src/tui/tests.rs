//! The screen, driven by keys as text over recorded traffic.

#![allow(clippy::unwrap_used)]

use super::harness::Harness;
use super::list::{Mode, Sel};
use super::model::Pane;
use super::{Still, update};

/// A conversation with every kind of row: made by hand, in the shapes of the demo server.
pub(crate) const TALK: &str = include_str!("testdata/talk.jsonl");

pub(crate) fn talk(width: u16, height: u16) -> Harness {
    Harness::new(Still::read("talk", TALK.as_bytes().to_vec()), width, height)
}

#[test]
fn cursor_follow_and_panes() {
    let mut ui = talk(120, 40);
    let rows = ui.model().list.items.len();
    assert!(rows > 10, "{rows}");
    assert_eq!(ui.model().list.cursor, rows - 1, "a screen begins at the end and follows");
    ui.keys("g g");
    assert_eq!((ui.model().list.cursor, ui.model().list.follow), (0, false));
    ui.keys("j j k");
    assert_eq!(ui.model().list.cursor, 1);
    ui.keys("G");
    assert!(ui.model().list.follow);
    ui.keys("g g tab");
    assert_eq!(ui.model().focus, Pane::Envelope);
    ui.keys("shift-tab enter");
    assert_eq!(ui.model().focus, Pane::Payload);
    ui.keys("esc");
    assert_eq!(ui.model().focus, Pane::List);
    ui.keys("q");
    assert!(ui.model().quit);
}

#[test]
fn jumps_to_errors_and_back() {
    let mut ui = talk(120, 40);
    ui.keys("g g e");
    let first = ui.selected().unwrap();
    assert!(super::harness::text_of(&ui.buffer).contains("because"), "{}", ui.screen());
    ui.keys("e");
    assert_ne!(ui.selected().unwrap(), first);
    ui.keys("ctrl-o");
    assert_eq!(ui.selected().unwrap(), first);
    ui.keys("ctrl-n E");
    assert_eq!(ui.selected().unwrap(), first);
}

#[test]
fn filter_keeps_the_selection_and_says_what_matches() {
    let mut ui = talk(120, 40);
    ui.keys("g g");
    ui.keys("/ 'weather'");
    let shown = ui.model().list.items.len();
    assert!(shown > 0 && shown < 12, "{shown}\n{}", ui.screen());
    assert!(ui.screen().contains(&format!("{shown} match")));
    ui.keys("enter G");
    let selected = ui.selected();
    ui.keys("esc");
    assert!(ui.model().list.filter.is_none());
    assert_eq!(ui.selected(), selected);
    ui.keys("/ 'weather' esc");
    assert!(ui.model().list.filter.is_none(), "escape takes the typed filter back");
}

#[test]
fn messages_and_exchanges_keep_the_place() {
    let mut ui = talk(120, 40);
    ui.keys("g g e");
    let Some(Sel::Exchange(e)) = ui.selected() else { panic!("{:?}", ui.selected()) };
    ui.keys("v");
    assert_eq!(ui.model().list.mode, Mode::Messages);
    let request = ui.trace.store.exchanges[e as usize].request;
    assert_eq!(ui.selected(), Some(Sel::Record(request)));
    ui.keys("x");
    assert_eq!(ui.selected(), Some(Sel::Record(ui.trace.store.exchanges[e as usize].response)));
    ui.keys("v");
    assert_eq!(ui.selected(), Some(Sel::Exchange(e)));
}

#[test]
fn copy_asks_what_and_gives_the_bytes_as_they_came() {
    let mut ui = talk(120, 40);
    ui.keys("g g e y m");
    let effects = ui.effects();
    let [update::Effect::Copy { what: "message", text }] = effects.as_slice() else { panic!("{effects:?}") };
    assert!(TALK.contains(text.as_str()), "{text}");
}

#[test]
fn help_is_made_from_the_keymap() {
    let mut ui = talk(120, 40);
    ui.keys("?");
    let page = ui.model().page().unwrap().text();
    assert!(page.contains("next-error") && page.contains("In the list"));
    ui.keys("esc tab ?");
    assert!(ui.model().page().unwrap().text().contains("In a pane"));
}

#[test]
fn sizes_down_to_nothing() {
    for (w, h) in [(1, 1), (2, 2), (10, 3), (20, 6), (40, 10), (69, 24), (70, 12), (110, 20), (300, 100)] {
        let mut ui = talk(w, h);
        ui.keys("g g e tab tab tab ? esc S esc f esc / 'x' esc : esc z z y esc");
    }
}
