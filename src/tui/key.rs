//! Keys as text and back: `j`, `G`, `ctrl-d`, `alt-left`, `shift-tab`, `space`.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// One key press, normalised: a letter carries its case itself and no SHIFT beside it, because terminals disagree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// Which key.
    pub code: KeyCode,
    /// CONTROL, ALT, and SHIFT for keys that are no characters.
    pub mods: KeyModifiers,
}

const NAMES: [(&str, KeyCode); 18] = [
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("backtab", KeyCode::BackTab),
    ("space", KeyCode::Char(' ')),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("minus", KeyCode::Char('-')),
    ("null", KeyCode::Null),
];

impl Key {
    /// From what the terminal sent.
    pub fn from_event(event: KeyEvent) -> Key {
        Key::new(event.code, event.modifiers)
    }

    /// Normalises.
    pub fn new(code: KeyCode, mods: KeyModifiers) -> Key {
        let mut mods = mods & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let code = match code {
            KeyCode::Char(c) => {
                let c = if mods.contains(KeyModifiers::SHIFT) { c.to_uppercase().next().unwrap_or(c) } else { c };
                mods.remove(KeyModifiers::SHIFT);
                KeyCode::Char(c)
            }
            KeyCode::Tab if mods.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
            other => other,
        };
        if code == KeyCode::BackTab {
            mods.remove(KeyModifiers::SHIFT);
        }
        Key { code, mods }
    }

    /// Reads `ctrl-x`, `alt-left`, `shift-tab`, `f5`, `G`, `?`.
    pub fn parse(text: &str) -> Option<Key> {
        let mut mods = KeyModifiers::NONE;
        let mut rest = text;
        loop {
            let (m, r) = if let Some(r) = rest.strip_prefix("ctrl-") {
                (KeyModifiers::CONTROL, r)
            } else if let Some(r) = rest.strip_prefix("alt-") {
                (KeyModifiers::ALT, r)
            } else if let Some(r) = rest.strip_prefix("shift-") {
                (KeyModifiers::SHIFT, r)
            } else {
                break;
            };
            if r.is_empty() {
                break;
            }
            mods |= m;
            rest = r;
        }
        let mut chars = rest.chars();
        let code = match (chars.next(), chars.next()) {
            (Some(c), None) => KeyCode::Char(c),
            _ => match NAMES.iter().find(|(name, _)| *name == rest) {
                Some((_, code)) => *code,
                None => {
                    let n: u8 = rest.strip_prefix('f')?.parse().ok()?;
                    (1..=12).contains(&n).then_some(KeyCode::F(n))?
                }
            },
        };
        Some(Key::new(code, mods))
    }

    /// The character that it types, if it types one.
    pub fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if !self.mods.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => Some(c),
            _ => None,
        }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.code == KeyCode::BackTab {
            return f.write_str("shift-tab");
        }
        for (m, name) in
            [(KeyModifiers::CONTROL, "ctrl-"), (KeyModifiers::ALT, "alt-"), (KeyModifiers::SHIFT, "shift-")]
        {
            if self.mods.contains(m) {
                f.write_str(name)?;
            }
        }
        match self.code {
            KeyCode::Char(c) if c != ' ' => write!(f, "{c}"),
            KeyCode::F(n) => write!(f, "f{n}"),
            code => f.write_str(NAMES.iter().find(|(_, c)| *c == code).map_or("?", |(name, _)| name)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn text_and_back() {
        for text in ["j", "G", "?", "ctrl-d", "alt-left", "shift-tab", "space", "f5", "enter", "-", "ctrl-alt-x", "/"] {
            assert_eq!(Key::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Key::parse("nope"), None);
        assert_eq!(Key::parse("f13"), None);
    }

    #[test]
    fn shift_is_in_the_letter() {
        let g = Key::new(KeyCode::Char('g'), KeyModifiers::SHIFT);
        assert_eq!(g, Key::parse("G").unwrap());
        assert_eq!(Key::new(KeyCode::Char('G'), KeyModifiers::SHIFT), g);
        assert_eq!(Key::new(KeyCode::Tab, KeyModifiers::SHIFT), Key::parse("shift-tab").unwrap());
    }
}
