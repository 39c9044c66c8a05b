//! Duplicate keys in linear time: a filter of 64 bits while an object is small, a seeded hash table once it is not.

use std::hash::{BuildHasher, RandomState};

use super::string;
use super::tape::{KEY_ESCAPE, Node};

/// Objects with more keys than this are checked once, when they end, by a table.
pub(super) const SMALL: u32 = 16;

/// Buffers of the check, kept between payloads.
#[derive(Default)]
pub(super) struct Dup {
    seed: RandomState,
    /// Half the hash and the node of a member; node 0 is never a member and marks a free place.
    table: Vec<(u32, u32)>,
    a: Vec<u8>,
    b: Vec<u8>,
}

/// A key: its inside in the payload, and whether it has escapes.
#[derive(Clone, Copy)]
pub(super) struct Name<'b> {
    pub(super) inner: &'b [u8],
    pub(super) escaped: bool,
}

impl<'b> Name<'b> {
    fn of(bytes: &'b [u8], node: Node) -> Name<'b> {
        Name { inner: &bytes[node.key_inner(bytes)], escaped: node.has(KEY_ESCAPE) }
    }

    /// The unescaped bytes, by way of the buffer where there are escapes.
    fn text<'t>(self, buffer: &'t mut Vec<u8>) -> &'t [u8]
    where
        'b: 't,
    {
        if !self.escaped {
            return self.inner;
        }
        buffer.clear();
        string::decode_bytes(self.inner, buffer);
        buffer
    }
}

impl Dup {
    /// The bit of a key in an object's filter.
    #[inline]
    pub(super) fn bit(&mut self, key: Name<'_>) -> u64 {
        let text = key.text(&mut self.a);
        let first = text.first().copied().unwrap_or(0);
        let last = text.last().copied().unwrap_or(0);
        let middle = text.get(text.len() / 2).copied().unwrap_or(0);
        let mixed = u32::from_le_bytes([first, last, middle, text.len() as u8]).wrapping_mul(0x9E37_79B1);
        1 << (mixed >> 26)
    }

    /// Whether the open object at `object` has this key already.
    pub(super) fn seen(&mut self, bytes: &[u8], nodes: &[Node], object: usize, key: Name<'_>) -> bool {
        let mut at = object + 1;
        while let Some(&node) = nodes.get(at) {
            if self.same(Name::of(bytes, node), key) {
                return true;
            }
            at = node.next as usize;
        }
        false
    }

    fn same(&mut self, x: Name<'_>, y: Name<'_>) -> bool {
        x.text(&mut self.a) == y.text(&mut self.b)
    }

    /// First repeated key of the last object, with `count` members, as the offset of its second occurrence.
    pub(super) fn first_repeated(
        &mut self,
        bytes: &[u8],
        nodes: &[Node],
        object: usize,
        count: usize,
    ) -> Option<usize> {
        let places = (count * 2).next_power_of_two();
        self.table.clear();
        self.table.resize(places, (0, 0));
        let mut at = object + 1;
        while let Some(&node) = nodes.get(at) {
            let key = Name::of(bytes, node);
            let hash = self.seed.hash_one(key.text(&mut self.a));
            let short = (hash >> 32) as u32;
            let mut place = hash as usize & (places - 1);
            loop {
                let (other_hash, other) = self.table[place];
                if other == 0 {
                    self.table[place] = (short, at as u32);
                    break;
                }
                if other_hash == short && self.same(Name::of(bytes, nodes[other as usize]), key) {
                    return Some(node.key as usize);
                }
                place = (place + 1) & (places - 1);
            }
            at = node.next as usize;
        }
        None
    }

    /// Gives memory back that one huge object needed.
    pub(super) fn shrink(&mut self) {
        self.table = Vec::new();
        self.a = Vec::new();
        self.b = Vec::new();
    }
}
