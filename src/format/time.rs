//! Times as logs write them, to microseconds since 1970.

/// A time and whether its zone is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// Microseconds since 1970, of UTC if the zone is known, else of the wall clock wherever it hung.
    pub micros: i64,
    /// The text names its zone.
    pub zoned: bool,
}

/// Reads `YYYY-MM-DD[T ]HH:MM:SS[.,fraction][Z|±HH:MM]` at the beginning of a text. Gives the length too.
pub fn stamp(text: &[u8]) -> Option<(Stamp, usize)> {
    let year = digits(text, 0, 4)?;
    let (month, day) = (digits(text, 5, 2)?, digits(text, 8, 2)?);
    let (hour, minute, second) = (digits(text, 11, 2)?, digits(text, 14, 2)?, digits(text, 17, 2)?);
    let marks = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    let fits = marks.iter().all(|(at, c)| text.get(*at) == Some(c)) && matches!(text.get(10), Some(b'T' | b't' | b' '));
    if !fits || !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut at = 19;
    let mut micros = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    micros *= 1_000_000;
    if matches!(text.get(at), Some(b'.' | b',')) {
        let mut scale = 100_000;
        at += 1;
        while let Some(c) = text.get(at).filter(|c| c.is_ascii_digit()) {
            micros += i64::from(c - b'0') * scale;
            scale /= 10;
            at += 1;
        }
    }
    let mut zoned = false;
    match text.get(at) {
        Some(b'Z' | b'z') => (zoned, at) = (true, at + 1),
        Some(sign @ (b'+' | b'-')) => {
            let colon = usize::from(text.get(at + 3) == Some(&b':'));
            if let (Some(hours), Some(minutes)) = (digits(text, at + 1, 2), digits(text, at + 3 + colon, 2)) {
                let off = (hours * 60 + minutes) * 60_000_000;
                micros += if *sign == b'+' { -off } else { off };
                (zoned, at) = (true, at + 5 + colon);
            }
        }
        _ => {}
    }
    Some((Stamp { micros, zoned }, at))
}

/// Reads a text that is a time and nothing else.
pub fn whole(text: &[u8]) -> Option<Stamp> {
    stamp(text).filter(|(_, end)| *end == text.len()).map(|(stamp, _)| stamp)
}

/// Reads a time of day, `HH:MM:SS[.fraction]`, as microseconds since midnight.
pub fn of_day(text: &[u8]) -> Option<i64> {
    let mut dated = b"1970-01-01T".to_vec();
    dated.extend_from_slice(text.get(..text.len().min(24))?);
    whole(&dated).map(|s| s.micros)
}

/// Seconds since 1970 with a fraction. `None` for what is no time of this or the last century.
pub fn seconds(value: f64) -> Option<i64> {
    (value.is_finite() && value.abs() < 1e11).then_some((value * 1e6).round() as i64)
}

/// A length in milliseconds, as microseconds; what is no sensible length counts as none.
pub fn millis(value: Option<f64>) -> i64 {
    value.filter(|v| v.is_finite() && *v > 0.0 && *v < 1e12).map_or(0, |v| (v * 1000.0).round() as i64)
}

/// RFC 3339, in UTC (`zoned`) or without a zone.
pub(super) fn write(micros: i64, zoned: bool) -> Option<String> {
    let text = jiff::Timestamp::from_microsecond(micros).ok()?.to_string();
    Some(if zoned { text } else { text.trim_end_matches('Z').to_owned() })
}

fn digits(text: &[u8], at: usize, n: usize) -> Option<i64> {
    let part = text.get(at..at + n)?;
    part.iter().try_fold(0, |sum, c| c.is_ascii_digit().then(|| sum * 10 + i64::from(c - b'0')))
}

/// Days since 1970 of a date of the Gregorian calendar: years begin in March, so that the leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year - 719_468
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn times_as_logs_write_them() {
        let of = |text: &str| whole(text.as_bytes());
        let utc = |micros| Some(Stamp { micros, zoned: true });
        assert_eq!(of("1970-01-01T00:00:00Z"), utc(0));
        assert_eq!(of("2026-11-02T09:15:00.101Z"), utc(1_793_610_900_101_000));
        assert_eq!(of("2026-11-02T10:15:00.101+01:00"), utc(1_793_610_900_101_000));
        assert_eq!(of("2024-02-29T23:59:59-0130"), utc(1_709_256_599_000_000));
        assert_eq!(of("2026-11-02 09:15:04,000"), Some(Stamp { micros: 1_793_610_904_000_000, zoned: false }));
        assert_eq!(stamp(b"2026-11-02 09:15:00.031 [info] x").unwrap().1, 23);
        for bad in ["", "2026", "2026-13-02T09:15:00Z", "2026-11-02T9:15:00Z", "2026-11-02T09:15:00Zx"] {
            assert_eq!(of(bad), None, "{bad}");
        }
        assert_eq!(of_day(b"00:00:01.5"), Some(1_500_000));
    }
}
