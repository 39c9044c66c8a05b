//! Integers beyond 2^53, which a program that stores numbers as doubles rounds: kept so that a rounded copy is noticed.

use rustc_hash::FxHashMap;

/// Such integers of one direction, by the double that they become. Of more than 4,096 the first are kept.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    by_double: FxHashMap<u64, (Box<str>, u32)>,
}

/// Numbers that are kept at most.
const MAX: usize = 4096;

impl Numbers {
    /// Notes an integer and the record that it was first seen in.
    pub fn note(&mut self, text: &str, record: u32) {
        let Ok(double) = text.parse::<f64>() else { return };
        if self.by_double.len() < MAX && !is_print_of(double, text) {
            self.by_double.entry(double.to_bits()).or_insert_with(|| (text.into(), record));
        }
    }

    /// The integer that was sent, and in which record, where this one is what a double makes of it.
    pub fn rounded_from(&self, text: &str) -> Option<(&str, u32)> {
        if self.by_double.is_empty() {
            return None;
        }
        let double = text.parse::<f64>().ok()?;
        let (other, record) = self.by_double.get(&double.to_bits())?;
        (other.as_ref() != text && is_print_of(double, text)).then_some((other.as_ref(), *record))
    }
}

/// Whether a program that holds this double prints it so: with all its digits, or with the shortest ones and zeros.
fn is_print_of(double: f64, text: &str) -> bool {
    format!("{double:.0}") == text || format!("{double}") == text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_rounded_copy_is_told_from_another_number() {
        let mut sent = Numbers::default();
        sent.note("9007199254740995", 3);
        sent.note("12345678901234567890", 4);
        assert_eq!(sent.rounded_from("9007199254740996"), Some(("9007199254740995", 3)));
        assert_eq!(sent.rounded_from("9007199254740995"), None, "it came back as it was");
        assert_eq!(sent.rounded_from("12345678901234567000").unwrap().1, 4, "as JavaScript prints it");
        assert_eq!(sent.rounded_from("12345678901234567168").unwrap().1, 4, "with all its digits");
        assert_eq!(sent.rounded_from("12345678901234567891"), None, "another number");
    }
}
