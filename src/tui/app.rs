//! The screen without a terminal: model, keymap, and the effects that need nothing but data. The loop and the tests
//! drive it alike.

use crossterm::event::{Event, KeyEventKind};
use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::data::Data;
use super::detail::Detail;
use super::input::{Pressed, press};
use super::key::Key;
use super::keymap::Keymap;
use super::list::{Mode, Sel, row_of};
use super::model::{Model, Pane};
use super::page::PageKind;
use super::theme::Theme;
use super::update::{Effect, Msg, pick, update};
use super::{layout, pages};
use crate::trace::{Row, Store};

/// Rows that are looked at in one go: enough to be quick, few enough for keys to come between.
const CHUNK: usize = 4_096;

/// A screen.
pub struct App {
    /// Its state.
    pub model: Model,
    /// Its keys.
    pub keymap: Keymap,
    /// Effects for whoever has a terminal, a clipboard or files.
    pub outside: Vec<Effect>,
    load: Option<Sel>,
    page_version: u64,
}

impl App {
    /// A screen of a size.
    pub fn new(size: (u16, u16), theme: Theme, keymap: Keymap) -> App {
        App { model: Model::new(size, theme), keymap, outside: Vec::new(), load: None, page_version: 0 }
    }

    /// Gives a message to the model and does what follows.
    pub fn msg(&mut self, d: &Data<'_>, msg: Msg) {
        let effects = update(&mut self.model, msg, d);
        self.run(d, effects);
    }

    /// Something from the terminal.
    pub fn event(&mut self, d: &Data<'_>, event: Event) {
        match event {
            Event::Key(key) if key.kind == KeyEventKind::Press || key.kind == KeyEventKind::Repeat => {
                self.key(d, Key::from_event(key));
            }
            Event::Mouse(mouse) => self.msg(d, Msg::Mouse(mouse)),
            Event::Paste(text) => self.msg(d, Msg::Paste(text)),
            Event::Resize(width, height) => self.msg(d, Msg::Resize(width, height)),
            _ => {}
        }
    }

    /// A key.
    pub fn key(&mut self, d: &Data<'_>, key: Key) {
        match press(&mut self.model, &self.keymap, key) {
            Pressed::Msg(msg) => self.msg(d, msg),
            Pressed::Pick(entry) => {
                let mut effects = Vec::new();
                pick(&mut self.model, entry, d, &mut effects);
                self.run(d, effects);
            }
            Pressed::Nothing => {}
        }
    }

    fn run(&mut self, d: &Data<'_>, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Load(sel) => self.load = Some(sel),
                Effect::Open(kind) => self.open(d, &kind),
                Effect::Find { from, forward } => {
                    let found = self.find(d, from, forward);
                    self.msg(d, Msg::Found(found));
                }
                other => self.outside.push(other),
            }
        }
    }

    fn open(&mut self, d: &Data<'_>, kind: &PageKind) {
        let contexts = self.model.contexts();
        self.page_version = d.store.version;
        match pages::build(kind, d, &self.keymap, contexts, self.model.size.0) {
            Some(page) => self.msg(d, Msg::Opened(Box::new(page))),
            None => self.msg(d, Msg::Done(super::model::Tone::Bad, "there is nothing to show".into())),
        }
    }

    fn find(&self, d: &Data<'_>, from: usize, forward: bool) -> Option<usize> {
        let list = &self.model.list;
        let matcher = self.model.highlighter.as_ref().or(list.filter.as_ref())?;
        matcher.ask(d, |asker| {
            let wanted = |place: &usize| asker.matches(row_of(d.store, list.mode, list.items[*place].at));
            if forward {
                (from + 1..list.items.len()).find(wanted)
            } else {
                (0..from.min(list.items.len())).rev().find(wanted)
            }
        })
    }

    /// Looks at the next rows of the store. True while there is more to do.
    pub fn work(&mut self, d: &Data<'_>) -> bool {
        if self.model.list.scanned > self.model.list.total(d.store) {
            // The file was cut and is read anew: what was known of it is gone.
            self.model.forget();
        }
        let list = &mut self.model.list;
        let before = (list.items.len(), list.scanned);
        let chunk = if list.filter.is_some() { CHUNK } else { CHUNK * 64 };
        list.scan(d, chunk);
        let more = !self.model.list.is_whole(d.store);
        if before != (self.model.list.items.len(), self.model.list.scanned) || self.model.seen != d.store.version {
            self.msg(d, Msg::Wake);
        }
        more
    }

    /// Reads what the next drawing shows. Of several selections since the last one only the newest is read.
    pub fn before_draw(&mut self, d: &Data<'_>) {
        if let Some(sel) = self.load.take() {
            let detail = Detail::build(d, sel);
            self.msg(d, Msg::Loaded(Box::new(detail)));
            // What the panes show does not ask to be read again.
            self.load = None;
        }
        let kind = self.model.page_kind().cloned();
        if let Some(
            kind @ (PageKind::Findings | PageKind::Stats | PageKind::Catalogue | PageKind::Lanes | PageKind::Why(_)),
        ) = kind
        {
            // Large traces are not counted again with each new line; opening the page anew does.
            if self.page_version != d.store.version && d.store.exchanges.len() < 50_000 {
                self.open(d, &kind);
            }
        }
    }

    /// Draws, and says where the cursor belongs.
    pub fn draw(&self, d: &Data<'_>, buf: &mut Buffer) -> Option<Position> {
        super::view::view(&self.model, d, &self.keymap, buf)
    }

    /// A clock is on the screen: something in flight is in view.
    pub fn has_clock(&self, store: &Store) -> bool {
        let list = &self.model.list;
        if list.mode == Mode::Messages {
            return false;
        }
        let height = layout::areas(&self.model).height(Pane::List);
        list.items.iter().skip(list.top).take(height).any(|item| {
            matches!(row_of(store, list.mode, item.at), Row::Exchange(e)
                if store.exchanges.get(e as usize).is_some_and(|e| e.outcome.is_open()))
        })
    }
}
