//! Keys to actions. The default table is data, the user's file changes it, and help and hints are read back from it.

use super::action::{Action, Ctx};
use super::key::Key;

/// The bindings that come with the program: context, keys (sequences with a blank between, alternatives with ` | `).
const DEFAULT: &[(Ctx, &str, Action)] = {
    use Action as A;
    use Ctx::{Body, Edit, Global, Home, List, Menu, Page, Prompt};
    &[
        (Global, "q", A::Close),
        (Global, "esc", A::Cancel),
        (Global, "ctrl-c", A::Quit),
        (Global, "ctrl-z", A::Suspend),
        (Global, "ctrl-l", A::Redraw),
        (Global, "? | f1", A::Help),
        (Global, ":", A::Palette),
        (Global, "/", A::Filter),
        (Global, "ctrl-f", A::Search),
        (Global, "\\", A::FilterToggle),
        (Global, "tab", A::NextPane),
        (Global, "shift-tab", A::PrevPane),
        (Global, "f", A::Findings),
        (Global, "S", A::Stats),
        (Global, "C", A::Catalogue),
        (Global, "L", A::Lanes),
        (Global, "c", A::Call),
        (Global, "ctrl-t", A::Theme),
        (Global, "ctrl-g", A::Mouse),
        (List, "j | down", A::Down),
        (List, "k | up", A::Up),
        (List, "ctrl-d", A::HalfDown),
        (List, "ctrl-u", A::HalfUp),
        (List, "space | pagedown", A::PageDown),
        (List, "b | pageup", A::PageUp),
        (List, "g g | home", A::First),
        (List, "G | end", A::Last),
        (List, "enter | l | right", A::Enter),
        (Body, "j | down", A::Down),
        (Body, "k | up", A::Up),
        (Body, "ctrl-d", A::HalfDown),
        (Body, "ctrl-u", A::HalfUp),
        (Body, "space | pagedown", A::PageDown),
        (Body, "b | pageup", A::PageUp),
        (Body, "g g | home", A::First),
        (Body, "G | end", A::Last),
        (Body, "h | left", A::Left),
        (Body, "l | right", A::Right),
        (Body, "enter", A::Enter),
        (Body, "z c", A::FoldAll),
        (Body, "z o", A::UnfoldAll),
        (List, "z z", A::Zoom),
        (Body, "z z", A::Zoom),
        (Page, "j | down", A::Down),
        (Page, "k | up", A::Up),
        (Page, "ctrl-d", A::HalfDown),
        (Page, "ctrl-u", A::HalfUp),
        (Page, "space | pagedown", A::PageDown),
        (Page, "b | pageup", A::PageUp),
        (Page, "g g | home", A::First),
        (Page, "G | end", A::Last),
        (Page, "h | left", A::Left),
        (Page, "l | right", A::Right),
        (Page, "enter", A::Enter),
        (Page, "n", A::NextMatch),
        (Page, "N", A::PrevMatch),
        (Page, "y", A::Copy),
        (List, "v", A::Messages),
        (Body, "v", A::Messages),
        (List, "e", A::NextError),
        (Body, "e", A::NextError),
        (List, "E", A::PrevError),
        (Body, "E", A::PrevError),
        (List, "w", A::NextWarning),
        (Body, "w", A::NextWarning),
        (List, "W", A::PrevWarning),
        (Body, "W", A::PrevWarning),
        (List, "n", A::NextMatch),
        (Body, "n", A::NextMatch),
        (List, "N", A::PrevMatch),
        (Body, "N", A::PrevMatch),
        (List, "x", A::Partner),
        (Body, "x", A::Partner),
        (List, "o", A::NextOperation),
        (Body, "o", A::NextOperation),
        (List, "O", A::PrevOperation),
        (Body, "O", A::PrevOperation),
        (List, "t", A::NextSame),
        (Body, "t", A::NextSame),
        (List, "T", A::PrevSame),
        (Body, "T", A::PrevSame),
        (List, "F", A::Follow),
        (Body, "F", A::Follow),
        (List, "m", A::SetMark),
        (Body, "m", A::SetMark),
        (List, "'", A::GoMark),
        (Body, "'", A::GoMark),
        (List, "ctrl-o | backspace", A::Back),
        (Body, "ctrl-o | backspace", A::Back),
        (List, "alt-right | ctrl-n", A::Forward),
        (Body, "alt-right | ctrl-n", A::Forward),
        (List, "p", A::View),
        (Body, "p", A::View),
        (List, "s", A::Schema),
        (Body, "s", A::Schema),
        (List, "y", A::Copy),
        (Body, "y", A::Copy),
        (List, "i", A::Rule),
        (Body, "i", A::Rule),
        (List, "u", A::Why),
        (Body, "u", A::Why),
        (List, "d", A::Diff),
        (Body, "d", A::Diff),
        (List, "r", A::Resend),
        (Body, "r", A::Resend),
        (List, "=", A::FilterThis),
        (Body, "=", A::FilterThis),
        (List, "+", A::Grow),
        (Body, "+", A::Grow),
        (List, "-", A::Shrink),
        (Body, "-", A::Shrink),
        (Menu, "j | down | tab", A::Down),
        (Menu, "k | up | shift-tab", A::Up),
        (Menu, "enter", A::Enter),
        (Home, "j | down", A::Down),
        (Home, "k | up", A::Up),
        (Home, "ctrl-d", A::HalfDown),
        (Home, "ctrl-u", A::HalfUp),
        (Home, "space | pagedown", A::PageDown),
        (Home, "b | pageup", A::PageUp),
        (Home, "g g | home", A::First),
        (Home, "G | end", A::Last),
        (Home, "enter | l | right", A::Enter),
        (Home, "w", A::Wrap),
        (Home, "d", A::Demo),
        (Home, "o", A::OpenFile),
        (Home, "p", A::Pin),
        (Prompt, "enter", A::Accept),
        (Prompt, "esc | ctrl-c", A::Cancel),
        (Prompt, "tab", A::Complete),
        (Prompt, "up | ctrl-p", A::HistoryUp),
        (Prompt, "down | ctrl-n", A::HistoryDown),
        (Prompt, "left | ctrl-b", A::CursorLeft),
        (Prompt, "right | ctrl-f", A::CursorRight),
        (Prompt, "home | ctrl-a", A::CursorHome),
        (Prompt, "end | ctrl-e", A::CursorEnd),
        (Prompt, "backspace | ctrl-h", A::DeleteBack),
        (Prompt, "ctrl-w | alt-backspace", A::DeleteWord),
        (Prompt, "ctrl-u", A::DeleteAll),
        (Edit, "esc", A::Cancel),
        (Edit, "ctrl-s | alt-enter | f5", A::Send),
        (Edit, "ctrl-x", A::SendAnyway),
    ]
};

/// One way to ask for an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    /// Where it holds.
    pub ctx: Ctx,
    /// The keys, one after the other.
    pub keys: Vec<Key>,
    /// What it asks for.
    pub action: Action,
}

impl Binding {
    /// The keys as text.
    pub fn text(&self) -> String {
        self.keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
    }
}

/// What keys so far mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// An action.
    Action(Action),
    /// The beginning of a longer sequence.
    Prefix,
    /// Nothing.
    Nothing,
}

/// All bindings.
#[derive(Clone, Debug)]
pub struct Keymap {
    bindings: Vec<Binding>,
}

impl Default for Keymap {
    fn default() -> Keymap {
        let mut bindings = Vec::new();
        for (ctx, keys, action) in DEFAULT {
            for one in keys.split(" | ") {
                if let Some(keys) = sequence(one) {
                    bindings.push(Binding { ctx: *ctx, keys, action: *action });
                }
            }
        }
        Keymap { bindings }
    }
}

fn sequence(text: &str) -> Option<Vec<Key>> {
    let keys: Option<Vec<Key>> = text.split_whitespace().map(Key::parse).collect();
    keys.filter(|k| !k.is_empty())
}

impl Keymap {
    /// The defaults with the user's file over them. The file has a table for each context, with lines
    /// `"keys" = "action"`; `"none"` unbinds.
    ///
    /// # Errors
    /// The first thing in the file that cannot be, in words, with the nearest action where a name is unknown.
    pub fn with_user(text: &str) -> Result<Keymap, String> {
        let mut map = Keymap::default();
        let table: toml::Table = text.parse().map_err(|e: toml::de::Error| e.message().to_owned())?;
        for (ctx_name, binds) in &table {
            let Some(ctx) = Ctx::ALL.into_iter().find(|c| c.as_str() == ctx_name) else {
                let all: Vec<_> = Ctx::ALL.iter().map(|c| c.as_str()).collect();
                return Err(format!("[{ctx_name}] is no place for keys; there are {}", all.join(", ")));
            };
            let Some(binds) = binds.as_table() else { return Err(format!("[{ctx_name}] is no table")) };
            for (keys, action) in binds {
                let Some(sequence) = sequence(keys) else { return Err(format!("{keys:?} is no key")) };
                let name = action.as_str().unwrap_or_default();
                map.bindings.retain(|b| b.ctx != ctx || b.keys != sequence);
                if name == "none" {
                    continue;
                }
                let Some(action) = Action::named(name) else {
                    let near = super::action::ACTIONS
                        .iter()
                        .max_by(|a, b| strsim::jaro(a.name, name).total_cmp(&strsim::jaro(b.name, name)));
                    let near = near.map_or("", |i| i.name);
                    return Err(format!("{name:?} is no action; did you mean {near:?}?"));
                };
                map.bindings.push(Binding { ctx, keys: sequence, action });
            }
        }
        match map.clash() {
            Some((a, b)) => {
                Err(format!("{:?} in [{}] hides {:?}, which begins with it", a.text(), a.ctx.as_str(), b.text()))
            }
            None => Ok(map),
        }
    }

    /// Two bindings of one context of which one can never be reached.
    pub fn clash(&self) -> Option<(&Binding, &Binding)> {
        self.bindings.iter().enumerate().find_map(|(i, a)| {
            let hides = |(j, b): &(usize, &Binding)| *j != i && b.ctx == a.ctx && b.keys.starts_with(&a.keys);
            self.bindings.iter().enumerate().find(hides).map(|(_, b)| (a, b))
        })
    }

    /// What a sequence means in the active contexts, innermost first.
    pub fn find(&self, contexts: &[Ctx], keys: &[Key]) -> Found {
        let mut prefix = false;
        for ctx in contexts {
            for b in self.bindings.iter().filter(|b| b.ctx == *ctx) {
                if b.keys == keys {
                    return Found::Action(b.action);
                }
                prefix |= b.keys.starts_with(keys);
            }
            if prefix {
                return Found::Prefix;
            }
        }
        Found::Nothing
    }

    /// The shortest keys for an action in the active contexts.
    pub fn keys_of(&self, contexts: &[Ctx], action: Action) -> Option<String> {
        contexts
            .iter()
            .find_map(|ctx| self.bindings.iter().find(|b| b.ctx == *ctx && b.action == action).map(Binding::text))
    }

    /// All bindings of a context, in the order of the table.
    pub fn of(&self, ctx: Ctx) -> impl Iterator<Item = &Binding> {
        self.bindings.iter().filter(move |b| b.ctx == ctx)
    }

    /// What may follow the keys so far.
    pub fn after<'a>(&'a self, contexts: &'a [Ctx], keys: &'a [Key]) -> impl Iterator<Item = &'a Binding> {
        self.bindings
            .iter()
            .filter(move |b| contexts.contains(&b.ctx) && b.keys.len() > keys.len() && b.keys.starts_with(keys))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn defaults_are_read_whole_and_do_not_clash() {
        let map = Keymap::default();
        let want: usize = DEFAULT.iter().map(|(_, keys, _)| keys.split(" | ").count()).sum();
        assert_eq!(map.bindings.len(), want);
        assert_eq!(map.clash(), None);
        for b in &map.bindings {
            assert!(b.ctx == Ctx::Global || b.action.is_for(b.ctx), "{b:?}");
        }
    }

    #[test]
    fn sequences_and_contexts() {
        let map = Keymap::default();
        let keys = |t: &str| sequence(t).unwrap();
        assert_eq!(map.find(&[Ctx::List, Ctx::Global], &keys("g")), Found::Prefix);
        assert_eq!(map.find(&[Ctx::List, Ctx::Global], &keys("g g")), Found::Action(Action::First));
        assert_eq!(map.find(&[Ctx::List, Ctx::Global], &keys("g x")), Found::Nothing);
        assert_eq!(map.find(&[Ctx::List, Ctx::Global], &keys("?")), Found::Action(Action::Help));
        assert_eq!(map.find(&[Ctx::Prompt], &keys("?")), Found::Nothing);
        assert_eq!(map.keys_of(&[Ctx::List, Ctx::Global], Action::Help).as_deref(), Some("?"));
    }

    #[test]
    fn user_file() {
        let map = Keymap::with_user("[list]\n\"j\" = \"none\"\n\"ctrl-x m\" = \"messages\"\n").unwrap();
        assert_eq!(map.find(&[Ctx::List], &sequence("j").unwrap()), Found::Nothing);
        assert_eq!(map.find(&[Ctx::List], &sequence("ctrl-x m").unwrap()), Found::Action(Action::Messages));
        assert!(Keymap::with_user("[list]\n\"j\" = \"mesages\"").unwrap_err().contains("\"messages\""));
        assert!(Keymap::with_user("[lists]").unwrap_err().contains("no place"));
        assert!(Keymap::with_user("[list]\n\"hyper-j\" = \"down\"").unwrap_err().contains("no key"));
        assert!(Keymap::with_user("[list]\n\"g\" = \"down\"").unwrap_err().contains("hides"));
    }
}
