//! Texts: every secret in them, also in the JSON, the URLs and the Base64 that they hold.

use std::ops::Range;

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::edit::{self, Edit};
use super::pseudonym::{Form, Pseudonyms, is_replaced};
use super::values::Values;
use super::{Mode, assign, credential, keys, known, pseudonym};
use crate::wire::secrets::{self, Name};

/// Texts in texts that are looked into: JSON in a string in Base64 in JSON is three.
const MAX_DEPTH: u8 = 6;

/// Shorter runs of the Base64 alphabet are words.
const MIN_BASE64: usize = 16;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);

/// Finds and names.
pub(super) struct Finder {
    pub names: Pseudonyms,
    /// Kinds replaced since they were last taken.
    pub kinds: Vec<&'static str>,
    /// Secrets that were found by their surroundings, to be found without them.
    learned: Option<(AhoCorasick, Vec<&'static str>)>,
    /// Values go too.
    pub values: Option<Values>,
}

struct Span {
    range: Range<usize>,
    kind: &'static str,
    form: Form,
}

impl Finder {
    pub fn new(mode: Mode, key: Option<&[u8]>) -> Finder {
        let values = (mode == Mode::Values).then(Values::default);
        Finder { names: Pseudonyms::new(key), kinds: Vec::new(), learned: None, values }
    }

    /// From now on the secrets found so far are found anywhere.
    pub fn seal(&mut self) {
        let mut all: Vec<(&[u8], &'static str)> = self
            .names
            .secrets()
            .filter(|(value, kind)| is_distinct(value) && !matches!(*kind, "user" | "email"))
            .collect();
        all.sort_unstable();
        let kinds = all.iter().map(|(_, kind)| *kind).collect();
        self.learned = AhoCorasick::builder()
            .match_kind(aho_corasick::MatchKind::LeftmostLongest)
            .build(all.iter().map(|(value, _)| value))
            .ok()
            .filter(|_| !all.is_empty())
            .map(|found| (found, kinds));
    }

    fn replace(&mut self, range: Range<usize>, kind: &'static str, value: &[u8], form: Form) -> Edit {
        self.kinds.push(kind);
        Edit { range, with: self.names.name(kind, value, form) }
    }

    /// A value with its placeholder.
    fn value(&mut self, range: Range<usize>, with: Vec<u8>) -> Edit {
        self.kinds.push("value");
        Edit { range, with }
    }

    /// One value with the name that it has.
    pub fn leaf(&mut self, text: &[u8], key: Option<&[u8]>, depth: u8) -> Vec<Edit> {
        if text.len() < 3 {
            return Vec::new();
        }
        if let Some(edits) = key.and_then(|key| self.by_name(key, text)) {
            return edits;
        }
        // A payload that is no text: it is looked through all the same.
        if let Some(edits) = key.filter(|k| matches!(*k, b"b64" | b"raw_b64")).and_then(|_| self.binary(text, depth)) {
            return edits;
        }
        let trimmed = text.trim_ascii_start();
        let trimmed = trimmed.strip_prefix(b"\xef\xbb\xbf").unwrap_or(trimmed);
        if let Some(values) = &self.values {
            // An argument that stands in a header too.
            if key.is_some_and(|k| k.len() > 10 && k[..10].eq_ignore_ascii_case(b"mcp-param-")) {
                let with = values.header(text);
                return if with == text { Vec::new() } else { vec![self.value(0..text.len(), with)] };
            }
            // The own text of an SSE event.
            if let Some(at) =
                memchr::memchr(b'{', text).filter(|_| text.starts_with(b"data:") || text.starts_with(b"event:"))
            {
                let inner = self.document(&text[at..], depth + 1);
                let shift = |e: Edit| Edit { range: at + e.range.start..at + e.range.end, with: e.with };
                return inner.into_iter().map(shift).collect();
            }
        }
        if depth < MAX_DEPTH && matches!(trimmed.first(), Some(b'{' | b'[')) && text.len() > 6 {
            return self.document(text, depth + 1);
        }
        self.text(text, depth)
    }

    /// A value whose name says that it is a secret; `None` where it does not, or the value says otherwise.
    fn by_name(&mut self, key: &[u8], text: &[u8]) -> Option<Vec<Edit>> {
        if key.eq_ignore_ascii_case(b"cookie") || key.eq_ignore_ascii_case(b"set-cookie") {
            let set = key.len() > 6;
            let ranges = credential::cookies(text, set);
            let fresh = ranges.into_iter().filter(|r| !is_replaced(&text[r.clone()])).collect::<Vec<_>>();
            return Some(
                fresh.into_iter().map(|r| self.replace(r.clone(), "cookie", &text[r], Form::Marked)).collect(),
            );
        }
        let header = keys::is_secret_header(key);
        let session = key.eq_ignore_ascii_case(b"mcp-session-id") && text.len() >= 16;
        let named = keys::name(key);
        if !header && !session && named.is_none() {
            return None;
        }
        let from = credential::scheme(text);
        let value = &text[from..];
        if is_replaced(value) {
            return Some(Vec::new());
        }
        let is_basic = |v: &[u8]| decode(v).is_some_and(|(plain, _)| plain[1..].contains(&b':'));
        let sure = header
            || session
            || match named {
                _ if memchr::memmem::find(value, b"://").is_some() => false,
                _ if matches!(value.first(), Some(b'.' | b'~')) => false,
                Some(Name::Strong) if is_phrase(key) => value.len() >= 8 && !value.starts_with(b"<"),
                Some(name) => {
                    secrets::is_named_secret(name, value) || (key.eq_ignore_ascii_case(b"auth") && is_basic(value))
                }
                None => false,
            };
        let kind = if session { "session" } else { keys::kind(key) };
        sure.then(|| vec![self.replace(from..text.len(), kind, value, Form::Marked)])
    }

    /// A text without a name.
    pub fn text(&mut self, text: &[u8], depth: u8) -> Vec<Edit> {
        if text.len() < 6 {
            return Vec::new();
        }
        let mut spans: Vec<Span> = Vec::new();
        let replaced = pseudonym::places(text);
        let mut take = |kind: &'static str, range: Range<usize>, form: Form| {
            let free = replaced.iter().all(|r| r.end <= range.start || range.end <= r.start);
            if free && !range.is_empty() && !is_replaced(&text[range.clone()]) {
                spans.push(Span { range, kind, form });
            }
        };
        for hit in secrets::hits(text) {
            take(hit.kind.as_str(), hit.range, Form::Marked);
        }
        known::each(text, |kind, range| {
            take(kind, range, if kind == "url-login" { Form::Plain } else { Form::Marked })
        });
        assign::each(text, |name, range| take(keys::kind(name), range, Form::Marked));
        known::emails(text, |range| take("email", range, Form::Email));
        known::homes(text, |range| take("user", range, Form::Plain));
        if let Some((learned, kinds)) = &self.learned {
            for found in learned.find_iter(text) {
                let word = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
                let before = found.start().checked_sub(1).and_then(|i| text.get(i));
                if !word(before) && !word(text.get(found.end())) {
                    take(kinds[found.pattern().as_usize()], found.range(), Form::Marked);
                }
            }
        }
        spans.sort_by_key(|s| (s.range.start, std::cmp::Reverse(s.range.end)));
        let mut edits: Vec<Edit> = Vec::new();
        for span in spans {
            if edits.last().is_some_and(|e| span.range.start < e.range.end) {
                continue;
            }
            let form = match span.form {
                Form::Marked if in_url(text, span.range.start) => Form::Plain,
                form => form,
            };
            let value = &text[span.range.clone()];
            edits.push(self.replace(span.range, span.kind, value, form));
        }
        if depth < MAX_DEPTH && text.len() >= MIN_BASE64 {
            self.base64(text, depth, &mut edits);
        }
        edits
    }

    fn binary(&mut self, text: &[u8], depth: u8) -> Option<Vec<Edit>> {
        let plain = GeneralPurpose::new(&STANDARD, LENIENT).decode(text).ok()?;
        let inner = self.text(&plain, depth + 1);
        let mut changed = Vec::new();
        edit::apply(&plain, &inner, &mut changed);
        let with = base64::engine::general_purpose::STANDARD.encode(changed).into_bytes();
        Some(if inner.is_empty() { Vec::new() } else { vec![Edit { range: 0..text.len(), with }] })
    }

    /// Base64 whose text holds a secret is written anew.
    fn base64(&mut self, text: &[u8], depth: u8, edits: &mut Vec<Edit>) {
        let mut at = 0;
        let mut more = Vec::new();
        while at < text.len() {
            let len = text[at..].iter().take_while(|b| is_base64(**b)).count();
            if len < MIN_BASE64 {
                at += len + 1;
                continue;
            }
            let padding = text[at + len..].iter().take(2).take_while(|b| **b == b'=').count();
            let run = at..at + len + padding;
            at = run.end + 1;
            if edits.iter().any(|e| e.range.start < run.end && run.start < e.range.end) {
                continue;
            }
            let Some((plain, alphabet)) = decode(&text[run.clone()]) else { continue };
            let inner = self.leaf(&plain, None, depth + 1);
            if inner.is_empty() {
                continue;
            }
            let mut changed = Vec::new();
            edit::apply(&plain, &inner, &mut changed);
            let pads = padding > 0 || (len % 4 == 0 && !alphabet);
            let engine = GeneralPurpose::new(
                if alphabet { &URL_SAFE } else { &STANDARD },
                GeneralPurposeConfig::new().with_encode_padding(pads),
            );
            more.push(Edit { range: run, with: engine.encode(changed).into_bytes() });
        }
        if !more.is_empty() {
            edits.append(&mut more);
            edits.sort_by_key(|e| e.range.start);
        }
    }
}

fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_')
}

/// What a Base64 text means, if that is a text, and whether its alphabet is the one for URLs.
fn decode(run: &[u8]) -> Option<(Vec<u8>, bool)> {
    let url = memchr::memchr2(b'-', b'_', run).is_some();
    let engine = GeneralPurpose::new(if url { &URL_SAFE } else { &STANDARD }, LENIENT);
    let is_text = |b: &[u8]| b.iter().all(|c| *c >= b' ' || matches!(c, b'\t' | b'\n' | b'\r')) && !b.contains(&0x7f);
    // Pictures and sound are told by their beginning.
    if run.len() > 64 && !engine.decode(&run[..64]).is_ok_and(|b| is_text(&b)) {
        return None;
    }
    let plain = engine.decode(run).ok()?;
    (plain.len() > 1 && is_text(&plain) && std::str::from_utf8(&plain).is_ok()).then_some((plain, url))
}

/// Names whose value is a phrase of several words.
fn is_phrase(key: &[u8]) -> bool {
    let key = key.to_ascii_lowercase();
    key.ends_with(b"phrase") || key.ends_with(b"mnemonic")
}

/// Whether a place in a text is inside a URL.
fn in_url(text: &[u8], at: usize) -> bool {
    let from = text[..at].iter().rposition(|b| *b <= b' ' || matches!(b, b'"' | b'\'' | b'<' | b'>' | b'`' | b'|'));
    let word = &text[from.map_or(0, |i| i + 1)..at];
    memchr::memmem::find(word, b"://").is_some() || (word.starts_with(b"/") && word.contains(&b'?'))
}

/// Long and mixed enough that it is not met by chance.
fn is_distinct(value: &[u8]) -> bool {
    let letters = value.iter().any(u8::is_ascii_alphabetic);
    let others = value.iter().any(|b| !b.is_ascii_alphabetic() && *b != b'-' && *b != b'_' && *b != b' ');
    value.len() >= 8 && letters && others
}
