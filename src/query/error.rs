//! What is wrong with a query, and where.

use std::fmt;

/// A fault in a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryError {
    /// Where, in characters from 1; one behind the end where something is missing.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What would be right there.
    pub expected: String,
    /// The name that was probably meant.
    pub nearest: Option<String>,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.message)?;
        match &self.nearest {
            Some(near) => write!(f, "; did you mean {near}?"),
            None if self.expected.is_empty() => Ok(()),
            None => write!(f, "; expected {}", self.expected),
        }
    }
}

impl std::error::Error for QueryError {}

/// The name of a list that a mistyped one most likely meant.
pub(super) fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > 80 {
        return None;
    }
    let word = word.to_lowercase().replace('_', "-");
    let names: Vec<&str> = names.into_iter().collect();
    let near = names
        .iter()
        .map(|n| (strsim::damerau_levenshtein(&word, &n.replace('_', "-")), *n))
        .filter(|(d, n)| *d <= 3 && *d * 2 <= n.len().max(word.len()))
        .min_by_key(|(d, _)| *d)
        .map(|(_, n)| n);
    near.or_else(|| (word.len() >= 3).then(|| names.into_iter().find(|n| n.contains(&word)))?)
}
