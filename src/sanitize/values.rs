//! Placeholders for values: of the same type, length and shape, so that what a schema says of a value it says of the
//! placeholder too. A placeholder's placeholder is itself, and nothing of the value can be learned from it but its shape.

use std::collections::{HashMap, HashSet};

use super::edit::{Edit, Mapped};
use crate::wire::json::{Kind, Parser, Value};

/// What the schemas of a trace demand. Values that a schema names are no secret of those who send them.
#[derive(Default)]
pub(super) struct Values {
    /// Values of `enum` and `const`, as they are written.
    named: HashSet<Vec<u8>>,
    /// Bounds of numbers, by property.
    bounds: HashMap<Vec<u8>, Vec<(Option<String>, Option<String>)>>,
}

/// Where values stand in a message, and whether they are content blocks, whose members have fixed meanings.
const ZONES: &[(&[&str], bool)] = &[
    (&["params", "arguments"], false),
    (&["params", "argument", "value"], false),
    (&["params", "context", "arguments"], false),
    (&["params", "data"], false),
    (&["params", "messages"], true),
    (&["params", "systemPrompt"], false),
    (&["params", "inputResponses"], true),
    (&["result", "content"], true),
    (&["result", "contents"], true),
    (&["result", "messages"], true),
    (&["result", "structuredContent"], false),
    (&["result", "completion", "values"], false),
    (&["error", "data"], true),
];

/// Members of content blocks that say what the block is.
const KEPT: &[&str] = &[
    "type",
    "role",
    "mimeType",
    "uri",
    "action",
    "resultType",
    "method",
    "audience",
    "lastModified",
    "supported",
    "requested",
];

/// JSON in texts of JSON in texts: deeper is a text.
const MAX_NESTED: u8 = 4;

impl Values {
    /// Notes what the schemas in a document demand.
    pub fn learn(&mut self, root: Value<'_>) {
        let doc = root.doc();
        for value in (0..doc.len() as u32).filter_map(|n| doc.node(n)) {
            let Some(key) = value.key() else { continue };
            if key == *"enum" {
                self.named.extend(value.elements().map(|e| e.raw().to_vec()));
            } else if key == *"const" {
                self.named.insert(value.raw().to_vec());
            } else if value.is_object() {
                let bound = |n: &str| value.get(n).filter(|v| v.is_number()).map(|v| v.raw_str().into_owned());
                let (low, high) = (bound("minimum"), bound("maximum"));
                if low.is_some() || high.is_some() {
                    self.bounds.entry(key.inner().to_vec()).or_default().push((low, high));
                }
            }
        }
    }

    /// The edits of a message: every value in its arguments and content.
    pub fn message(&self, root: Value<'_>, edits: &mut Vec<Edit>) {
        for (path, blocks) in ZONES {
            if let Some(zone) = root.path(path) {
                self.zone(zone, *blocks, 0, 0, edits);
            }
        }
    }

    /// Edits of everything in a value; `at` is where its document begins in the bytes.
    fn zone(&self, zone: Value<'_>, blocks: bool, at: usize, depth: u8, edits: &mut Vec<Edit>) {
        let doc = zone.doc();
        for value in (zone.node()..zone.next_node()).filter_map(|n| doc.node(n)) {
            let key = value.key().map(|k| k.inner());
            let inside = || value.parent().and_then(|p| p.key()).is_some_and(|k| k == *"audience" || k == *"supported");
            if blocks && (key.is_some_and(|k| KEPT.iter().any(|n| n.as_bytes() == k)) || inside()) {
                continue;
            }
            if self.named.contains(value.raw()) {
                continue;
            }
            let span = value.span();
            match value.kind() {
                Kind::Number => {
                    let with = self.number(value.raw(), key);
                    edits.push(Edit { range: at + span.start..at + span.end, with });
                }
                Kind::String if !value.is_open() => {
                    let Some(inner) = value.inner() else { continue };
                    let mapped = Mapped::new(inner);
                    let start = at + span.start + 1;
                    if let Some(nested) = self.nested(&mapped.text, depth) {
                        edits.extend(nested.into_iter().map(|e| {
                            let range = mapped.source(&e.range);
                            Edit { range: start + range.start..start + range.end, with: e.with }
                        }));
                    } else {
                        let with = text(&mapped.text, key);
                        edits.push(Edit { range: start..start + inner.len(), with });
                    }
                }
                _ => {}
            }
        }
    }

    /// An argument that is mirrored in a header, in Base64 where it is no plain text (`=?base64?…?=`).
    pub fn header(&self, value: &[u8]) -> Vec<u8> {
        let quoted = [b"\"", value, b"\""].concat();
        if self.named.contains(value) || self.named.contains(&quoted) {
            return value.to_vec();
        }
        let packed = value.strip_prefix(b"=?base64?").and_then(|v| v.strip_suffix(b"?="));
        let Some(packed) = packed else { return text(value, None) };
        let (mut inner, mut out) = (Vec::new(), b"=?base64?".to_vec());
        if crate::format::native::escape::unbase64(packed, &mut inner) {
            crate::format::native::escape::base64(&text(&inner, None), &mut out);
            // Without its padding it is wrong, and stays so.
            while packed.len() % 4 != 0 && out.ends_with(b"=") {
                out.pop();
            }
        } else {
            out.extend_from_slice(&plain(packed));
        }
        [&out[..], b"?="].concat()
    }

    /// JSON in a text is taken apart, so that it still says what the structured content says.
    fn nested(&self, text: &[u8], depth: u8) -> Option<Vec<Edit>> {
        if depth >= MAX_NESTED || !matches!(text.trim_ascii_start().first(), Some(b'{' | b'[')) {
            return None;
        }
        let mut parser = Parser::new();
        let doc = parser.parse(text);
        let root = doc.root().filter(|_| doc.faults().syntax.is_none() && !doc.faults().trailing)?;
        let mut edits = Vec::new();
        self.zone(root, false, 0, depth + 1, &mut edits);
        Some(edits)
    }

    /// Zeros stay, other digits become ones; where that is out of bounds, a bound.
    fn number(&self, raw: &[u8], key: Option<&[u8]>) -> Vec<u8> {
        let plain: Vec<u8> = raw.iter().map(|b| if matches!(b, b'1'..=b'9') { b'1' } else { *b }).collect();
        let Some(bounds) = key.and_then(|k| self.bounds.get(k)) else { return plain };
        let fits = |number: &[u8]| {
            let above = |low: &Option<String>| low.as_ref().is_none_or(|l| order(number, l).is_some_and(|o| o.is_ge()));
            let below =
                |high: &Option<String>| high.as_ref().is_none_or(|h| order(number, h).is_some_and(|o| o.is_le()));
            bounds.iter().all(|(low, high)| above(low) && below(high))
        };
        if fits(&plain) {
            return plain;
        }
        let mut all = bounds.iter().flat_map(|(low, high)| [low, high]).flatten();
        all.find(|b| fits(b.as_bytes())).map_or(plain, |b| b.as_bytes().to_vec())
    }
}

fn order(a: &[u8], b: &str) -> Option<std::cmp::Ordering> {
    crate::wire::json::number::compare(a, b.as_bytes())
}

/// A text of the same shape and as many characters, without quotes, backslashes and control characters.
pub(super) fn text(text: &[u8], key: Option<&[u8]>) -> Vec<u8> {
    // As it stands in a header.
    if matches!(text, b"true" | b"false" | b"null") {
        return text.to_vec();
    }
    if matches!(key, Some(b"data" | b"blob")) && text.len() >= 8 && text.iter().all(|b| is_base64(*b)) {
        return text.iter().map(|b| if *b == b'=' { b'=' } else { b'A' }).collect();
    }
    let shape = |pattern: &[u8]| {
        text.len() >= pattern.len()
            && pattern.iter().zip(text).all(|(p, c)| match p {
                b'0' => c.is_ascii_digit(),
                b'x' => c.is_ascii_hexdigit(),
                p => p == c,
            })
    };
    if text.len() == 36 && shape(b"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") {
        return text
            .iter()
            .map(|b| {
                if b.is_ascii_digit() {
                    b'0'
                } else if *b == b'-' {
                    b'-'
                } else {
                    b'a'
                }
            })
            .collect();
    }
    // A date, and the time behind it where there is one.
    if shape(b"0000-00-00") && text.len() <= 35 && text[10..].iter().all(|b| b"0123456789TtZz:.+- ".contains(b)) {
        let time = text[10..].iter().map(|b| if b.is_ascii_digit() { b'0' } else { *b });
        return b"2000-01-01".iter().copied().chain(time).collect();
    }
    let scheme =
        memchr::memmem::find(text, b"://").filter(|n| *n < 12 && text[..*n].iter().all(u8::is_ascii_alphanumeric));
    let from = scheme.map_or(0, |n| n + 3);
    [&text[..from], &plain(&text[from..])].concat()
}

fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// Letters become `x`, capitals `X`, digits `1` (zeros stay, as in numbers); marks stay where they may.
fn plain(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut escaped = 0u8;
    for (i, &b) in text.iter().enumerate() {
        out.push(match b {
            // A percent escape stays one.
            b'%' if text.get(i + 1..i + 3).is_some_and(|h| h.iter().all(u8::is_ascii_hexdigit)) => {
                escaped = 3;
                b'%'
            }
            _ if escaped == 2 => b'2',
            _ if escaped == 1 => b'0',
            b'a'..=b'z' => b'x',
            b'A'..=b'Z' => b'X',
            b'1'..=b'9' => b'1',
            b'"' => b'\'',
            b'\\' => b'/',
            0..=31 | 127 => b' ',
            // One `x` for each character.
            128.. if b & 0xc0 == 0x80 => continue,
            128.. => b'x',
            _ => b,
        });
        escaped = escaped.saturating_sub(1);
    }
    out
}
