//! `name=value`, `name: value`, `--name value`, `"name": "value"` in a text, where the name says that the value is a
//! secret. Finds them in logs, command lines, URLs, configuration and broken JSON alike.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::{credential, keys};
use crate::wire::secrets::{self, Name};

/// The last word of such a name.
static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|key[_-]?id|key|credentials?|auth(?:orization)?|cookie|jwt|bearer",
        r"|signature|sig|session[_-]?id|sid|dsn|pat|t?otp|code[_-]?verifier|code|mnemonic|phrase|assertion|hmac|nonce",
        r"|connection[_-]?string)"
    ))
    .ok()
});

/// How a name and its value are joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    Equals,
    Colon,
    /// `password is …`
    Word,
    /// `--password …`
    Flag,
}

/// Calls `take` with the name and the place of each value.
pub(super) fn each(text: &[u8], mut take: impl FnMut(&[u8], Range<usize>)) {
    let Some(regex) = WORD.as_ref() else { return };
    let mut done = 0;
    for found in regex.find_iter(text) {
        if found.start() < done || text.get(found.end()).is_some_and(|b| is_name(*b) && *b != b'-') {
            continue;
        }
        let start = found.start() - text[..found.start()].iter().rev().take(50).take_while(|b| is_name(**b)).count();
        let name = &text[start..found.end()];
        let flag = name.starts_with(b"-");
        let name = &name[name.iter().take_while(|b| **b == b'-').count()..];
        let Some(strength) = keys::name(name).or_else(|| spaced(text, start, name)) else { continue };
        let Some((joint, at, quote)) = joint(text, found.end(), flag) else { continue };
        if name.to_ascii_lowercase().ends_with(b"cookie") && joint == Joint::Colon {
            let line =
                text[at..].iter().position(|b| matches!(b, b'\n' | b'\r' | b'"' | b'\'')).unwrap_or(text.len() - at);
            let set = name.to_ascii_lowercase().starts_with(b"set");
            for range in credential::cookies(&text[at..at + line], set) {
                take(name, at + range.start..at + range.end);
            }
            done = at + line;
            continue;
        }
        let mut at = at;
        let mut range = value(text, at, quote);
        let mut behind_scheme = false;
        if credential::is_scheme(&text[range.clone()]) && text.get(range.end) == Some(&b' ') {
            at = range.end + text[range.end..].iter().take_while(|b| **b == b' ').count();
            range = value(text, at, quote);
            behind_scheme = true;
        }
        let what = &text[range.clone()];
        // A call: `password = getpass()`.
        if text.get(range.end) == Some(&b'(') || what.is_empty() {
            continue;
        }
        let sure = match strength {
            Name::Strong if behind_scheme => what.len() >= 8 && secrets::is_named_secret(Name::Strong, what),
            Name::Strong => match joint {
                Joint::Equals | Joint::Flag => secrets::is_named_secret(Name::Strong, what) && !is_code(what),
                Joint::Colon if quote.is_some() || is_upper(name) => {
                    secrets::is_named_secret(Name::Strong, what) && !is_code(what)
                }
                Joint::Colon | Joint::Word => {
                    what.len() >= 6 && secrets::is_named_secret(Name::Strong, what) && is_mixed(what)
                }
            },
            Name::Weak => secrets::is_named_secret(Name::Weak, what),
        };
        if sure {
            done = range.end;
            take(name, range);
        }
    }
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')
}

fn is_upper(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase)
}

/// Letters with digits or other characters among them: no word.
fn is_mixed(value: &[u8]) -> bool {
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    digits > 0 && letters > 0
}

/// A path or a variable, not a value: `self.password`, `process.env.TOKEN`, `./key.pem`.
fn is_code(value: &[u8]) -> bool {
    matches!(value.first(), Some(b'.' | b'~' | b'/' | b'$'))
        || [&b"self."[..], b"this.", b"process.env", b"os.environ", b"env."].iter().any(|p| value.starts_with(p))
}

/// `API key`, `access token`: two words for one name.
fn spaced(text: &[u8], start: usize, last: &[u8]) -> Option<Name> {
    let before = text[..start].strip_suffix(b" ")?;
    let len = before.iter().rev().take(12).take_while(|b| b.is_ascii_alphabetic()).count();
    let first = &before[before.len() - len..];
    keys::name(&[first, b"-", last].concat())
}

/// What joins a name that ends at `from` to its value; where the value begins, and its quote.
fn joint(text: &[u8], from: usize, flag: bool) -> Option<(Joint, usize, Option<u8>)> {
    let get = |i: usize| text.get(i).copied();
    let mut i = from;
    // The name's own quote, perhaps escaped.
    let escapes = text[i..].iter().take(3).take_while(|b| **b == b'\\').count();
    if matches!(get(i + escapes), Some(b'"' | b'\'' | b'`')) {
        i += escapes + 1;
    }
    let blanks = |i: usize| text[i..].iter().take(4).take_while(|b| matches!(b, b' ' | b'\t')).count();
    let first = blanks(i);
    i += first;
    let joint = match get(i)? {
        b'=' => {
            i += 1 + usize::from(get(i + 1) == Some(b'>'));
            Joint::Equals
        }
        b':' if get(i + 1) != Some(b':') && !text[i..].starts_with(b"://") => {
            i += 1 + usize::from(get(i + 1) == Some(b'='));
            Joint::Colon
        }
        _ if first > 0 && flag => Joint::Flag,
        b'i' | b'w' if first > 0 && (text[i..].starts_with(b"is ") || text[i..].starts_with(b"was ")) => {
            i += if get(i) == Some(b'i') { 2 } else { 3 };
            Joint::Word
        }
        _ => return None,
    };
    if joint != Joint::Flag {
        i += blanks(i);
    }
    let escapes = text[i.min(text.len())..].iter().take(3).take_while(|b| **b == b'\\').count();
    let quote = get(i + escapes).filter(|b| matches!(b, b'"' | b'\'' | b'`'));
    if quote.is_some() {
        i += escapes + 1;
    }
    (i < text.len()).then_some((joint, i, quote))
}

fn value(text: &[u8], at: usize, quote: Option<u8>) -> Range<usize> {
    let rest = &text[at..];
    let len = match quote {
        Some(quote) => rest.iter().position(|b| *b == quote || matches!(b, b'\\' | b'\n' | b'\r')),
        None => rest.iter().position(|b| {
            *b <= b' '
                || matches!(
                    b,
                    b'"' | b'\'' | b'`' | b'&' | b';' | b',' | b'<' | b'>' | b'(' | b')' | b'\\' | b'{' | b'}'
                )
        }),
    }
    .unwrap_or(rest.len());
    let mut end = at + len;
    if quote.is_none() {
        while end > at && matches!(text[end - 1], b'.' | b':' | b'?' | b']') {
            end -= 1;
        }
    }
    at..end
}
