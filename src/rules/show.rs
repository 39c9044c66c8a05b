//! How findings show what is on the wire: short, on one line, never the whole payload.

use crate::wire::json::Value;

/// Longest text that a finding quotes, in characters.
pub const MAX: usize = 80;

/// The text on one line, cut at [`MAX`] characters. Blanks in a row are one.
pub fn short(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4 * MAX));
    let mut blank = false;
    for (n, c) in
        text.chars().filter(|c| !(std::mem::replace(&mut blank, c.is_whitespace()) && c.is_whitespace())).enumerate()
    {
        if n == MAX {
            out.push('…');
            break;
        }
        out.push(if c.is_whitespace() { ' ' } else { c });
    }
    out
}

/// The text in quotes, cut.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", short(text))
}

/// A JSON value as it stands on the wire, cut.
pub fn value(value: Value<'_>) -> String {
    let raw = value.raw();
    // Four bytes a character at most: more is never shown.
    short(&String::from_utf8_lossy(&raw[..raw.len().min(4 * MAX + 4)]))
}

/// A value of a schema library, cut.
pub fn value_of(value: &serde_json::Value) -> String {
    short(&value.to_string())
}

/// A list in words: `a, b and c`.
pub fn list(items: &[&str]) -> String {
    match items {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

/// Whether a text holds a word or phrase, without regard to the case of ASCII letters.
pub fn has(text: &str, phrase: &str) -> bool {
    let (t, p) = (text.as_bytes(), phrase.as_bytes());
    !p.is_empty() && t.windows(p.len()).any(|w| w.eq_ignore_ascii_case(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(short("é".repeat(80).as_str()), "é".repeat(80));
        assert_eq!(short("é".repeat(81).as_str()), format!("{}…", "é".repeat(80)));
        assert_eq!(short("[\n  {\n \"a\": 1"), "[ { \"a\": 1");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert!(has("Call Initialize first", "initialize") && !has("init", "initialize"));
    }
}
