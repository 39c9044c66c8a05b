//! Whether two JSON values are the same: numbers by their value, exactly; objects without regard to the order.

use crate::wire::json::{Kind, Value, number};

/// Values deeper than this count as different.
const MAX_DEPTH: usize = 200;

/// Compares two values.
pub fn same(a: Value<'_>, b: Value<'_>) -> bool {
    go(a, b, 0)
}

fn go(a: Value<'_>, b: Value<'_>, depth: usize) -> bool {
    if a.kind() != b.kind() || depth > MAX_DEPTH {
        return false;
    }
    match a.kind() {
        Kind::Null => true,
        Kind::Bool => a.as_bool() == b.as_bool(),
        Kind::Number => number::same(a.raw(), b.raw()),
        Kind::String => a.inner() == b.inner() || a.as_str() == b.as_str(),
        Kind::Array => a.len() == b.len() && a.elements().zip(b.elements()).all(|(x, y)| go(x, y, depth + 1)),
        Kind::Object => {
            if a.len() != b.len() {
                return false;
            }
            // Copies mostly keep the order: the member at the same place is tried first.
            let mut theirs = b.members();
            a.members().all(|(key, value)| {
                let name = key.as_str();
                let other = match theirs.next() {
                    Some((k, v)) if k.eq(name.as_ref()) => Some(v),
                    _ => b.get(&name),
                };
                other.is_some_and(|o| go(value, o, depth + 1))
            })
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::wire::json::Document;

    #[test]
    fn values_compare_by_what_they_mean() {
        let same = |a: &str, b: &str| {
            let (a, b) =
                (Document::new(Box::<[u8]>::from(a.as_bytes())), Document::new(Box::<[u8]>::from(b.as_bytes())));
            same(a.doc().root().unwrap(), b.doc().root().unwrap())
        };
        assert!(same(r#"{"a":1,"b":[true,null]}"#, r#"{ "b":[true,null], "a":1.0 }"#));
        assert!(same(r#""é""#, r#""\u00e9""#));
        assert!(!same("[1,2]", "[2,1]") && !same(r#"{"a":1}"#, r#"{"b":1}"#) && !same("1", "\"1\""));
        assert!(!same("12345678901234567890123", "12345678901234567890124"));
    }
}
