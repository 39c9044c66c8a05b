//! Numbers by their text: exact questions without floating point, whatever the size of the exponent.

use std::cmp::Ordering;

use super::Value;

/// A number's text taken apart: sign, significant digits without zeros at either end, and the power of ten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decimal<'a> {
    /// A minus sign stands before it (also of zero).
    pub negative: bool,
    /// Digits before the decimal point.
    whole: &'a [u8],
    /// Digits after it.
    fraction: &'a [u8],
    /// Power of ten of the last significant digit; saturates.
    pub exponent: i64,
}

impl<'a> Decimal<'a> {
    /// Takes a JSON number apart; `None` for NaN and the infinities.
    pub fn read(raw: &'a [u8]) -> Option<Decimal<'a>> {
        let (negative, rest) = match raw.strip_prefix(b"-") {
            Some(rest) => (true, rest),
            None => (false, raw),
        };
        if !rest.first()?.is_ascii_digit() {
            return None;
        }
        let (mantissa, power) = match rest.iter().position(|b| matches!(b, b'e' | b'E')) {
            Some(e) => (&rest[..e], saturating(&rest[e + 1..])),
            None => (rest, 0),
        };
        let (whole, fraction) = match mantissa.iter().position(|&b| b == b'.') {
            Some(dot) => (&mantissa[..dot], &mantissa[dot + 1..]),
            None => (mantissa, &mantissa[..0]),
        };
        let mut whole = trim_start(whole);
        let mut fraction = trim_end(fraction);
        let mut exponent = power.saturating_sub(fraction.len() as i64);
        if fraction.is_empty() {
            let trimmed = trim_end(whole);
            exponent = exponent.saturating_add((whole.len() - trimmed.len()) as i64);
            whole = trimmed;
        }
        if whole.is_empty() {
            fraction = trim_start(fraction);
        }
        if whole.is_empty() && fraction.is_empty() {
            exponent = 0;
        }
        Some(Decimal { negative, whole, fraction, exponent })
    }

    /// The significant digits, first to last; none for zero.
    pub fn digits(&self) -> impl Iterator<Item = u8> + use<'a> {
        self.whole.iter().chain(self.fraction).copied()
    }

    /// How many significant digits.
    pub fn len(&self) -> usize {
        self.whole.len() + self.fraction.len()
    }

    /// Is zero, with either sign.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Has no fractional part.
    pub fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The exact value, where it is an integer that fits.
    pub fn as_i128(&self) -> Option<i128> {
        // 39 digits hold every i128: no loop here is longer than that.
        if !self.is_integer() || (self.len() as i64).saturating_add(self.exponent) > 39 {
            return None;
        }
        let mut value: i128 = 0;
        let zeros = std::iter::repeat_n(b'0', self.exponent as usize);
        for d in self.digits().chain(zeros) {
            value = value.checked_mul(10)?.checked_sub(i128::from(d - b'0'))?;
        }
        if self.negative { Some(value) } else { value.checked_neg() }
    }
}

/// Whether two numbers have the same value (`1`, `1.0` and `10e-1` do), exactly. `-0` is `0`. NaN equals only itself.
pub fn same(a: &[u8], b: &[u8]) -> bool {
    match (Decimal::read(a), Decimal::read(b)) {
        (Some(x), Some(y)) => {
            x.exponent == y.exponent
                && x.len() == y.len()
                && (x.negative == y.negative || x.is_empty())
                && x.digits().eq(y.digits())
        }
        _ => a == b,
    }
}

/// Which of two numbers is greater, exactly. `None` where one is NaN or infinite.
pub fn compare(a: &[u8], b: &[u8]) -> Option<Ordering> {
    let (x, y) = (Decimal::read(a)?, Decimal::read(b)?);
    let sign = |d: &Decimal<'_>| if d.is_empty() { 0 } else { 1 - 2 * i32::from(d.negative) };
    let by_sign = sign(&x).cmp(&sign(&y));
    if by_sign.is_ne() || x.is_empty() {
        return Some(by_sign);
    }
    // The first digit is never zero: where it stands decides before the digits do.
    let height = |d: &Decimal<'_>| (d.len() as i64).saturating_add(d.exponent);
    let size = height(&x).cmp(&height(&y)).then_with(|| x.digits().cmp(y.digits()));
    Some(if x.negative { size.reverse() } else { size })
}

/// Whether the number has no fractional part, mathematically (`1.0` and `1e2` have none).
pub fn is_integer(raw: &[u8]) -> bool {
    Decimal::read(raw).is_some_and(|d| d.is_integer())
}

/// The integers in a value, written in plain digits, that are beyond 2^53 - 1: a double does not hold them for sure.
pub fn unsafe_integers<'a>(root: Value<'a>) -> impl Iterator<Item = Value<'a>> {
    let doc = root.doc();
    (root.node()..root.next_node()).filter_map(move |n| doc.node(n)).filter(|v| v.is_number() && is_unsafe(v.raw()))
}

fn is_unsafe(raw: &[u8]) -> bool {
    let digits = raw.strip_prefix(b"-").unwrap_or(raw);
    digits.len() >= 16
        && digits.iter().all(u8::is_ascii_digit)
        && (digits.len() > 16 || digits > b"9007199254740991".as_slice())
}

/// The nearest floating-point number; infinite where it is too large.
pub fn as_f64(raw: &[u8]) -> Option<f64> {
    std::str::from_utf8(raw).ok()?.parse().ok()
}

fn saturating(exponent: &[u8]) -> i64 {
    let (negative, digits) = match exponent.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, exponent),
    };
    // Far beyond any length of digits, and far from the ends of i64, so that sums stay true.
    const LIMIT: i64 = 1 << 56;
    let mut value = 0i64;
    for d in digits {
        value = (value * 10 + i64::from(d - b'0')).min(LIMIT);
    }
    if negative { -value } else { value }
}

fn trim_start(digits: &[u8]) -> &[u8] {
    &digits[digits.iter().take_while(|&&d| d == b'0').count()..]
}

fn trim_end(digits: &[u8]) -> &[u8] {
    &digits[..digits.len() - digits.iter().rev().take_while(|&&d| d == b'0').count()]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn integers_are_told_by_value_not_by_spelling() {
        for yes in [
            "0",
            "-0",
            "1",
            "1.0",
            "1e2",
            "1.5e1",
            "100e-2",
            "0e-9999999999",
            "0.0",
            "1e999999999999999999999",
            "12.50e2",
        ] {
            assert!(is_integer(yes.as_bytes()), "{yes}");
        }
        for no in
            ["0.5", "1e-1", "15e-1", "100e-3", "1.25e1", "1e-999999999999999999999", "NaN", "Infinity", "-Infinity"]
        {
            assert!(!is_integer(no.as_bytes()), "{no}");
        }
    }

    #[test]
    fn exact_values() {
        let int = |s: &str| Decimal::read(s.as_bytes()).unwrap().as_i128();
        assert_eq!(int("0"), Some(0));
        assert_eq!(int("-0.0"), Some(0));
        assert_eq!(int("1.20e1"), Some(12));
        assert_eq!(int("-9223372036854775808"), Some(i128::from(i64::MIN)));
        assert_eq!(int("12345678901234567890123"), Some(12_345_678_901_234_567_890_123));
        assert_eq!(int("1e39"), None);
        assert_eq!(int("1e999999999"), None);
        assert_eq!(int("0.5"), None);
    }

    #[test]
    fn sameness_is_exact() {
        let same = |a: &str, b: &str| same(a.as_bytes(), b.as_bytes());
        assert!(
            same("1", "1.0") && same("1", "10e-1") && same("-0", "0") && same("1.10", "1.1") && same("120", "1.2e2")
        );
        assert!(same("12345678901234567890123", "12345678901234567890123.0"));
        assert!(!same("12345678901234567890123", "12345678901234567890124"));
        assert!(!same("1", "-1") && !same("1", "10") && !same("0.1", "0.01") && !same("1e400", "1e401"));
        assert!(same("NaN", "NaN") && !same("NaN", "0"));
    }

    #[test]
    fn order_is_exact() {
        let sorted = [
            "-1e400",
            "-12345678901234567890124",
            "-12345678901234567890123",
            "-2",
            "-1.5",
            "-0.001",
            "0",
            "1e-400",
            "0.09",
            "0.1",
            "0.10000000000000000000001",
            "1",
            "1.05",
            "9",
            "10",
            "9007199254740993",
            "9007199254740994",
            "1e400",
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(compare(a.as_bytes(), b.as_bytes()), Some(i.cmp(&j)), "{a} {b}");
            }
        }
        assert_eq!(compare(b"1.0", b"10e-1"), Some(Ordering::Equal));
        assert_eq!(compare(b"-0", b"0.0"), Some(Ordering::Equal));
        assert_eq!(compare(b"NaN", b"0"), None);
    }
}
