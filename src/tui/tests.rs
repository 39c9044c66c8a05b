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

fn as_client(width: u16, height: u16) -> Harness {
    use super::client::{Client, News};
    use crate::peer::client::Tool;
    let mut ui = talk(width, height);
    ui.app.model.client = Some(Client::default());
    ui.app.model.focus = Pane::Tools;
    ui.send(update::Msg::News(News::Connected {
        server: "everything 1.4.0".into(),
        revision: crate::mcp::Revision::NEWEST,
    }));
    let schema = r#"{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","default":3}},"required":["city"]}"#;
    let tool = |name: &str, read_only| Tool {
        name: name.into(),
        description: Some("Weather of a city for some days.\nUses the national service.".into()),
        input_schema: schema.into(),
        read_only,
    };
    ui.send(update::Msg::News(News::Tools(vec![tool("get_weather", true), tool("set_weather\u{202e}", false)])));
    ui
}

#[test]
fn a_call_is_written_checked_and_sent() {
    use super::client::Command;
    let mut ui = as_client(120, 40);
    insta::assert_snapshot!("client_tools_120x40", ui.screen());
    ui.keys("enter");
    insta::assert_snapshot!("client_editor_120x40", ui.screen());
    assert_eq!(ui.model().contexts(), [super::action::Ctx::Edit]);
    // Letters are typed, also those that are keys elsewhere.
    ui.keys("ctrl-a 'q/?' ctrl-s");
    assert!(ui.effects().is_empty());
    assert!(ui.screen().contains("ctrl-x"), "{}", ui.screen());
    ui.keys("backspace backspace backspace ctrl-s");
    let effects = ui.effects();
    let [update::Effect::Client(Command::Call { tool, arguments })] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(tool, "get_weather");
    assert!(arguments.contains("\"city\": \"\"") && !arguments.contains('\n'), "{arguments}");
    assert_eq!(ui.model().focus, Pane::List);
    // The selected call again, with its arguments.
    ui.keys("g g j j j j j r");
    assert!(ui.screen().contains("\"Oslo\""), "{}", ui.screen());
    ui.keys("esc");
    assert!(!ui.model().client.as_ref().unwrap().is_editing());
    for (w, h) in [(1, 1), (30, 8), (80, 24), (99, 30), (200, 60)] {
        ui.send(update::Msg::Resize(w, h));
        ui.keys("tab c enter esc tab z z z z");
    }
}

#[test]
fn the_start_screen_offers_what_there_is() {
    use super::home::{Choice, Home, Lists, Server, Trace};
    let mut ui = Harness::new(Still::read("", Vec::new()), 100, 24);
    ui.app.model.home = Some(Home::new(Lists::default()));
    ui.idle();
    insta::assert_snapshot!("home_empty_100x24", ui.screen());
    let trace = |name: &str, pinned| Trace {
        path: format!("/t/{name}").into(),
        name: name.into(),
        host: "code".into(),
        when: "today 09:31".into(),
        exchanges: Some(128),
        findings: Some(3),
        size: 81_234,
        pinned,
    };
    let lists = Lists {
        live: vec![trace("everything", false)],
        servers: vec![Server {
            host: "Claude Code".into(),
            name: "github".into(),
            transport: "stdio".into(),
            ..Server::default()
        }],
        recent: vec![trace("everything", true), trace("git", false)],
    };
    ui.send(update::Msg::Lists(lists));
    insta::assert_snapshot!("home_100x24", ui.screen());
    ui.keys("j enter");
    assert_eq!(ui.model().choice, Some(Choice::Wrap("Claude Code".into(), "github".into())));
    assert!(ui.model().quit);
    ui.app.model.quit = false;
    ui.keys("G p");
    assert_eq!(ui.model().choice, Some(Choice::Pin("/t/git".into(), true)));
    ui.app.model.quit = false;
    ui.keys("o 'x.jsonl' enter");
    assert_eq!(ui.model().choice, Some(Choice::Open("x.jsonl".into())));
}

/// The picture of the README is this screen.
#[test]
fn the_picture_is_true() {
    let mut ui = talk(120, 34);
    ui.keys("g g e e e tab tab");
    let svg = super::svg::render(&ui.buffer, "#171b22", "#d3d7df");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/screen.svg");
    if std::env::var_os("MCPSCOPE_UPDATE").is_some() {
        std::fs::write(path, &svg).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(kept == svg, "assets/screen.svg is not what the screen looks like; MCPSCOPE_UPDATE=1 cargo test draws it");
}

/// HTTP headers are one folded row, but for those that decide something.
#[test]
fn headers_are_folded() {
    let trace = concat!(
        "{\"mcpscope_trace\":1,\"transport\":\"http\"}\n",
        "{\"t\":0.1,\"event\":\"open\"}\n",
        "{\"t\":0.2,\"dir\":\"c2s\",\"http\":{\"kind\":\"request\",\"stream\":1,\"method\":\"POST\",\"path\":\"/mcp\",",
        "\"headers\":[[\"Host\",\"localhost\"],[\"Mcp-Method\",\"ping\"],[\"X-A\",\"1\"]]},",
        "\"msg\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}\n",
        "{\"t\":0.3,\"dir\":\"s2c\",\"http\":{\"kind\":\"response\",\"stream\":1,\"status\":401,\"headers\":[]}}\n",
    );
    let mut ui = Harness::new(Still::read("http", trace.as_bytes().to_vec()), 120, 40);
    ui.keys("g g j");
    let screen = ui.screen();
    assert!(screen.contains("refused 401"), "{screen}");
    assert!(screen.contains("▸ headers 3") && screen.contains("Mcp-Method: ping"), "{screen}");
}

/// Times of one frame and of a filter at a million exchanges. Run in a release build:
/// `cargo test --release --lib tui::tests::a_million -- --ignored --nocapture`.
#[test]
#[ignore = "measures, and needs a release build to mean anything"]
fn a_million_exchanges() {
    use crate::analysis::{Analyzer, Origin};
    use crate::wire::frame::{Dir, Eol, Frame, Item, Place};
    use std::time::{Duration, Instant};
    let mut bytes = Vec::new();
    let mut still = Still::read("million", Vec::new());
    let mut analyzer = Analyzer::new(crate::rules::Options::default(), Origin::Foreign);
    let n = std::env::var("MCPSCOPE_N").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000u64);
    for i in 0..n {
        let tool = ["search", "get_weather", "book"][i as usize % 3];
        let sent = format!(
            r#"{{"jsonrpc":"2.0","id":{i},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"q":"text {i}"}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        );
        let answer = format!(
            r#"{{"jsonrpc":"2.0","id":{i},"result":{{"resultType":"complete","content":[{{"type":"text","text":"number {i}"}}],"isError":{}}}}}"#,
            i % 50 == 0
        );
        for (dir, text, dt) in [(Dir::C2s, sent, 0), (Dir::S2c, answer, 300)] {
            let place = Place { offset: bytes.len() as u64, len: text.len() as u32, ..Place::default() };
            bytes.extend_from_slice(text.as_bytes());
            let frame = Frame {
                line: 0,
                t: i as i64 * 1000 + dt,
                dir,
                conn: 1,
                payload: text.as_bytes(),
                eol: Eol::Lf,
                http: None,
                place,
            };
            analyzer.push(&mut still.store, Item::Frame(frame));
        }
    }
    analyzer.finish(&mut still.store);
    still.source = crate::trace::Source::Memory(bytes);
    let began = Instant::now();
    let mut ui = Harness::new(still, 200, 60);
    eprintln!("first look at {} rows: {:?}", ui.model().list.items.len(), began.elapsed());
    let mut times: Vec<Duration> = Vec::new();
    for key in ["j", "ctrl-d", "G", "g g", "e", "e", "space", "k", "E"].iter().cycle().take(500) {
        let began = Instant::now();
        ui.keys(key);
        times.push(began.elapsed());
    }
    times.sort_unstable();
    eprintln!("key to drawn frame: p50 {:?}, p99 {:?}, max {:?}", times[250], times[495], times[499]);
    for filter in ["is:tool-error", "tool = book", "params.arguments.q = \"text 4711\"", "number 999999"] {
        let began = Instant::now();
        ui.keys(&format!("/ ctrl-u '{filter}' enter"));
        eprintln!(
            "filter {filter}, typed letter by letter: {:?}, {} rows",
            began.elapsed(),
            ui.model().list.items.len()
        );
    }
}
