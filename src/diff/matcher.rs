//! Matchers: strings of the left trace that stand for more than themselves.

use regex::RegexBuilder;

use crate::wire::json::Value;

/// A regular expression larger than this when compiled is refused: a trace may be hostile.
const MAX_REGEX: usize = 1 << 20;

/// Whether a value fits what stands on the left; `None` where that is no matcher.
pub(super) fn fits(left: Value<'_>, right: Value<'_>) -> Option<bool> {
    let inner = left.inner()?;
    if !inner.starts_with(b"<<") || !inner.ends_with(b">>") {
        return None;
    }
    let text = left.as_str()?;
    let word = text.strip_prefix("<<")?.strip_suffix(">>")?;
    Some(match word {
        "any" => true,
        "string" => right.is_string(),
        "number" => right.is_number(),
        "integer" => right.is_integer(),
        "boolean" => right.is_bool(),
        "array" => right.is_array(),
        "object" => right.is_object(),
        _ => {
            let pattern = word.strip_prefix("regex:")?;
            let regex = RegexBuilder::new(&format!("^(?:{pattern})$")).size_limit(MAX_REGEX).build().ok()?;
            // A number is matched as it is written.
            let text = right.as_str().unwrap_or_else(|| right.raw_str());
            regex.is_match(&text)
        }
    })
}
