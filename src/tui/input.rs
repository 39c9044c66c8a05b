//! Keys to messages: sequences, letters that are typed, letters of menus.

use super::action::Action;
use super::key::Key;
use super::keymap::{Found, Keymap};
use super::model::{Model, Pick};
use super::update::Msg;

/// What a key press means.
#[derive(Debug)]
pub enum Pressed {
    /// A message for `update`.
    Msg(Msg),
    /// An entry of the menu.
    Pick(Pick),
    /// The beginning of a sequence, or nothing at all; the screen may have changed.
    Nothing,
}

/// Looks a key up where it goes now.
pub fn press(m: &mut Model, keymap: &Keymap, key: Key) -> Pressed {
    if m.awaiting.is_some() {
        return match key.typed() {
            Some(c) => Pressed::Msg(Msg::Type(c)),
            None => Pressed::Msg(Msg::Act(Action::Cancel)),
        };
    }
    if let (Some(menu), Some(c)) = (&m.menu, key.typed())
        && let Some((_, _, pick)) = menu.items.iter().find(|(letter, _, _)| *letter == c)
    {
        return Pressed::Pick(*pick);
    }
    m.pending.push(key);
    match keymap.find(m.contexts(), &m.pending) {
        Found::Action(action) => {
            m.pending.clear();
            Pressed::Msg(Msg::Act(action))
        }
        Found::Prefix => Pressed::Nothing,
        Found::Nothing => {
            let alone = m.pending.len() == 1;
            m.pending.clear();
            match key.typed() {
                _ if m.contexts() == [super::action::Ctx::Edit] => Pressed::Msg(Msg::Edit(key)),
                Some(c) if m.is_typing() => Pressed::Msg(Msg::Type(c)),
                // A wrong second key: it may mean something by itself.
                _ if !alone && key.typed().is_none() => press(m, keymap, key),
                _ => Pressed::Nothing,
            }
        }
    }
}
