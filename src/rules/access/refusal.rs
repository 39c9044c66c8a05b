//! Texts that read like a refusal.

use crate::rules::show::has;

const WORDS: &[&str] = &[
    "unauthorized",
    "unauthorised",
    "unauthenticated",
    "forbidden",
    "permission denied",
    "access denied",
    "invalid api key",
    "invalid token",
    "token expired",
    "not authorized",
    "authentication required",
    "authentication failed",
];

/// The part of a text that is looked at: an error stands at its beginning.
pub(super) fn head(text: &str) -> &str {
    match text.char_indices().nth(300) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// It says so in words.
pub(super) fn is_words(text: &str) -> bool {
    WORDS.iter().any(|w| has(text, w))
}

/// It says so in words, or with the number of an HTTP status.
pub(super) fn is(text: &str) -> bool {
    is_words(text) || status(text)
}

/// It begins with a refusal.
pub(super) fn begins(text: &str) -> bool {
    let start = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    WORDS.iter().any(|w| start.get(..w.len()).is_some_and(|s| s.eq_ignore_ascii_case(w)))
}

/// 401 or 403 as a word of its own beside a word that makes it a status (`HTTP 401`, `status code 403`).
fn status(text: &str) -> bool {
    ["401", "403"].iter().any(|n| {
        text.match_indices(n).any(|(i, _)| {
            let alone = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '.');
            let before = &text[..i];
            let after = &text[i + 3..];
            let near = before.trim_end_matches([' ', ':', '=', '(']).to_ascii_lowercase();
            let status = ["http", "status", "code", "error", "api"].iter().any(|w| near.ends_with(w));
            status && alone(before.chars().last()) && alone(after.chars().next())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals() {
        for yes in ["GitHub API: 403 Forbidden", "HTTP 401", "Request failed with status code 403", "Invalid API key"] {
            assert!(is(yes), "{yes}");
        }
        for no in ["Date lies in the past", "found 403 files", "line 401: syntax", "4010 items", "port 8403"] {
            assert!(!is(no), "{no}");
        }
        assert!(begins("Unauthorized: token expired") && !begins("GitHub says forbidden"));
    }
}
