//! Which format a file is in, by its content. The name of a file tells nothing.

use crate::wire::json::{Parser, Value};

use super::import::Import;

/// How sure a detector is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Confidence {
    /// Not this format.
    No,
    /// It can be read as this if nothing better is found.
    Perhaps,
    /// It looks like this.
    Likely,
    /// Nothing else looks like this.
    Sure,
}

impl Confidence {
    /// Sure or no.
    pub fn sure_if(is: bool) -> Confidence {
        if is { Confidence::Sure } else { Confidence::No }
    }

    /// Likely or no.
    pub fn likely_if(is: bool) -> Confidence {
        if is { Confidence::Likely } else { Confidence::No }
    }
}

/// Bytes at the beginning of a file that detection looks at.
pub const HEAD: usize = 64 << 10;

/// The beginning of a file.
pub struct Head<'a> {
    /// Its bytes, without a byte-order mark.
    pub bytes: &'a [u8],
    /// The first JSON value, if the file begins with an object or an array; it may be cut off.
    pub first: Option<Value<'a>>,
}

impl Head<'_> {
    /// The first object: of JSON Lines the first line, of an array its first element.
    pub fn object(&self) -> Option<Value<'_>> {
        let first = self.first?;
        if first.is_array() { first.index(0).filter(|v| v.is_object()) } else { Some(first) }
    }

    /// The first 200 lines.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        super::text::lines(self.bytes).take(200).map(|l| l.text)
    }
}

/// A foreign format: how it is recognised and read.
pub struct Format {
    /// Its name for `--format`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Whether a file is in it.
    pub detect: fn(&Head<'_>) -> Confidence,
    /// Reads a whole file.
    pub read: fn(&[u8], &mut Import),
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Format").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The format that fits best; of several the first of the list.
pub fn detect(bytes: &[u8]) -> Option<&'static Format> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let bytes = &bytes[..bytes.len().min(HEAD)];
    let mut parser = Parser::new();
    let begins = bytes.iter().find(|c| **c > b' ');
    let first = match begins {
        Some(b'{' | b'[') => parser.parse_first(bytes).root(),
        _ => None,
    };
    let head = Head { bytes, first };
    let mut best = (Confidence::No, None);
    for format in super::FORMATS {
        let found = (format.detect)(&head);
        if found > best.0 {
            best = (found, Some(format));
        }
    }
    best.1
}

/// The format of a name.
pub fn named(name: &str) -> Option<&'static Format> {
    super::FORMATS.iter().find(|f| f.name == name)
}

/// Reads a file in a format, and infers what it does not say.
pub fn read(format: &Format, bytes: &[u8]) -> Import {
    let mut import = Import::default();
    (format.read)(bytes, &mut import);
    import.finish();
    import
}

/// What to do with a file that is known and not read here: a hint for people.
pub fn not_read(head: &[u8]) -> Option<(&'static str, &'static str)> {
    match head {
        [0xd4, 0xc3, 0xb2, 0xa1, ..]
        | [0xa1, 0xb2, 0xc3, 0xd4, ..]
        | [0x4d, 0x3c, 0xb2, 0xa1, ..]
        | [0x0a, 0x0d, 0x0d, 0x0a, ..] => Some((
            "a packet capture (pcap)",
            "packets are not read here: record with mcpscope attach --url URL, or with mitmdump -w FILE; \
             tshark -r FILE -Y http -T json shows what is in it (TLS needs a key log). stdio never shows on a network",
        )),
        [b'P', b'K', 3, 4, ..] => Some(("a zip archive", "unpack it and name the file in it")),
        _ => None,
    }
}
