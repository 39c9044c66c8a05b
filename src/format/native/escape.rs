//! JSON strings and base64 as the trace writes and reads them.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Padding is written; a reader does not insist on it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Appends `text` as a JSON string with its quotes. `text` must be UTF-8 if the line is to be.
pub fn quote(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let mut from = 0;
    for (at, &c) in text.iter().enumerate() {
        if c >= b' ' && c != b'"' && c != b'\\' {
            continue;
        }
        out.extend_from_slice(&text[from..at]);
        from = at + 1;
        match c {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => {
                out.extend_from_slice(b"\\u00");
                for digit in [c >> 4, c & 15] {
                    out.push(b"0123456789abcdef"[usize::from(digit)]);
                }
            }
        }
    }
    out.extend_from_slice(&text[from..]);
    out.push(b'"');
}

/// Appends what the inside of a JSON string (without its quotes) means. A surrogate escape without its other half becomes
/// the three bytes that it would have in UTF-8 were it allowed there: no information is lost, and the result is not UTF-8,
/// which is what it says. A broken escape stays as it is written.
pub fn unescape(inside: &[u8], out: &mut Vec<u8>) {
    let mut rest = inside;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let escape = &rest[at..];
        let plain = match escape.get(1) {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(&c @ (b'"' | b'\\' | b'/')) => c,
            Some(b'u') => {
                let taken = unicode(escape, out);
                rest = &escape[taken..];
                continue;
            }
            _ => {
                out.push(b'\\');
                rest = &escape[1..];
                continue;
            }
        };
        out.push(plain);
        rest = &escape[2..];
    }
    out.extend_from_slice(rest);
}

/// One `\uXXXX`, or two that make a pair. Returns how many bytes were taken.
fn unicode(escape: &[u8], out: &mut Vec<u8>) -> usize {
    let Some(high) = hex4(escape) else {
        out.push(b'\\');
        return 1;
    };
    let (code, taken) = match high {
        0xd800..=0xdbff => match hex4(&escape[6..]) {
            Some(low @ 0xdc00..=0xdfff) => (0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), 12),
            _ => (high, 6),
        },
        _ => (high, 6),
    };
    match char::from_u32(code) {
        Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => {
            out.extend_from_slice(&[0xe0 | (code >> 12) as u8, 0x80 | (code >> 6 & 63) as u8, 0x80 | (code & 63) as u8])
        }
    }
    taken
}

fn hex4(escape: &[u8]) -> Option<u32> {
    let digits = escape.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |n, &d| Some(n * 16 + char::from(d).to_digit(16)?))
}

/// Appends `bytes` as base64.
pub fn base64(bytes: &[u8], out: &mut Vec<u8>) {
    let mut done = 0;
    // By pieces, so that a large body needs no second copy of itself; 3 bytes make 4 characters exactly.
    let mut piece = [0u8; 4096];
    while done < bytes.len() {
        let take = (bytes.len() - done).min(3072);
        // The piece holds what 3072 bytes make: this cannot fail.
        let n = BASE64.encode_slice(&bytes[done..done + take], &mut piece).unwrap_or(0);
        out.extend_from_slice(&piece[..n]);
        done += take;
    }
}

/// Appends what `text` means; `false` (and nothing appended) if it is no base64.
pub fn unbase64(text: &[u8], out: &mut Vec<u8>) -> bool {
    let before = out.len();
    let fine = BASE64.decode_vec(text, out).is_ok();
    if !fine {
        out.truncate(before);
    }
    fine
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn quote_is_json_and_unescape_undoes_it() {
        for text in ["", "a", "\"\\\n\r\t\u{0}\u{1f}\u{7f}é\u{2028}😀", "\\u0041"] {
            let mut line = Vec::new();
            quote(text.as_bytes(), &mut line);
            assert_eq!(serde_json::from_slice::<String>(&line).unwrap(), text);
            assert!(!line.contains(&b'\n'));
            let mut back = Vec::new();
            unescape(&line[1..line.len() - 1], &mut back);
            assert_eq!(back, text.as_bytes());
        }
    }

    #[test]
    fn unescape_keeps_what_it_cannot_read() {
        for (inside, want) in [
            (r"\ud83d\ude00", &b"\xf0\x9f\x98\x80"[..]),
            (r"\ud83dx", b"\xed\xa0\xbdx"),
            (r"\udc80", b"\xed\xb2\x80"),
            (r"a\q", b"a\\q"),
            (r"\u12", b"\\u12"),
            ("\\", b"\\"),
            (r"\/\b\f", b"/\x08\x0c"),
        ] {
            let mut out = Vec::new();
            unescape(inside.as_bytes(), &mut out);
            assert_eq!(out, want, "{inside}");
        }
    }

    #[test]
    fn base64_in_pieces_is_base64() {
        let bytes: Vec<u8> = (0..10_000u32).map(|n| (n * 7 % 251) as u8).collect();
        for len in [0, 1, 2, 3, 3071, 3072, 3073, 10_000] {
            let mut text = Vec::new();
            base64(&bytes[..len], &mut text);
            assert_eq!(text, BASE64.encode(&bytes[..len]).into_bytes());
            let mut back = Vec::new();
            assert!(unbase64(&text, &mut back));
            assert_eq!(back, &bytes[..len]);
        }
        let mut out = b"x".to_vec();
        assert!(!unbase64(b"a*b", &mut out));
        assert_eq!(out, b"x");
    }
}
