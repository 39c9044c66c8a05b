//! Rules inside the text of one message: syntax, encoding, numbers.

mod bom;
mod json_duplicate_key;
mod json_integer_rounded;
mod json_lone_surrogate;
mod json_nan_literal;
mod json_not_utf8;
mod json_replacement_char;
mod json_syntax;
mod json_too_deep;
mod json_unsafe_integer;
mod message_oversize;

use super::cx::{Cx, Text, TextClass};
use super::rule::Rule;
use crate::wire::json::Value;

/// The rules of this layer, by id.
pub static RULES: &[&Rule] = &[
    &bom::RULE,
    &json_duplicate_key::RULE,
    &json_integer_rounded::RULE,
    &json_lone_surrogate::RULE,
    &json_nan_literal::RULE,
    &json_not_utf8::RULE,
    &json_replacement_char::RULE,
    &json_syntax::RULE,
    &json_too_deep::RULE,
    &json_unsafe_integer::RULE,
    &message_oversize::RULE,
];

/// The text that is judged, if what it holds could be read: the rules of this layer look at no other.
fn readable<'a>(cx: &Cx<'a>) -> Option<Text<'a>> {
    use TextClass::{CutOff, Joined, Message, TwoMessages};
    cx.text.filter(|t| matches!(t.class, Message | TwoMessages | Joined | CutOff))
}

/// Whether a fault stands where the text was cut off, so that the cut is all that is wrong.
fn is_cut_there(text: Text<'_>, offset: usize) -> bool {
    text.class == TextClass::CutOff && offset + 12 > text.bytes.len()
}

/// The first characters of a text, for messages.
pub(super) fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}

/// A value as it may be shown in a finding: short, and hidden where its key says that it is a secret.
fn shown(key: &str, value: Value<'_>) -> String {
    const SECRET: [&str; 7] = ["token", "secret", "password", "passwd", "authorization", "cookie", "key"];
    let key = key.to_ascii_lowercase();
    if SECRET.iter().any(|word| key.contains(word)) && !value.kind().is_container() {
        return format!("a {}", value.kind().name());
    }
    if value.kind().is_container() {
        return format!("an {} of {}", value.kind().name(), value.len());
    }
    cut(&value.raw_str(), 40)
}
