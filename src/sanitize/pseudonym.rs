//! What a secret is called instead.

use std::fmt::Write as _;

use hmac::{Hmac, Mac};
use rustc_hash::FxHashMap;
use sha2::Sha256;

/// How the replacement is spelled: by what is allowed around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// `<<secret:KIND:N>>`
    Marked,
    /// `secret-KIND-N`: in URLs and paths.
    Plain,
    /// `secret-email-N@example.invalid`
    Email,
    /// A number: `77700000N`.
    Number,
}

/// Replaced numbers begin so; they have no marker otherwise.
const NUMBER: &[u8] = b"77700000";

/// The names given so far.
#[derive(Default)]
pub(super) struct Pseudonyms {
    key: Option<Vec<u8>>,
    given: FxHashMap<Vec<u8>, (&'static str, String)>,
    last: u64,
}

impl Pseudonyms {
    pub fn new(key: Option<&[u8]>) -> Pseudonyms {
        Pseudonyms { key: key.map(<[u8]>::to_vec), ..Pseudonyms::default() }
    }

    /// Numbers up to this one are taken: the file was sanitized before.
    pub fn skip_to(&mut self, n: u64) {
        self.last = self.last.max(n);
    }

    /// The secrets so far with their kinds.
    pub fn secrets(&self) -> impl Iterator<Item = (&[u8], &'static str)> {
        self.given.iter().map(|(value, (kind, _))| (value.as_slice(), *kind))
    }

    /// What stands for a value. The first kind that it was found as stays its kind.
    pub fn name(&mut self, kind: &'static str, value: &[u8], form: Form) -> Vec<u8> {
        if !self.given.contains_key(value) {
            let n = match &self.key {
                Some(key) => keyed(key, value),
                None => {
                    self.last += 1;
                    self.last.to_string()
                }
            };
            self.given.insert(value.to_vec(), (kind, n));
        }
        let (kind, n) = &self.given[value];
        match form {
            Form::Marked => format!("<<secret:{}:{n}>>", slug(kind)).into_bytes(),
            Form::Plain => format!("secret-{}-{n}", slug(kind)).into_bytes(),
            Form::Email => format!("secret-{}-{n}@example.invalid", slug(kind)).into_bytes(),
            Form::Number => {
                let digits: String = n
                    .bytes()
                    .map(|b| if b.is_ascii_digit() { char::from(b) } else { char::from(b'0' + b % 10) })
                    .collect();
                [NUMBER, digits.as_bytes()].concat()
            }
        }
    }
}

/// A kind as one word: `a GitHub token` is `github-token`.
pub(super) fn slug(kind: &str) -> String {
    let bare = kind.strip_prefix("a ").or_else(|| kind.strip_prefix("an ")).unwrap_or(kind);
    let bare = match bare {
        "value with the name of a secret" => "named",
        "user name and password in a URL" => "url-login",
        "assignment of a secret" => "assigned",
        "authorization value" => "authorization",
        "JSON Web Token" => "jwt",
        other => other,
    };
    bare.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
}

/// 40 bits of HMAC-SHA256: enough that two values of a trace do not meet, and too few to be sure of a guess.
fn keyed(key: &[u8], value: &[u8]) -> String {
    let mut out = String::new();
    // A key of any length is fine for HMAC.
    if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) {
        mac.update(value);
        for byte in &mac.finalize().into_bytes()[..5] {
            let _ = write!(out, "{byte:02x}");
        }
    }
    out
}

/// Whether a value is a replacement already.
pub(super) fn is_replaced(value: &[u8]) -> bool {
    if value.starts_with(b"<<secret:") {
        return true;
    }
    if value.starts_with(NUMBER) {
        return value.iter().all(u8::is_ascii_digit);
    }
    let Some(rest) = value.strip_prefix(b"secret-") else { return false };
    let rest = rest.strip_suffix(b"@example.invalid").unwrap_or(rest);
    let Some(dash) = rest.iter().rposition(|b| *b == b'-') else { return false };
    let (kind, n) = (&rest[..dash], &rest[dash + 1..]);
    !n.is_empty()
        && n.iter().all(u8::is_ascii_hexdigit)
        && kind.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
}

/// Where replacements stand in a text.
pub(super) fn places(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut places = Vec::new();
    for at in memchr::memmem::find_iter(text, b"secret") {
        let start = at.saturating_sub(2);
        if text[start..].starts_with(b"<<secret:") {
            let len = text[start..].iter().take(90).position(|b| *b == b'>').unwrap_or(0);
            places.push(start..text.len().min(start + len + 2));
        } else if text[at..].starts_with(b"secret-") {
            let word = |b: &&u8| b.is_ascii_lowercase() || b.is_ascii_digit() || **b == b'-';
            let end = at + text[at..].iter().take(90).take_while(word).count();
            let end = end + if text[end..].starts_with(b"@example.invalid") { 16 } else { 0 };
            if is_replaced(&text[at..end]) {
                places.push(at..end);
            }
        }
    }
    places
}

/// The highest number that a text's replacements have.
pub(super) fn highest(text: &[u8]) -> u64 {
    let mut highest = 0;
    for at in memchr::memmem::find_iter(text, b"secret") {
        let rest = &text[at + 6..];
        let Some(&separator @ (b':' | b'-')) = rest.first() else { continue };
        let Some(end) = rest[1..].iter().take(40).position(|b| *b == separator && separator == b':') else {
            let word: Vec<u8> =
                rest.iter().take(60).copied().take_while(|b| b.is_ascii_alphanumeric() || *b == b'-').collect();
            let n = word.rsplit(|b| *b == b'-').next().and_then(|n| std::str::from_utf8(n).ok()?.parse().ok());
            highest = highest.max(n.unwrap_or(0));
            continue;
        };
        let digits: Vec<u8> = rest[end + 2..].iter().take(18).copied().take_while(u8::is_ascii_digit).collect();
        highest = highest.max(std::str::from_utf8(&digits).ok().and_then(|n| n.parse().ok()).unwrap_or(0));
    }
    highest
}
