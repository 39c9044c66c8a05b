//! stdio lines to texts: what a line is, and which lines belong together. Holds back a line that begins a JSON value
//! and does not end it, because the next lines may (a pretty-printed message).

use crate::rules::TextClass;
use crate::wire::envelope::{Envelope, MessageKind};
use crate::wire::frame::{Micros, Place};
use crate::wire::json::{Doc, Faults, Kind, Parser, Value};

/// Lines that are joined at most, and their bytes: what exceeds it is no pretty-printed message.
const MAX_LINES: usize = 20_000;
const MAX_BYTES: usize = 16 << 20;

/// Many readers stop at this depth.
const DEPTH_OF_STRICT_READERS: u32 = 127;

/// A line that is kept until it is known what it belongs to.
#[derive(Clone, Debug)]
pub(super) struct HeldLine {
    pub bytes: Vec<u8>,
    pub frame: u32,
    pub line: u32,
    pub t: Micros,
    pub place: Place,
    /// The record that stands for it until it is known what it is.
    pub record: u32,
}

/// State of one direction of a stdio connection.
#[derive(Default, Debug)]
pub(super) struct Joiner {
    lines: Vec<HeldLine>,
    joined: Vec<u8>,
    nesting: Nesting,
    /// The line before was noise.
    pub in_noise_run: bool,
    /// `Content-Length` headers were seen.
    pub lsp: bool,
}

/// Brackets and strings of a text that comes in pieces.
#[derive(Default, Clone, Copy, Debug)]
struct Nesting {
    depth: i64,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    fn feed(&mut self, bytes: &[u8]) {
        for &b in bytes {
            if self.in_string {
                match b {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
            } else {
                match b {
                    b'"' => self.in_string = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => self.depth -= 1,
                    _ => {}
                }
            }
        }
    }
}

/// What became of a line that was offered to a joiner with held lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Offered {
    /// It belongs to them, and more is needed.
    More,
    /// With it they are one JSON text, of this length.
    Done { len: usize },
    /// They are no message. `taken`: the line ends them and is to be judged with them, each for itself.
    No { taken: bool },
}

impl Joiner {
    /// Lines are being held.
    pub fn is_active(&self) -> bool {
        !self.lines.is_empty()
    }

    /// The first line of what may be a message over several lines.
    pub fn begin(&mut self, bytes: &[u8]) {
        self.nesting = Nesting::default();
        self.nesting.feed(bytes);
        self.joined.clear();
        self.joined.extend_from_slice(bytes);
    }

    /// Holds a line that was given to `begin` or `offer`.
    pub fn add(&mut self, line: HeldLine) {
        self.lines.push(line);
    }

    /// Offers the next line of the same direction.
    pub fn offer(&mut self, bytes: &[u8], parser: &mut Parser) -> Offered {
        let full = self.lines.len() >= MAX_LINES || self.joined.len() + bytes.len() > MAX_BYTES;
        let header = self.lsp && !self.nesting.in_string && lsp_header(bytes).is_some();
        if full || header || is_message(bytes, parser) {
            return Offered::No { taken: false };
        }
        // A line feed inside a string is what broke the message: the joined text gets the escape that was meant.
        self.joined.extend_from_slice(if self.nesting.in_string { b"\\n" } else { b"\n" });
        self.joined.extend_from_slice(bytes);
        self.nesting.escaped = false;
        self.nesting.feed(bytes);
        if self.nesting.depth > 0 || self.nesting.in_string {
            return Offered::More;
        }
        let doc = parser.parse(&self.joined);
        // In LSP framing the next header may be glued to the end of a body.
        let header = || self.lsp && lsp_header(self.joined[doc.end()..].trim_ascii_start()).is_some();
        if doc.faults().syntax.is_none() && (!doc.faults().trailing || header()) {
            Offered::Done { len: doc.end() }
        } else {
            Offered::No { taken: true }
        }
    }

    /// Gives the held lines back with their joined text.
    pub fn take(&mut self) -> (Vec<HeldLine>, Vec<u8>) {
        (std::mem::take(&mut self.lines), std::mem::take(&mut self.joined))
    }
}

/// Whether an array is a batch: it holds an object first. Any other array is a value that nobody can route.
pub(super) fn is_batch(root: Value<'_>) -> bool {
    root.kind() == Kind::Array && root.elements().next().is_some_and(|e| e.kind() == Kind::Object)
}

/// Whether a strict reader of JSON lines refuses the text, so that an error without an id is the right answer.
pub(super) fn is_refusable(class: TextClass, faults: &Faults) -> bool {
    match class {
        TextClass::Blank | TextClass::Other | TextClass::Fragment => false,
        TextClass::Message => {
            faults.bom
                || faults.invalid_utf8.is_some()
                || faults.nan.is_some()
                || faults.lone_surrogate.is_some()
                || faults.max_depth > DEPTH_OF_STRICT_READERS
        }
        _ => true,
    }
}

/// Whether a line is a message by itself, so that the lines held before it cannot be its beginning.
fn is_message(bytes: &[u8], parser: &mut Parser) -> bool {
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return false;
    }
    let doc = parser.parse(bytes);
    if doc.faults().syntax.is_some() || doc.faults().trailing {
        return false;
    }
    doc.root().is_some_and(|root| {
        let env = Envelope::read(root);
        env.jsonrpc.is_some() && env.kind != MessageKind::Unrecognised
    })
}

/// Whether the text begins as a message does: an object, or an array of objects.
pub(super) fn is_attempt(bytes: &[u8]) -> bool {
    let text = without_bom(bytes).trim_ascii_start();
    match text.first() {
        // `{` and then a key, an end or nothing: not `{timestamp} starting`.
        Some(b'{') => matches!(text[1..].trim_ascii_start().first(), None | Some(b'"' | b'}' | b'\'' | b'\\')),
        Some(b'[') => text[1..].trim_ascii_start().first() == Some(&b'{'),
        _ => false,
    }
}

fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// Length of an LSP header at the beginning of a text (`Content-Length: 52`), up to where a body may begin.
pub(super) fn lsp_header(bytes: &[u8]) -> Option<usize> {
    let starts = |name: &[u8]| bytes.len() >= name.len() && bytes[..name.len()].eq_ignore_ascii_case(name);
    if starts(b"Content-Length:") {
        let rest = &bytes[15..];
        let digits = rest.iter().take_while(|b| b.is_ascii_digit() || b.is_ascii_whitespace()).count();
        return rest[..digits].iter().any(u8::is_ascii_digit).then_some(15 + digits);
    }
    starts(b"Content-Type:").then(|| memchr::memchr(b'{', bytes).unwrap_or(bytes.len()))
}

/// What a single line is. `last` says that nothing follows it in its direction.
pub(super) fn classify(doc: &Doc<'_>, bytes: &[u8], last: bool) -> TextClass {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return TextClass::Blank;
    }
    let faults = doc.faults();
    let Some(root) = doc.root() else {
        return if is_attempt(bytes) { TextClass::Broken } else { TextClass::Noise };
    };
    let container = matches!(root.kind(), Kind::Object | Kind::Array);
    match &faults.syntax {
        None if !faults.trailing => TextClass::Message,
        None if container && is_attempt(bytes) => TextClass::TwoMessages,
        None => TextClass::Noise,
        Some(_) if !is_attempt(bytes) => TextClass::Noise,
        Some(_) if faults.incomplete && last => TextClass::CutOff,
        Some(_) => TextClass::Broken,
    }
}
