//! The tape: one small node for each value, with its key, in the order of the text.

use std::ops::Range;

use super::{Parser, Value};

/// The six kinds of JSON values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number; also `NaN`, `Infinity` and `-Infinity`, which some serializers write.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// The type's name as JSON Schema writes it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool => "boolean",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        }
    }

    /// Arrays and objects.
    pub fn is_container(self) -> bool {
        matches!(self, Kind::Array | Kind::Object)
    }
}

/// The first place where the text leaves the grammar of RFC 8259.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxFault {
    /// Byte offset in the payload.
    pub offset: usize,
    /// What the grammar wants there, to be put after "expected".
    pub expected: &'static str,
    /// The payload ended there: it may be cut off.
    pub eof: bool,
}

/// What is wrong or remarkable about a payload; for each kind the first place (byte offset).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Faults {
    /// First departure from the grammar. Text after a whole value is `trailing`, not this.
    pub syntax: Option<SyntaxFault>,
    /// Reading stopped before the value was whole; what was read is kept.
    pub incomplete: bool,
    /// The payload begins with a byte-order mark (RFC 8259 section 8.1 forbids to send one).
    pub bom: bool,
    /// First byte that is not UTF-8.
    pub invalid_utf8: Option<usize>,
    /// First `\uD800`-`\uDFFF` escape that is no half of a pair.
    pub lone_surrogate: Option<usize>,
    /// First `NaN`, `Infinity` or `-Infinity`.
    pub nan: Option<usize>,
    /// Second occurrence of a key within one object (keys compare unescaped).
    pub duplicate_key: Option<usize>,
    /// First U+FFFD, raw or escaped: somebody decoded bytes with the wrong character set before.
    pub replacement_char: Option<usize>,
    /// First raw control character in a string (also a syntax fault).
    pub control_char: Option<usize>,
    /// First integer, in plain digits, beyond 2^53 - 1: a double does not hold it for sure.
    pub unsafe_integer: Option<usize>,
    /// Deepest nesting of arrays and objects; 0 for a lone scalar.
    pub max_depth: u32,
    /// Something other than blanks stands after the value, from [`Doc::end`] on.
    pub trailing: bool,
}

const KIND: u32 = 7;
/// The string has at least one backslash.
pub(super) const ESCAPE: u32 = 1 << 3;
/// The string has no closing quote, the container no closing bracket.
pub(super) const OPEN: u32 = 1 << 4;
/// `true`; for numbers: not a finite number.
pub(super) const SET: u32 = 1 << 5;
/// The key has at least one backslash.
pub(super) const KEY_ESCAPE: u32 = 1 << 6;
const COUNT_SHIFT: u32 = 7;
/// Children that are counted in a node; beyond that they are walked.
pub(super) const COUNT_MAX: u32 = u32::MAX >> COUNT_SHIFT;
/// Parent of the root; key of what has none.
pub(super) const NONE: u32 = u32::MAX;

/// One value: 24 bytes.
///
/// A key has no node of its own: half as many nodes in objects is what makes a reply of 20 MB open in time, most of
/// which goes into touching fresh memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Where its key begins (the quote), or [`NONE`].
    pub(super) key: u32,
    pub(super) start: u32,
    /// Just after the value. While a container is open: low half of the filter of its keys.
    pub(super) end: u32,
    pub(super) parent: u32,
    /// Node after this one and all below it. While a container is open: high half of the filter.
    pub(super) next: u32,
    meta: u32,
}

const _: () = assert!(size_of::<Node>() == 24);

impl Node {
    pub(super) fn new(tag: u32, key: u32, span: std::ops::Range<usize>, parent: u32, next: usize) -> Node {
        Node { key, start: span.start as u32, end: span.end as u32, parent, next: next as u32, meta: tag }
    }

    #[inline]
    pub(super) fn kind(self) -> Kind {
        match self.meta & KIND {
            0 => Kind::Null,
            1 => Kind::Bool,
            2 => Kind::Number,
            3 => Kind::String,
            4 => Kind::Array,
            _ => Kind::Object,
        }
    }

    #[inline]
    pub(super) fn has(self, flag: u32) -> bool {
        self.meta & flag != 0
    }

    pub(super) fn set(&mut self, flag: u32) {
        self.meta |= flag;
    }

    pub(super) fn count(self) -> u32 {
        self.meta >> COUNT_SHIFT
    }

    pub(super) fn add_child(&mut self) {
        if self.count() < COUNT_MAX {
            self.meta += 1 << COUNT_SHIFT;
        }
    }

    pub(super) fn is_member(self) -> bool {
        self.key != NONE
    }

    /// Where it begins, with its key.
    pub(super) fn first(self) -> usize {
        (if self.is_member() { self.key } else { self.start }) as usize
    }

    /// Where the inside of a string is (without its quotes).
    pub(super) fn inner(self) -> Range<usize> {
        let start = self.start as usize + 1;
        let end = if self.has(OPEN) { self.end as usize } else { self.end as usize - 1 };
        start..end.max(start)
    }

    /// Where the inside of its key is. Between a key's end and its value stand only blanks and the colon.
    pub(super) fn key_inner(self, bytes: &[u8]) -> Range<usize> {
        let between = bytes[self.key as usize..self.start as usize].iter().rev();
        let end = self.start as usize - between.take_while(|&&b| b != b'"').count();
        self.key as usize + 1..end - 1
    }
}

/// What one parse left behind.
#[derive(Default, Debug)]
pub(super) struct Tape {
    pub(super) nodes: Vec<Node>,
    pub(super) faults: Faults,
    pub(super) end: usize,
}

/// A parsed payload: bytes and tape. Copy it freely.
#[derive(Clone, Copy)]
pub struct Doc<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) tape: &'a Tape,
}

impl<'a> Doc<'a> {
    /// The first value of the payload; `None` where nothing looked like one.
    pub fn root(self) -> Option<Value<'a>> {
        self.node(0)
    }

    /// What was wrong or remarkable.
    #[inline]
    pub fn faults(self) -> &'a Faults {
        &self.tape.faults
    }

    /// Offset just after the first value, or where reading stopped. The rest of the bytes is trailing text.
    pub fn end(self) -> usize {
        self.tape.end
    }

    /// The whole payload.
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Number of nodes: one for each value.
    pub fn len(self) -> usize {
        self.tape.nodes.len()
    }

    /// Some text holds what is no character and decodes to U+FFFD.
    #[inline]
    pub(super) fn is_broken(self) -> bool {
        self.tape.faults.invalid_utf8.is_some() || self.tape.faults.lone_surrogate.is_some()
    }

    /// Nothing was read.
    pub fn is_empty(self) -> bool {
        self.tape.nodes.is_empty()
    }

    /// The value with this node number ([`Value::node`]): they count the values in the order of the text, from 0.
    pub fn node(self, node: u32) -> Option<Value<'a>> {
        ((node as usize) < self.len()).then_some(Value { doc: self, at: node })
    }

    /// The innermost value whose source text, or that of its key, covers this byte offset.
    pub fn at_offset(self, offset: usize) -> Option<Value<'a>> {
        // Nodes are sorted by their start: the last that starts at or before the offset is inside all that cover it.
        let before = self.tape.nodes.partition_point(|n| n.first() <= offset);
        let last = self.node(before.checked_sub(1)? as u32)?;
        std::iter::successors(Some(last), |v| v.parent()).find(|v| offset < v.span().end)
    }
}

impl std::fmt::Debug for Doc<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Doc").field("bytes", &self.bytes.len()).field("nodes", &self.len()).finish_non_exhaustive()
    }
}

/// A payload that owns its bytes and its tape, for whoever keeps one for longer than a loop turn (a screen).
#[derive(Debug)]
pub struct Document {
    bytes: Box<[u8]>,
    tape: Tape,
}

impl Document {
    /// Parses and keeps.
    pub fn new(bytes: impl Into<Box<[u8]>>) -> Document {
        let bytes = bytes.into();
        let mut parser = Parser::new();
        parser.parse(&bytes);
        Document { tape: parser.into_tape(), bytes }
    }

    /// The document.
    pub fn doc(&self) -> Doc<'_> {
        Doc { bytes: &self.bytes, tape: &self.tape }
    }
}
