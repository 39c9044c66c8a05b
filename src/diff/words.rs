//! Differences inside texts, word by word.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

/// After this time the rest counts as different: texts may be made to be hard to compare.
const TIMEOUT: Duration = Duration::from_millis(200);

/// Texts longer than this are compared as a whole.
const MAX_LEN: usize = 64 * 1024;

/// What a part of a text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// In both.
    Equal,
    /// Only on the left.
    Removed,
    /// Only on the right.
    Added,
}

/// The parts of two texts. `None` where they have too little in common for words to be of use.
pub fn words(left: &str, right: &str) -> Option<Vec<(Part, String)>> {
    if left.len() > MAX_LEN || right.len() > MAX_LEN {
        return None;
    }
    let diff = TextDiff::configure().timeout(TIMEOUT).diff_words(left, right);
    let mut parts: Vec<(Part, String)> = Vec::new();
    let mut common = 0;
    for change in diff.iter_all_changes() {
        let part = match change.tag() {
            ChangeTag::Equal => Part::Equal,
            ChangeTag::Delete => Part::Removed,
            ChangeTag::Insert => Part::Added,
        };
        if part == Part::Equal {
            common += change.value().trim().len();
        }
        match parts.last_mut().filter(|(last, _)| *last == part) {
            Some((_, text)) => text.push_str(change.value()),
            None => parts.push((part, change.value().to_owned())),
        }
    }
    (common * 4 >= left.len().min(right.len()) && common > 0).then_some(parts)
}
