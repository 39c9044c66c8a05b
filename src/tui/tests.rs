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
    assert_eq!(
        (ui.model().list.cursor, ui.model().list.follow),
        (0, false),
        "what has ended is read from its beginning"
    );
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

/// A live trace is followed; any step upwards pauses, the last row takes it up again.
#[test]
fn a_live_trace_is_followed() {
    let mut ui = Harness::new(Still::read_as("talk", TALK.as_bytes().to_vec(), false), 120, 40);
    let last = ui.model().list.items.len() - 1;
    assert_eq!((ui.model().list.cursor, ui.model().list.follow), (last, true));
    ui.keys("k");
    assert!(!ui.model().list.follow);
    ui.keys("j");
    assert!(ui.model().list.follow);
    ui.keys("F");
    assert!(!ui.model().list.follow);
}

fn shot(name: &str, keys: &str, sizes: &[(u16, u16)]) {
    for (w, h) in sizes {
        let mut ui = talk(*w, *h);
        ui.keys(keys);
        insta::assert_snapshot!(format!("{name}_{w}x{h}"), ui.screen());
    }
}

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

#[test]
fn screens_of_the_list() {
    shot("refused", "e e e", &SIZES);
    shot("tool_result", "j j j j j j enter", &SIZES[..2]);
    shot("messages", "v e", &SIZES[..2]);
    shot("narrow", "e e e tab", &[(60, 20)]);
    shot("filter_fault", "/ 'is:eror'", &SIZES[..1]);
    shot("filter", "/ 'is:error tool = get_weather'", &SIZES[1..2]);
    shot("hex", "e p p tab tab", &SIZES[..1]);
    shot("copy", "e tab tab y", &SIZES[..1]);
    shot("palette", ": 'find'", &SIZES[..1]);
}

#[test]
fn screens_of_the_pages() {
    shot("help", "?", &SIZES[1..2]);
    shot("findings", "f", &SIZES[1..2]);
    shot("statistics", "S", &SIZES[1..2]);
    shot("catalogue", "C", &SIZES[1..2]);
    shot("lanes", "L", &SIZES[1..2]);
    shot("why", "G E E u", &SIZES[1..2]);
    shot("schema", "e e e s", &SIZES[1..2]);
    shot("diff", "e e e d", &SIZES[1..2]);
    shot("rule", "e e e i", &SIZES[1..2]);
}

/// No key at any place, and no size, breaks anything.
#[test]
fn random_walk() {
    let keys: Vec<super::key::Key> = "j j j k k l h enter tab tab shift-tab esc e E w W n N x o O t T v p s d f S C L i u g G space b ctrl-d ctrl-u y m a ' F z c + - = / ? : q backspace ctrl-n ctrl-o \\ ctrl-f up down left right"
        .split(' ')
        .map(|k| super::key::Key::parse(k).unwrap())
        .collect();
    let mut seed = 0x2545_F491_4F6C_DD1Du64;
    let mut next = move |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % n as u64) as usize
    };
    let mut ui = talk(100, 30);
    for step in 0..4_000 {
        if next(25) == 0 {
            let (w, h) = (1 + next(220) as u16, 1 + next(70) as u16);
            ui.send(update::Msg::Resize(w, h));
        }
        let key = keys[next(keys.len())];
        ui.app.key(&ui.trace.data(), key);
        ui.idle();
        ui.effects();
        let m = &mut ui.app.model;
        m.quit = false;
        let a = super::layout::areas(m);
        assert!(m.list.items.is_empty() || m.list.cursor < m.list.items.len(), "step {step} {key}");
        assert!(m.list.items.is_empty() || m.list.cursor >= m.list.top, "step {step} {key}");
        assert!(m.list.cursor < m.list.top + a.height(Pane::List).max(1), "step {step} {key}");
        assert!(m.pages.len() < 50, "step {step} {key}");
        let shown = ui.app.model.detail.as_ref().map(|d| d.sel);
        assert_eq!(shown, ui.selected(), "step {step} {key}: the panes are those of the selection");
    }
}
