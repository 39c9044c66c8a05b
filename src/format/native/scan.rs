//! A cursor over one line of a trace: enough JSON to walk the members of an object without building anything.

/// A JSON string's inside: where it starts and ends, without its quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text {
    pub start: usize,
    pub end: usize,
}

/// Reads forward over the bytes of a line. All functions return `None` where the line ends too early or is no JSON.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a> {
    pub b: &'a [u8],
    pub i: usize,
}

impl<'a> Scan<'a> {
    pub fn new(b: &'a [u8]) -> Self {
        Scan { b, i: 0 }
    }

    /// Skips blanks and tells the next byte without taking it.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(&c) = self.b.get(self.i) {
            if c > b' ' {
                return Some(c);
            }
            self.i += 1;
        }
        None
    }

    /// Skips blanks and takes `want`, if it is next.
    #[inline]
    pub fn take(&mut self, want: u8) -> bool {
        let found = self.peek() == Some(want);
        self.i += usize::from(found);
        found
    }

    /// Takes a string.
    #[inline]
    pub fn string(&mut self) -> Option<Text> {
        if !self.take(b'"') {
            return None;
        }
        let start = self.i;
        loop {
            let at = self.i + memchr::memchr2(b'"', b'\\', self.b.get(self.i..)?)?;
            if self.b[at] == b'"' {
                self.i = at + 1;
                return Some(Text { start, end: at });
            }
            self.i = at + 2;
        }
    }

    /// Takes a key and its colon; the bytes between the quotes.
    #[inline]
    pub fn key(&mut self) -> Option<&'a [u8]> {
        let k = self.string()?;
        self.take(b':').then(|| &self.b[k.start..k.end])
    }

    /// Takes a whole value of any kind and depth, by brackets and strings alone.
    pub fn skip(&mut self) -> Option<&'a [u8]> {
        let first = self.peek()?;
        let start = self.i;
        match first {
            b'"' => {
                self.string()?;
            }
            b'{' | b'[' => {
                let mut depth = 0usize;
                loop {
                    match *self.b.get(self.i)? {
                        b'"' => {
                            self.string()?;
                            continue;
                        }
                        b'{' | b'[' => depth += 1,
                        b'}' | b']' => depth -= 1,
                        _ => {}
                    }
                    self.i += 1;
                    if depth == 0 {
                        break;
                    }
                }
            }
            b'}' | b']' | b',' | b':' => return None,
            _ => {
                while let Some(&c) = self.b.get(self.i) {
                    if c <= b' ' || matches!(c, b',' | b'}' | b']' | b'{' | b'[' | b'"' | b':') {
                        break;
                    }
                    self.i += 1;
                }
            }
        }
        Some(&self.b[start..self.i])
    }

    /// Walks the members of the object that starts here: key and value as they are written. `None` if it is no object or
    /// ends too early; what was walked until then has been seen.
    pub fn members(&mut self, mut each: impl FnMut(&'a [u8], &'a [u8])) -> Option<()> {
        if !self.take(b'{') {
            return None;
        }
        if self.take(b'}') {
            return Some(());
        }
        loop {
            let key = self.key()?;
            let value = self.skip()?;
            each(key, value);
            if self.take(b'}') {
                return Some(());
            }
            if !self.take(b',') {
                return None;
            }
        }
    }
}

/// An unsigned number written as plain digits.
pub(super) fn unsigned(v: &[u8]) -> Option<u64> {
    if v.is_empty() || v.len() > 19 || !v.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(v.iter().fold(0u64, |n, d| n * 10 + u64::from(d - b'0')))
}

/// A number of seconds as microseconds, rounded.
pub(super) fn micros(v: &[u8]) -> Option<i64> {
    let (digits, negative) = match v.strip_prefix(b"-") {
        Some(rest) => (rest, true),
        None => (v, false),
    };
    let point = digits.iter().position(|c| !c.is_ascii_digit()).unwrap_or(digits.len());
    let simple = point <= 12 && point > 0 && (point == digits.len() || digits[point] == b'.');
    let fraction = digits.get(point + 1..).unwrap_or_default();
    if !simple || fraction.len() > 18 || !fraction.iter().all(u8::is_ascii_digit) {
        // An exponent, or more digits than a recorder writes.
        let seconds: f64 = std::str::from_utf8(v).ok()?.parse().ok()?;
        // Beyond what a clock can say is no time.
        return (seconds.abs() < 9e12).then(|| (seconds * 1e6).round() as i64);
    }
    let mut n = digits[..point].iter().fold(0i64, |n, d| n * 10 + i64::from(d - b'0'));
    for k in 0..6 {
        n = n * 10 + fraction.get(k).map_or(0, |d| i64::from(d - b'0'));
    }
    if fraction.get(6).is_some_and(|d| *d >= b'5') {
        n += 1;
    }
    Some(if negative { -n } else { n })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn seconds_become_microseconds() {
        for (text, want) in [
            ("0", 0),
            ("0.000050", 50),
            ("1.5", 1_500_000),
            ("-0.5", -500_000),
            ("12.3456789", 12_345_679),
            ("1e-3", 1000),
            ("2.5E1", 25_000_000),
            ("14.3625", 14_362_500),
        ] {
            assert_eq!(micros(text.as_bytes()), Some(want), "{text}");
        }
        for text in ["", "-", ".5x", "null", "\"1\"", "1e300", "NaN"] {
            assert_eq!(micros(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn members_are_walked_as_they_are_written() {
        let mut seen = Vec::new();
        let line = br#" { "a" : [1,{"x":"}"}] , "b\"":"q\\" ,"c":1e400,"d":{}} "#;
        Scan::new(line)
            .members(|k, v| {
                seen.push((String::from_utf8_lossy(k).into_owned(), String::from_utf8_lossy(v).into_owned()))
            })
            .unwrap();
        let want = [("a", r#"[1,{"x":"}"}]"#), (r#"b\""#, r#""q\\""#), ("c", "1e400"), ("d", "{}")];
        assert_eq!(seen, want.map(|(k, v)| (k.to_owned(), v.to_owned())));
        for end in 0..line.len() - 2 {
            assert!(Scan::new(&line[..end]).members(|_, _| {}).is_none(), "cut at {end}");
        }
    }
}
