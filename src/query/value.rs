//! Values of terms, made ready for comparing: texts, numbers with units, times, JSON values.

use std::cmp::Ordering;

use jiff::civil;
use regex::bytes::{Regex, RegexBuilder};

use crate::wire::json::{Kind, Value, number};

use super::ast::{Op, Word};

/// A regular expression may compile to this many bytes: enough for what people write by hand.
const REGEX_SIZE: usize = 1 << 20;

/// A test of a text.
#[derive(Clone, Debug)]
pub(super) struct TextTest {
    op: Op,
    /// Lower case, for `=` and `!=` without case.
    text: String,
    case: bool,
    regex: Option<Regex>,
}

/// Builds the expression that finds a text, with its JSON-escaped form where that is another one.
pub(super) fn find_text(text: &str, case: bool) -> Result<Regex, String> {
    let mut pattern = regex::escape(text);
    let json = serde_json::to_string(text).unwrap_or_default();
    let inside = json.get(1..json.len().saturating_sub(1)).unwrap_or_default();
    if inside != text {
        pattern = format!("{pattern}|{}", regex::escape(inside));
    }
    build(&pattern, case)
}

fn build(pattern: &str, case: bool) -> Result<Regex, String> {
    RegexBuilder::new(pattern).case_insensitive(!case).size_limit(REGEX_SIZE).build().map_err(|e| match e {
        regex::Error::CompiledTooBig(_) => "the regular expression is too large".to_owned(),
        other => {
            // The last line of the message says what; the others draw where.
            let text = other.to_string();
            let last = text.lines().last().unwrap_or_default();
            format!("no regular expression: {}", last.strip_prefix("error: ").unwrap_or(last))
        }
    })
}

impl TextTest {
    /// The test of an operator and a value. `case`: upper and lower case differ.
    pub fn new(op: Op, word: &Word, case: bool) -> Result<TextTest, String> {
        let regex = match op {
            Op::Match => Some(build(&word.text, case)?),
            Op::Has => Some(build(&regex::escape(&word.text), case)?),
            _ => None,
        };
        let text = if case { word.text.clone() } else { word.text.to_lowercase() };
        Ok(TextTest { op, text, case, regex })
    }

    /// Whether a text satisfies it.
    pub fn holds(&self, text: &str) -> bool {
        match &self.regex {
            Some(regex) => regex.is_match(text.as_bytes()),
            None => self.is_same(text) != (self.op == Op::Ne),
        }
    }

    /// Whether bytes satisfy it.
    pub fn holds_bytes(&self, bytes: &[u8]) -> bool {
        match &self.regex {
            Some(regex) => regex.is_match(bytes),
            None => self.holds(&String::from_utf8_lossy(bytes)),
        }
    }

    fn is_same(&self, text: &str) -> bool {
        if self.case {
            return text == self.text;
        }
        if text.is_ascii() { text.eq_ignore_ascii_case(&self.text) } else { text.to_lowercase() == self.text }
    }
}

/// A plain number of a field.
pub(super) fn plain_number(word: &Word) -> Option<f64> {
    is_number(&word.text).then(|| word.text.parse().ok())?
}

/// Whether it is a number as JSON writes them.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let mut parts = digits.splitn(2, ['e', 'E']);
    let mantissa = parts.next().unwrap_or_default();
    let exponent = parts.next();
    let all_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let exponent = exponent.is_none_or(|e| all_digits(e.strip_prefix(['+', '-']).unwrap_or(e)));
    exponent
        && match mantissa.split_once('.') {
            Some((whole, fraction)) => all_digits(whole) && all_digits(fraction),
            None => all_digits(mantissa),
        }
}

/// A number with a unit: its value in the smallest unit, and how much its last digit is worth there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Amount {
    /// The value.
    pub value: i64,
    /// Anything in `value..value + step` is "the same".
    pub step: i64,
}

impl Amount {
    /// Whether a measured value satisfies the comparison.
    pub fn holds(self, op: Op, x: i64) -> bool {
        match op {
            Op::Eq | Op::Has | Op::Match => self.is_same(x),
            Op::Ne => !self.is_same(x),
            _ => op.holds(x.cmp(&self.value)),
        }
    }

    fn is_same(self, x: i64) -> bool {
        x >= self.value && x < self.value.saturating_add(self.step)
    }
}

fn amount(text: &str, units: &[(&str, f64)]) -> Option<Amount> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let scale = units.iter().find(|(u, _)| *u == unit)?.1;
    if !is_number(digits) {
        return None;
    }
    let value: f64 = digits.parse().ok()?;
    let decimals = digits.split_once('.').map_or(0, |(_, f)| f.len());
    let step = scale / 10f64.powi(decimals.min(30) as i32);
    Some(Amount { value: (value * scale).round() as i64, step: (step.round() as i64).max(1) })
}

const DURATIONS: [(&str, f64); 8] =
    [("us", 1.0), ("µs", 1.0), ("ms", 1e3), ("s", 1e6), ("m", 6e7), ("min", 6e7), ("h", 3.6e9), ("d", 8.64e10)];

/// A duration in microseconds: `500ms`, `2s`. Only 0 needs no unit.
pub(super) fn duration(text: &str) -> Option<Amount> {
    amount(text, &DURATIONS).or_else(|| (text == "0").then_some(Amount { value: 0, step: 1 }))
}

/// Bytes: `300`, `1.5k`, `2M`.
pub(super) fn bytes(text: &str) -> Option<Amount> {
    let units = [
        ("", 1.0),
        ("B", 1.0),
        ("k", 1e3),
        ("kB", 1e3),
        ("K", 1e3),
        ("M", 1e6),
        ("MB", 1e6),
        ("G", 1e9),
        ("GB", 1e9),
        ("KiB", 1024.0),
        ("MiB", 1048576.0),
        ("GiB", 1073741824.0),
    ];
    let found = amount(text, &units)?;
    Some(Amount { step: 1, ..found })
}

/// A moment.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Moment {
    /// Since the start of the trace.
    Since(Amount),
    /// At a time of the day on which the trace began: microseconds since midnight.
    OfDay(Amount),
    /// At a time without zone: microseconds since 1970 as if in UTC.
    Civil(Amount),
    /// At an instant: microseconds since 1970.
    At(Amount),
}

/// A moment: `12.5`, `12:03:04`, RFC 3339.
pub(super) fn moment(text: &str) -> Option<Moment> {
    if let Some(since) = amount(text, &[("", 1e6)]).or_else(|| duration(text)) {
        return Some(Moment::Since(since));
    }
    // The digits behind the seconds say how exact it is.
    let tail = text.trim_end_matches(['Z', 'z']);
    let fraction = tail.rsplit_once('.').map_or("", |(_, f)| f);
    let decimals = fraction.bytes().take_while(u8::is_ascii_digit).count();
    let colons = text.split(['+', 'Z', 'z']).next().unwrap_or_default().matches(':').count();
    let step = match (decimals, colons) {
        (0, 1) => 60_000_000,
        (0, _) => 1_000_000,
        (n, _) => 10i64.pow(6u32.saturating_sub(n as u32)),
    };
    if let Ok(time) = text.parse::<civil::Time>() {
        if text.contains(':') && !text.contains(['-', 'T', 'Z']) {
            let midnight = civil::Time::midnight();
            let value = time.duration_since(midnight).as_micros() as i64;
            return Some(Moment::OfDay(Amount { value, step }));
        }
    }
    if let Ok(instant) = text.parse::<jiff::Timestamp>() {
        return Some(Moment::At(Amount { value: instant.as_microsecond(), step }));
    }
    let civil = text.parse::<civil::DateTime>().ok()?;
    let step = if text.contains(':') { step } else { 86_400_000_000 };
    let value = civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_microsecond();
    Some(Moment::Civil(Amount { value, step }))
}

/// A test of a JSON value.
#[derive(Clone, Debug)]
pub(super) struct JsonTest {
    op: Op,
    /// A number, exactly as written (with its unit worked in).
    number: Option<String>,
    /// `true`, `false` or `null`.
    literal: Option<&'static str>,
    text: TextTest,
}

impl JsonTest {
    /// The test of an operator and a value.
    pub fn new(op: Op, word: &Word) -> Result<JsonTest, String> {
        let mut number = (!word.quoted && is_number(&word.text)).then(|| word.text.clone());
        if op.is_order() && number.is_none() {
            number = scaled(word);
        }
        if op.is_order() && number.is_none() {
            return Err("only numbers can be compared by < and >".into());
        }
        let literal = ["true", "false", "null"].into_iter().find(|l| !word.quoted && *l == word.text);
        Ok(JsonTest { op, number, literal, text: TextTest::new(if op.is_order() { Op::Eq } else { op }, word, true)? })
    }

    /// Whether a value satisfies it.
    pub fn holds(&self, value: Value<'_>) -> bool {
        match self.op {
            Op::Match | Op::Has => match value.as_str() {
                Some(text) => self.text.holds(&text),
                None => self.text.holds_bytes(value.raw()),
            },
            Op::Eq => self.is_same(value),
            Op::Ne => !self.is_same(value),
            _ => match (&self.number, value.kind()) {
                (Some(n), Kind::Number) => {
                    number::compare(value.raw(), n.as_bytes()).is_some_and(|o: Ordering| self.op.holds(o))
                }
                _ => false,
            },
        }
    }

    fn is_same(&self, value: Value<'_>) -> bool {
        match value.kind() {
            Kind::Number => self.number.as_ref().is_some_and(|n| number::same(value.raw(), n.as_bytes())),
            Kind::Bool | Kind::Null => self.literal.is_some_and(|l| value.raw() == l.as_bytes()),
            Kind::String if self.number.is_none() && self.literal.is_none() => value.str_eq(&self.text.text),
            _ => false,
        }
    }
}

/// `1.5k` as `1.5e3`: exact, whatever its size.
fn scaled(word: &Word) -> Option<String> {
    let (digits, power) = [("k", "e3"), ("M", "e6"), ("G", "e9")]
        .into_iter()
        .find_map(|(unit, power)| word.text.strip_suffix(unit).map(|d| (d, power)))?;
    (!word.quoted && is_number(digits) && !digits.contains(['e', 'E'])).then(|| format!("{digits}{power}"))
}
