//! Base64 texts in messages: are they right, how large are they, what do they hold.

use std::borrow::Cow;

use crate::wire::json::Value;

/// The text of a JSON string, without a copy where it has no escapes.
pub(super) fn text<'a>(value: Value<'a>) -> Cow<'a, [u8]> {
    match value.inner() {
        Some(inner) if !value.has_escapes() => Cow::Borrowed(inner),
        Some(_) => Cow::Owned(value.as_str().unwrap_or_default().into_owned().into_bytes()),
        None => Cow::Borrowed(&[]),
    }
}

/// What keeps a text from being standard Base64 with padding (RFC 4648 section 4).
pub(super) fn fault(text: &[u8]) -> Option<String> {
    if text.starts_with(b"data:") {
        return Some("it is a data: URL".to_owned());
    }
    let pad = text.iter().rev().take_while(|b| **b == b'=').count();
    let digits = &text[..text.len() - pad];
    let bad = digits.iter().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/')));
    if let Some(at) = bad {
        return Some(match digits[at] {
            b'-' | b'_' => "it has letters of base64url".to_owned(),
            b'\n' | b'\r' | b' ' | b'\t' => format!("white space stands at {at}"),
            b'=' => format!("padding stands at {at}, before the end"),
            b => format!("the byte 0x{b:02x} stands at {at}"),
        });
    }
    if !text.len().is_multiple_of(4) || pad > 2 {
        return Some(format!("its padding is wrong for {} characters", digits.len()));
    }
    None
}

/// Bytes that the text decodes to.
pub(super) fn size(text: &[u8]) -> usize {
    let pad = text.iter().rev().take(2).take_while(|b| **b == b'=').count();
    (text.len() - pad) * 3 / 4
}

/// The first bytes, decoded.
pub(super) fn head(text: &[u8]) -> Vec<u8> {
    use base64::Engine as _;
    let part = &text[..text.len().min(24) / 4 * 4];
    base64::engine::general_purpose::STANDARD.decode(part).unwrap_or_default()
}

/// A format that is told by its first bytes: its name, and the types that it goes by.
pub(super) type Format = (&'static str, &'static [&'static str]);

const FORMATS: &[(&[u8], Format)] = &[
    (b"\x89PNG\r\n\x1a\n", ("PNG", &["image/png", "image/apng", "image/x-png", "image/vnd.mozilla.apng"])),
    (b"\xff\xd8\xff", ("JPEG", &["image/jpeg", "image/jpg", "image/pjpeg"])),
    (b"GIF8", ("GIF", &["image/gif"])),
    (b"%PDF-", ("PDF", &["application/pdf", "application/x-pdf"])),
    (b"OggS", ("Ogg", &["audio/ogg", "application/ogg", "video/ogg", "audio/opus", "audio/vorbis", "audio/x-ogg"])),
    (b"ID3", ("MP3", &["audio/mpeg", "audio/mp3", "audio/x-mp3", "audio/x-mpeg"])),
];
const WEBP: Format = ("WebP", &["image/webp"]);
const WAV: Format = ("WAV", &["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"]);
/// Types with other first bytes: a mark of a format above contradicts them.
const OTHERS: &[&str] = &[
    "image/svg+xml",
    "image/bmp",
    "image/tiff",
    "image/avif",
    "image/heic",
    "image/x-icon",
    "audio/flac",
    "audio/aac",
    "audio/mp4",
    "video/mp4",
    "text/plain",
    "text/html",
    "application/json",
    "application/zip",
];

/// The format that the first bytes are the mark of.
pub(super) fn kind(head: &[u8]) -> Option<Format> {
    if head.starts_with(b"RIFF") {
        return match head.get(8..12) {
            Some(b"WEBP") => Some(WEBP),
            Some(b"WAVE") => Some(WAV),
            _ => None,
        };
    }
    FORMATS.iter().find(|(mark, _)| head.starts_with(mark)).map(|(_, f)| *f)
}

/// Whether a type may stand for a format. Types that nobody knows here are not judged.
pub(super) fn fits(found: Format, mime: &str) -> bool {
    let known = FORMATS.iter().flat_map(|(_, f)| f.1).chain(WEBP.1).chain(WAV.1).chain(OTHERS).any(|t| *t == mime);
    !known || found.1.contains(&mime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_strict() {
        for good in ["", "iVBORw0KGgo=", "AA==", "AAAA", "ab+/"] {
            assert_eq!(fault(good.as_bytes()), None, "{good}");
        }
        for bad in ["A", "AAA", "AA=", "A===", "AA==AAAA", "ab-_", "AA\nAA", "data:x;base64,AA=="] {
            assert!(fault(bad.as_bytes()).is_some(), "{bad}");
        }
        assert_eq!((size(b"AA=="), size(b"AAAA"), size(b"")), (1, 3, 0));
    }

    #[test]
    fn formats_by_their_mark() {
        let png = kind(&head(b"iVBORw0KGgo=")).map(|f| f.0);
        assert_eq!(png, Some("PNG"));
        assert!(kind(b"RIFF\0\0\0\0WAVEfmt ").is_some_and(|f| fits(f, "audio/wav") && !fits(f, "audio/mpeg")));
        assert!(
            kind(b"\xff\xd8\xff\xe0").is_some_and(|f| fits(f, "application/octet-stream") && !fits(f, "image/png"))
        );
        assert_eq!(kind(b"hello"), None);
    }
}
