//! Drives the screen without a terminal: keys as text, the screen as text. For tests, benches and pictures.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::app::App;
use super::data::{Feed, Still};
use super::key::Key;
use super::keymap::Keymap;
use super::list::Sel;
use super::model::Model;
use super::theme::Theme;
use super::update::{Effect, Msg};

/// A screen over a trace that stands still.
pub struct Harness {
    /// The screen.
    pub app: App,
    /// The trace.
    pub trace: Still,
    /// The last drawing.
    pub buffer: Buffer,
}

impl Harness {
    /// Shows a trace at a size. The clock stands at the last record.
    pub fn new(trace: Still, width: u16, height: u16) -> Harness {
        let theme = Theme::named("dark").unwrap_or_else(Theme::plain);
        let app = App::new((width, height), theme, Keymap::default());
        let buffer = Buffer::empty(Rect { x: 0, y: 0, width, height });
        let mut harness = Harness { app, trace, buffer };
        let last = harness.trace.store.records.last().map_or(0, |r| r.t);
        harness.app.msg(&harness.trace.data(), Msg::Clock(last));
        harness.idle();
        harness
    }

    /// The state.
    pub fn model(&self) -> &Model {
        &self.app.model
    }

    /// Works until nothing is left to do, and draws.
    pub fn idle(&mut self) {
        let (width, height) = self.app.model.size;
        let area = Rect { x: 0, y: 0, width, height };
        let Harness { app, trace, buffer } = self;
        trace.look(&mut |d| {
            while app.work(d) {}
            app.before_draw(d);
            *buffer = Buffer::empty(area);
            app.draw(d, buffer);
        });
    }

    /// Presses keys, written with blanks between: `j j enter`. `'text'` types a text.
    pub fn keys(&mut self, keys: &str) -> &mut Harness {
        for word in split(keys) {
            match word.strip_prefix('\'').and_then(|w| w.strip_suffix('\'')).filter(|_| word.len() > 1) {
                Some(text) => {
                    for c in text.chars() {
                        let key = Key::new(crossterm::event::KeyCode::Char(c), crossterm::event::KeyModifiers::NONE);
                        self.app.key(&self.trace.data(), key);
                    }
                }
                None => {
                    let key = Key::parse(&word).unwrap_or_else(|| panic!("{word:?} is no key"));
                    self.app.key(&self.trace.data(), key);
                }
            }
            self.idle();
        }
        self
    }

    /// Another message.
    pub fn send(&mut self, msg: Msg) {
        self.app.msg(&self.trace.data(), msg);
        self.idle();
    }

    /// What is selected.
    pub fn selected(&self) -> Option<Sel> {
        self.app.model.list.selected(&self.trace.store)
    }

    /// Effects for the outside since the last time.
    pub fn effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.app.outside)
    }

    /// The screen as text, without blanks at line ends.
    pub fn screen(&self) -> String {
        text_of(&self.buffer)
    }
}

/// Splits at blanks, but not inside quotes.
fn split(keys: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in keys.chars() {
        match c {
            '\'' => {
                quoted = !quoted;
                words.last_mut().iter_mut().for_each(|w| w.push(c));
            }
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().iter_mut().for_each(|w| w.push(c)),
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

/// A drawing as text.
pub fn text_of(buffer: &Buffer) -> String {
    use unicode_width::UnicodeWidthStr as _;
    let mut out = String::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        let mut line = String::new();
        let mut x = buffer.area.left();
        while x < buffer.area.right() {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += (symbol.width() as u16).max(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
