//! The parser: one loop over the bytes, no recursion. The open containers themselves are the stack, by their parent links.

use super::dup::{Dup, Name, SMALL};
use super::string::{self, Piece};
use super::tape::{COUNT_MAX, Doc, ESCAPE, Faults, KEY_ESCAPE, NONE, Node, OPEN, SET, SyntaxFault, Tape};
use super::{Kind, scan};

/// Reads payloads, one after the other; its buffers are used again, so that a message costs no allocation.
#[derive(Default)]
pub struct Parser {
    tape: Tape,
    dup: Dup,
}

/// Nodes whose memory is kept after a payload that needed more.
const KEEP_NODES: usize = 1 << 18;

impl Parser {
    /// A parser without buffers yet.
    pub fn new() -> Parser {
        Parser::default()
    }

    /// Reads the first value of `bytes`. Never fails; takes time and memory linear in the length.
    ///
    /// Offsets are 32 bits: of a payload above 4 GiB only that much is read.
    pub fn parse<'a>(&'a mut self, bytes: &'a [u8]) -> Doc<'a> {
        self.read(bytes, true)
    }

    /// The same, but nothing after the first value is looked at, not even for broken text: a line of many values glued
    /// together is read one by one in linear time.
    pub fn parse_first<'a>(&'a mut self, bytes: &'a [u8]) -> Doc<'a> {
        self.read(bytes, false)
    }

    fn read<'a>(&'a mut self, bytes: &'a [u8], whole: bool) -> Doc<'a> {
        let bytes = &bytes[..bytes.len().min(NONE as usize - 1)];
        self.tape.faults = Faults::default();
        self.tape.nodes.clear();
        if self.tape.nodes.capacity() > KEEP_NODES && bytes.len() < KEEP_NODES {
            self.tape.nodes.shrink_to(KEEP_NODES);
            self.dup.shrink();
        }
        if whole {
            check_text(bytes, &mut self.tape.faults);
        } else {
            self.tape.faults.bom = bytes.starts_with(b"\xEF\xBB\xBF");
        }
        let mut reader = Reader {
            bytes,
            at: 0,
            nodes: &mut self.tape.nodes,
            faults: &mut self.tape.faults,
            dup: &mut self.dup,
            key: NONE,
            key_flag: 0,
            parent: NONE,
            in_object: false,
            depth: 0,
        };
        reader.document();
        self.tape.end = reader.at;
        if !whole {
            let mut text = Faults::default();
            check_text(&bytes[..self.tape.end], &mut text);
            let faults = &mut self.tape.faults;
            faults.invalid_utf8 = text.invalid_utf8;
            faults.replacement_char = match (faults.replacement_char, text.replacement_char) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        Doc { bytes, tape: &self.tape }
    }

    pub(super) fn into_tape(mut self) -> Tape {
        self.tape.nodes.shrink_to_fit();
        self.tape
    }
}

/// What can be said of the bytes without structure. Nearly all payloads are ASCII, which is the quickest to find out.
fn check_text(bytes: &[u8], faults: &mut Faults) {
    if bytes.is_ascii() {
        return;
    }
    faults.bom = bytes.starts_with(b"\xEF\xBB\xBF");
    faults.invalid_utf8 = std::str::from_utf8(bytes).err().map(|e| e.valid_up_to());
    faults.replacement_char = memchr::memmem::find(bytes, "\u{FFFD}".as_bytes());
}

/// Reading stops; the fault is noted.
struct Stop;

/// What comes next.
enum Next {
    /// A comma or the end of the container; after the root nothing.
    After,
    /// The object that just began may be empty.
    FirstMember,
    /// The array that just began may be empty.
    FirstElement,
}

struct Reader<'b, 'p> {
    bytes: &'b [u8],
    at: usize,
    nodes: &'p mut Vec<Node>,
    faults: &'p mut Faults,
    dup: &'p mut Dup,
    /// Key that waits for its value, and its flag.
    key: u32,
    key_flag: u32,
    /// Innermost open container.
    parent: u32,
    /// It is an object.
    in_object: bool,
    depth: u32,
}

impl Reader<'_, '_> {
    fn document(&mut self) {
        if self.faults.bom {
            self.at = 3;
        }
        match self.values() {
            Ok(()) => {
                let rest = &self.bytes[self.at..];
                self.faults.trailing = rest.iter().any(|b| !is_blank(*b));
            }
            Err(Stop) => self.close_all(),
        }
    }

    fn values(&mut self) -> Result<(), Stop> {
        let mut next = self.value("a value")?;
        loop {
            next = match next {
                Next::After => {
                    if self.parent == NONE {
                        return Ok(());
                    }
                    let object = self.in_object;
                    match (self.peek(), object) {
                        (Some(b','), true) => {
                            self.at += 1;
                            self.key("a key")?;
                            self.value("a value")?
                        }
                        (Some(b','), false) => {
                            self.at += 1;
                            self.value("a value")?
                        }
                        (Some(b'}'), true) | (Some(b']'), false) => self.close(),
                        (_, true) => return Err(self.stop(self.at, "`,` or `}`")),
                        (_, false) => return Err(self.stop(self.at, "`,` or `]`")),
                    }
                }
                Next::FirstMember if self.peek() == Some(b'}') => self.close(),
                Next::FirstMember => {
                    self.key("a key or `}`")?;
                    self.value("a value")?
                }
                Next::FirstElement if self.peek() == Some(b']') => self.close(),
                Next::FirstElement => self.value("a value or `]`")?,
            }
        }
    }

    /// Skips blanks and looks at the next byte.
    #[inline(always)]
    fn peek(&mut self) -> Option<u8> {
        match self.bytes.get(self.at) {
            Some(&b) if b > b' ' => Some(b),
            _ => self.skip_blanks(),
        }
    }

    fn skip_blanks(&mut self) -> Option<u8> {
        loop {
            let b = *self.bytes.get(self.at)?;
            if !is_blank(b) {
                return Some(b);
            }
            self.at += 1;
        }
    }

    fn value(&mut self, expected: &'static str) -> Result<Next, Stop> {
        let start = match self.peek() {
            Some(b'"') => {
                let start = self.at;
                let (flags, whole) = self.string();
                self.push(Kind::String as u32 | flags, start);
                return if whole { Ok(Next::After) } else { Err(Stop) };
            }
            Some(b'{') => return Ok(self.open(Kind::Object)),
            Some(b'[') => return Ok(self.open(Kind::Array)),
            _ => self.at,
        };
        let tag = match self.bytes.get(start) {
            Some(b'-' | b'0'..=b'9') => Kind::Number as u32 | self.number()?,
            Some(b't') => self.word("true", "`true`", Kind::Bool as u32 | SET)?,
            Some(b'f') => self.word("false", "`false`", Kind::Bool as u32)?,
            Some(b'n') => self.word("null", "`null`", Kind::Null as u32)?,
            Some(b'N') if self.bytes[start..].starts_with(b"NaN") => self.not_finite("NaN"),
            Some(b'I') if self.bytes[start..].starts_with(b"Infinity") => self.not_finite("Infinity"),
            _ => return Err(self.stop(start, expected)),
        };
        self.push(tag, start);
        Ok(Next::After)
    }

    /// Appends a scalar that goes from `start` to here.
    fn push(&mut self, tag: u32, start: usize) {
        let next = self.nodes.len() + 1;
        self.append(tag, start..self.at, next);
    }

    fn append(&mut self, tag: u32, span: std::ops::Range<usize>, next: usize) {
        let key = std::mem::replace(&mut self.key, NONE);
        let flag = std::mem::take(&mut self.key_flag);
        self.nodes.push(Node::new(tag | flag, key, span, self.parent, next));
        if let Some(parent) = self.nodes.get_mut(self.parent as usize) {
            parent.add_child();
        }
    }

    fn open(&mut self, kind: Kind) -> Next {
        let at = self.nodes.len() as u32;
        self.append(kind as u32, self.at..0, 0);
        self.parent = at;
        self.in_object = kind == Kind::Object;
        self.depth += 1;
        self.faults.max_depth = self.faults.max_depth.max(self.depth);
        self.at += 1;
        if kind == Kind::Object { Next::FirstMember } else { Next::FirstElement }
    }

    /// Ends the innermost container at the bracket that stands here.
    fn close(&mut self) -> Next {
        self.at += 1;
        self.finish(0);
        Next::After
    }

    fn finish(&mut self, flag: u32) {
        let at = self.parent as usize;
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[at];
        node.end = self.at as u32;
        node.next = next;
        node.set(flag);
        let node = *node;
        self.parent = node.parent;
        self.depth -= 1;
        let object = std::mem::replace(
            &mut self.in_object,
            self.nodes.get(node.parent as usize).is_some_and(|p| p.kind() == Kind::Object),
        );
        if object && node.count() > SMALL {
            let count = if node.count() == COUNT_MAX { self.nodes.len() - at } else { node.count() as usize };
            if let Some(offset) = self.dup.first_repeated(self.bytes, self.nodes, at, count) {
                self.note_duplicate(offset);
            }
        }
    }

    fn note_duplicate(&mut self, offset: usize) {
        let first = self.faults.duplicate_key.map_or(offset, |first| first.min(offset));
        self.faults.duplicate_key = Some(first);
    }

    fn key(&mut self, expected: &'static str) -> Result<(), Stop> {
        if self.peek() != Some(b'"') {
            return Err(self.stop(self.at, expected));
        }
        let start = self.at;
        let (flags, whole) = self.string();
        if !whole {
            return Err(Stop);
        }
        let object = self.nodes[self.parent as usize];
        if object.count() < SMALL {
            let name = Name { inner: &self.bytes[start + 1..self.at - 1], escaped: flags != 0 };
            let bit = self.dup.bit(name);
            let filter = u64::from(object.next) << 32 | u64::from(object.end);
            if filter & bit != 0 && self.dup.seen(self.bytes, self.nodes, self.parent as usize, name) {
                self.note_duplicate(start);
            }
            let filter = filter | bit;
            let object = &mut self.nodes[self.parent as usize];
            object.end = filter as u32;
            object.next = (filter >> 32) as u32;
        }
        if self.peek() != Some(b':') {
            return Err(self.stop(self.at, "`:`"));
        }
        self.at += 1;
        self.key = start as u32;
        self.key_flag = if flags == 0 { 0 } else { KEY_ESCAPE };
        Ok(())
    }

    /// Reads the string that begins here: its flags, and whether its end was found.
    fn string(&mut self) -> (u32, bool) {
        let mut flags = 0;
        self.at += 1;
        loop {
            self.at = scan::special(self.bytes, self.at);
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return (flags, true);
                }
                Some(b'\\') => {
                    flags |= ESCAPE;
                    self.escape();
                }
                Some(_) => {
                    self.fault(self.at, "an escape instead of the control character");
                    self.faults.control_char.get_or_insert(self.at);
                    self.at += 1;
                }
                None => {
                    self.stop(self.at, "the end of the string");
                    return (flags | OPEN, false);
                }
            }
        }
    }

    fn escape(&mut self) {
        let rest = &self.bytes[self.at..];
        match rest.get(1) {
            Some(b'n' | b'"' | b'\\' | b'/' | b't' | b'r' | b'b' | b'f') => {
                self.at += 2;
                return;
            }
            // The input ends in the escape: that is found where the string is read on.
            None => {
                self.at += 1;
                return;
            }
            _ => {}
        }
        let (piece, len) = string::escape(rest);
        match piece {
            Piece::Char('\u{FFFD}') => {
                let first = self.faults.replacement_char.map_or(self.at, |first| first.min(self.at));
                self.faults.replacement_char = Some(first);
            }
            Piece::Lone(..) => {
                self.faults.lone_surrogate.get_or_insert(self.at);
            }
            Piece::Bad(_) if rest[1] == b'u' => {
                let digits = rest[2..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
                self.fault(self.at + 2 + digits, "four hexadecimal digits");
            }
            Piece::Bad(_) => self.fault(self.at + 1, "an escape character"),
            Piece::Char(_) | Piece::Text(_) => {}
        }
        self.at += len;
    }

    /// Reads a number. Departures that leave no doubt about where it ends (`01`, `1.`) are noted and passed over.
    fn number(&mut self) -> Result<u32, Stop> {
        if self.bytes[self.at] == b'-' {
            if self.bytes[self.at..].starts_with(b"-Infinity") {
                return Ok(self.not_finite("-Infinity") & SET);
            }
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            Some(b'0') => {
                self.at += 1;
                if self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
                    self.fault(self.at, "no digit after a leading zero");
                    self.digits();
                }
            }
            Some(b'1'..=b'9') => {
                let first = self.at;
                let len = self.digits();
                if len >= 16 && !matches!(self.bytes.get(self.at), Some(b'.' | b'e' | b'E')) {
                    self.large(first, len);
                }
            }
            _ => return Err(self.stop(self.at, "a digit")),
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            if self.digits() == 0 {
                self.fault(self.at, "a digit after the decimal point");
            }
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            if self.digits() == 0 {
                self.fault(self.at, "a digit in the exponent");
            }
        }
        Ok(0)
    }

    /// Notes an integer of 16 digits or more.
    #[cold]
    fn large(&mut self, first: usize, len: usize) {
        if len > 16 || &self.bytes[first..first + len] > b"9007199254740991".as_slice() {
            self.faults.unsafe_integer.get_or_insert(first);
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at - start
    }

    fn not_finite(&mut self, word: &str) -> u32 {
        self.faults.nan.get_or_insert(self.at);
        self.at += word.len();
        Kind::Number as u32 | SET
    }

    fn word(&mut self, word: &str, expected: &'static str, tag: u32) -> Result<u32, Stop> {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(tag);
        }
        let same = rest.iter().zip(word.as_bytes()).take_while(|(a, b)| a == b).count();
        let start = self.at;
        self.stop(start + same, expected);
        self.at = start;
        Err(Stop)
    }

    /// Notes a departure from the grammar, if it is the first.
    fn fault(&mut self, offset: usize, expected: &'static str) {
        let eof = offset >= self.bytes.len();
        self.faults.syntax.get_or_insert(SyntaxFault { offset, expected, eof });
    }

    fn stop(&mut self, offset: usize, expected: &'static str) -> Stop {
        self.fault(offset, expected);
        self.faults.incomplete = true;
        Stop
    }

    /// Ends all that is open where reading stopped. A key that got no value is in no node.
    fn close_all(&mut self) {
        while self.parent != NONE {
            self.finish(OPEN);
        }
    }
}

fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\n' | b'\r' | b'\t')
}
