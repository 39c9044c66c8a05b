//! The value of a header that holds a credential: which part of it is the secret.

use std::ops::Range;

/// Words that say how the credential is to be read.
const SCHEMES: &[&str] = &[
    "bearer",
    "basic",
    "token",
    "digest",
    "apikey",
    "api-key",
    "negotiate",
    "ntlm",
    "hawk",
    "aws4-hmac-sha256",
    "dpop",
];

/// Length of the scheme with the blanks behind it; 0 where there is none.
pub(super) fn scheme(value: &[u8]) -> usize {
    let word = value.iter().position(|b| *b == b' ').unwrap_or(value.len());
    if word < value.len() && SCHEMES.iter().any(|s| value[..word].eq_ignore_ascii_case(s.as_bytes())) {
        word + value[word..].iter().take_while(|b| **b == b' ').count()
    } else {
        0
    }
}

/// Whether a word is the name of a scheme.
pub(super) fn is_scheme(word: &[u8]) -> bool {
    SCHEMES.iter().any(|s| word.eq_ignore_ascii_case(s.as_bytes()))
}

/// The values of a `Cookie` header; of `Set-Cookie` only the first, because attributes follow.
pub(super) fn cookies(value: &[u8], set: bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for part in value.split(|b| *b == b';') {
        if let Some(equals) = part.iter().position(|b| *b == b'=') {
            let raw = &part[equals + 1..];
            let len = raw.len() - raw.iter().rev().take_while(|b| b.is_ascii_whitespace()).count();
            if len > 0 {
                found.push(at + equals + 1..at + equals + 1 + len);
            }
        } else if at == 0 && !part.is_empty() {
            found.push(0..part.len());
        }
        at += part.len() + 1;
        if set {
            break;
        }
    }
    found
}
