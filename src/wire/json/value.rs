//! Cursors into a document: values, keys, and ways to walk.

use std::borrow::Cow;
use std::ops::Range;

use super::tape::{COUNT_MAX, Doc, ESCAPE, KEY_ESCAPE, NONE, Node, OPEN, SET};
use super::{Kind, number, pointer, string};

/// A value of a document.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    pub(super) doc: Doc<'a>,
    pub(super) at: u32,
}

/// A key of an object.
#[derive(Clone, Copy)]
pub struct Key<'a> {
    doc: Doc<'a>,
    /// The node of its value.
    at: u32,
}

impl<'a> Value<'a> {
    #[inline]
    fn own(self) -> Node {
        self.doc.tape.nodes[self.at as usize]
    }

    /// The document it belongs to.
    pub fn doc(self) -> Doc<'a> {
        self.doc
    }

    /// Its number in the document; [`Doc::node`] finds it again.
    pub fn node(self) -> u32 {
        self.at
    }

    /// What it is.
    #[inline]
    pub fn kind(self) -> Kind {
        self.own().kind()
    }

    /// Where it stands in the payload, in bytes.
    pub fn span(self) -> Range<usize> {
        let node = self.own();
        node.start as usize..node.end as usize
    }

    /// Its exact source bytes.
    pub fn raw(self) -> &'a [u8] {
        &self.doc.bytes[self.span()]
    }

    /// Its source bytes as text, with broken UTF-8 replaced.
    pub fn raw_str(self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.raw())
    }

    /// A string without its end, or a container without its bracket: reading stopped in it.
    pub fn is_open(self) -> bool {
        self.own().has(OPEN)
    }

    /// The value of a member; the last one where the key is repeated, as most parsers have it. `None` also where this is no object.
    #[inline]
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        let mut found = None;
        for (k, v) in self.members() {
            if k.is_whole(key) {
                found = Some(v);
                if self.doc.faults().duplicate_key.is_none() {
                    break;
                }
            }
        }
        if found.is_none() && self.doc.is_broken() {
            return self.members().filter(|(k, _)| *k == *key).last().map(|(_, v)| v);
        }
        found
    }

    /// The members of an object in their order; none where this is no object.
    #[inline]
    pub fn members(self) -> Members<'a> {
        Members(self.below(self.is_object()))
    }

    /// The elements of an array; none where this is no array.
    #[inline]
    pub fn elements(self) -> Elements<'a> {
        Elements(self.below(self.is_array()))
    }

    /// The values directly below: elements of an array, values of an object.
    pub fn children(self) -> Children<'a> {
        self.below(self.kind().is_container())
    }

    #[inline]
    fn below(self, any: bool) -> Children<'a> {
        Children { doc: self.doc, at: self.at + 1, end: if any { self.own().next } else { 0 } }
    }

    /// Node number after this value and everything in it: `node()..next_node()` are its own and those below.
    pub fn next_node(self) -> u32 {
        self.own().next
    }

    /// Number of members or elements; 0 for scalars.
    pub fn len(self) -> usize {
        match self.own().count() {
            COUNT_MAX => self.children().count(),
            n => n as usize,
        }
    }

    /// Has no members or elements.
    pub fn is_empty(self) -> bool {
        self.own().count() == 0
    }

    /// An element by its position.
    pub fn index(self, i: usize) -> Option<Value<'a>> {
        if i >= self.len() { None } else { self.elements().nth(i) }
    }

    /// Follows keys downwards.
    pub fn path(self, keys: &[&str]) -> Option<Value<'a>> {
        keys.iter().try_fold(self, |v, key| v.get(key))
    }

    /// Follows a JSON pointer (RFC 6901) from this value.
    pub fn at(self, pointer: &str) -> Option<Value<'a>> {
        pointer::tokens(pointer)?.try_fold(self, |v, token| v.step(&token))
    }

    /// Follows one token of a pointer, unescaped: a key or a position.
    pub fn step(self, token: &str) -> Option<Value<'a>> {
        match self.kind() {
            Kind::Object => self.get(token),
            Kind::Array => self.index(pointer::array_index(token)?),
            _ => None,
        }
    }

    /// The string's text, unescaped; borrowed where it has no escapes. What is no character becomes U+FFFD.
    #[inline]
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        let node = self.own();
        (node.kind() == Kind::String).then(|| string::decode(&self.doc.bytes[node.inner()], node.has(ESCAPE)))
    }

    /// The inside of a string as written, without its quotes.
    pub fn inner(self) -> Option<&'a [u8]> {
        let node = self.own();
        (node.kind() == Kind::String).then(|| &self.doc.bytes[node.inner()])
    }

    /// The string has at least one escape.
    pub fn has_escapes(self) -> bool {
        self.own().has(ESCAPE)
    }

    /// Whether this is a string with this text; compares without allocation.
    #[inline]
    pub fn str_eq(self, text: &str) -> bool {
        let node = self.own();
        node.kind() == Kind::String && string::equals(&self.doc.bytes[node.inner()], node.has(ESCAPE), text)
    }

    /// Is `null`.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Is a string.
    pub fn is_string(self) -> bool {
        self.kind() == Kind::String
    }

    /// Is an object.
    #[inline]
    pub fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    /// Is an array.
    pub fn is_array(self) -> bool {
        self.kind() == Kind::Array
    }

    /// Is a number; also NaN and the infinities.
    pub fn is_number(self) -> bool {
        self.kind() == Kind::Number
    }

    /// Is `true` or `false`.
    pub fn is_bool(self) -> bool {
        self.kind() == Kind::Bool
    }

    /// The truth value.
    pub fn as_bool(self) -> Option<bool> {
        let node = self.own();
        (node.kind() == Kind::Bool).then(|| node.has(SET))
    }

    /// The nearest floating-point number; infinite where the number is too large, NaN for `NaN`.
    pub fn as_f64(self) -> Option<f64> {
        if self.is_number() { number::as_f64(self.raw()) } else { None }
    }

    /// The exact value of an integer, however written (`1.0`, `1e2`); `None` where it is none or does not fit.
    pub fn as_i64(self) -> Option<i64> {
        self.as_i128()?.try_into().ok()
    }

    /// The exact value of an integer above or equal zero, however written.
    pub fn as_u64(self) -> Option<u64> {
        self.as_i128()?.try_into().ok()
    }

    fn as_i128(self) -> Option<i128> {
        if self.is_number() { number::Decimal::read(self.raw())?.as_i128() } else { None }
    }

    /// A number without fractional part, mathematically: `1.0` and `1e2` are integers, of any size.
    pub fn is_integer(self) -> bool {
        self.is_number() && number::is_integer(self.raw())
    }

    /// The array or object it stands in.
    pub fn parent(self) -> Option<Value<'a>> {
        let parent = self.own().parent;
        (parent != NONE).then_some(Value { doc: self.doc, at: parent })
    }

    /// Its key, where it is the value of a member.
    pub fn key(self) -> Option<Key<'a>> {
        self.own().is_member().then_some(Key { doc: self.doc, at: self.at })
    }

    /// Its position in its array or object.
    pub fn position(self) -> Option<usize> {
        self.parent()?.children().position(|v| v.at == self.at)
    }

    /// How many arrays and objects it stands in. Walks upwards.
    pub fn depth(self) -> usize {
        std::iter::successors(self.parent(), |v| v.parent()).count()
    }

    /// The JSON pointer (RFC 6901) from the root to here; empty for the root.
    pub fn pointer(self) -> String {
        let steps: Vec<Value<'a>> = std::iter::successors(Some(self), |v| v.parent()).collect();
        let mut out = String::new();
        for step in steps.iter().rev() {
            if let Some(key) = step.key() {
                pointer::push(&mut out, &key.as_str());
            } else if let Some(i) = step.position() {
                out.push('/');
                out.push_str(&i.to_string());
            }
        }
        out
    }

    /// The value as `serde_json` has it, which schema checks need; `None` where that cannot hold it: nesting beyond its
    /// limit (127), numbers out of range, NaN, lone surrogates, broken UTF-8, any syntax fault inside.
    ///
    /// It loses what `serde_json` loses (spelling of numbers, repeated keys): never show, compare or send it.
    pub fn to_serde(self) -> Option<serde_json::Value> {
        serde_json::from_slice(self.raw()).ok()
    }
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:?} ", self.kind(), self.span())?;
        let raw = self.raw();
        write!(f, "{}", String::from_utf8_lossy(&raw[..raw.len().min(80)]))
    }
}

impl<'a> Key<'a> {
    #[inline]
    fn own(self) -> Node {
        self.doc.tape.nodes[self.at as usize]
    }

    /// Where it stands in the payload, with its quotes.
    pub fn span(self) -> Range<usize> {
        let inner = self.own().key_inner(self.doc.bytes);
        inner.start - 1..inner.end + 1
    }

    /// Its source bytes, with quotes.
    pub fn raw(self) -> &'a [u8] {
        &self.doc.bytes[self.span()]
    }

    /// Its source bytes without quotes.
    pub fn inner(self) -> &'a [u8] {
        &self.doc.bytes[self.own().key_inner(self.doc.bytes)]
    }

    /// Its source bytes without quotes, where they are its text: it has no escape.
    pub fn plain(self) -> Option<&'a [u8]> {
        let node = self.own();
        (!node.has(KEY_ESCAPE)).then(|| &self.doc.bytes[node.key_inner(self.doc.bytes)])
    }

    /// Its text, unescaped; borrowed where it has no escapes.
    pub fn as_str(self) -> Cow<'a, str> {
        string::decode(self.inner(), self.own().has(KEY_ESCAPE))
    }

    /// Equality where neither has anything broken in it.
    #[inline]
    fn is_whole(self, text: &str) -> bool {
        let node = self.own();
        if node.has(KEY_ESCAPE) {
            return string::equals_whole(self.inner(), true, text);
        }
        // The end of the key need not be looked for: after the text its quote must stand.
        let rest = self.doc.bytes.get(node.key as usize + 1..).unwrap_or_default();
        rest.get(text.len()) == Some(&b'"') && &rest[..text.len()] == text.as_bytes()
    }

    /// The member's value.
    pub fn value(self) -> Value<'a> {
        Value { doc: self.doc, at: self.at }
    }
}

/// Compares after unescaping, without allocation.
impl PartialEq<str> for Key<'_> {
    fn eq(&self, other: &str) -> bool {
        self.is_whole(other) || (self.doc.is_broken() && self.as_str() == *other)
    }
}

impl PartialEq<&str> for Key<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl std::fmt::Debug for Key<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", String::from_utf8_lossy(self.raw()))
    }
}

/// Members of an object.
#[derive(Clone)]
pub struct Members<'a>(Children<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Key<'a>, Value<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let value = self.0.next()?;
        Some((Key { doc: value.doc, at: value.at }, value))
    }
}

/// Elements of an array.
#[derive(Clone)]
pub struct Elements<'a>(Children<'a>);

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<Value<'a>> {
        self.0.next()
    }
}

/// Values directly below an array or object.
#[derive(Clone)]
pub struct Children<'a> {
    doc: Doc<'a>,
    at: u32,
    end: u32,
}

impl<'a> Iterator for Children<'a> {
    type Item = Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let value = Value { doc: self.doc, at: self.at };
        self.at = value.own().next;
        Some(value)
    }
}
