//! Duplicate keys in linear time: a filter of 64 bits while an object is small, a seeded hash table once it is not.

use std::hash::{BuildHasher, RandomState};

use super::string;
use super::tape::{ESCAPE, Node};

/// Objects with more keys than this are checked once, when they end, by a table.
pub(super) const SMALL: u32 = 16;

/// Buffers of the check, kept between payloads.
#[derive(Default)]
pub(super) struct Dup {
    seed: RandomState,
    /// Hash and node of a key; node 0 is never a key and marks a free place.
    table: Vec<(u32, u32)>,
    a: Vec<u8>,
    b: Vec<u8>,
}

impl Dup {
    /// The bit of a key in an object's filter.
    pub(super) fn bit(&mut self, bytes: &[u8], key: Node) -> u64 {
        let inner = text(bytes, key, &mut self.a);
        let first = inner.first().copied().unwrap_or(0);
        let last = inner.last().copied().unwrap_or(0);
        let middle = inner.get(inner.len() / 2).copied().unwrap_or(0);
        let mixed = u32::from_le_bytes([first, last, middle, inner.len() as u8]).wrapping_mul(0x9E37_79B1);
        1 << (mixed >> 26)
    }

    /// Whether an earlier key of the object at `object` is the same as the one at `key`.
    pub(super) fn seen(&mut self, bytes: &[u8], nodes: &[Node], object: usize, key: usize) -> bool {
        let mut at = object + 1;
        while at < key {
            if same(bytes, nodes[at], nodes[key], &mut self.a, &mut self.b) {
                return true;
            }
            at = nodes[at + 1].next as usize;
        }
        false
    }

    /// First repeated key of a whole object with `count` members, as the offset of its second occurrence.
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
        while at + 1 < nodes.len() {
            let key = nodes[at];
            let hash = self.seed.hash_one(text(bytes, key, &mut self.a));
            let short = (hash >> 32) as u32;
            let mut place = hash as usize & (places - 1);
            loop {
                let (other_hash, other) = self.table[place];
                if other == 0 {
                    self.table[place] = (short, at as u32);
                    break;
                }
                if other_hash == short && same(bytes, nodes[other as usize], key, &mut self.a, &mut self.b) {
                    return Some(key.start as usize);
                }
                place = (place + 1) & (places - 1);
            }
            at = nodes[at + 1].next as usize;
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

/// The key's unescaped bytes, by way of the buffer where it has escapes.
fn text<'t>(bytes: &'t [u8], key: Node, buffer: &'t mut Vec<u8>) -> &'t [u8] {
    let inner = &bytes[key.inner()];
    if !key.has(ESCAPE) {
        return inner;
    }
    buffer.clear();
    string::decode_bytes(inner, buffer);
    buffer
}

fn same(bytes: &[u8], x: Node, y: Node, a: &mut Vec<u8>, b: &mut Vec<u8>) -> bool {
    text(bytes, x, a) == text(bytes, y, b)
}
