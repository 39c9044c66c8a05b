//! One number for each value of a document, equal where the values are: the quick way to see that nothing differs, and
//! what arrays are aligned by. Members count whatever their order, numbers by value, volatile members not at all.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::volatile;
use crate::wire::json::number::Decimal;
use crate::wire::json::{Doc, Kind, Value};

/// Hashes by node number. Works from the end, where the innermost values are, so that no depth is too deep.
pub(super) fn all(doc: Doc<'_>, strict: bool) -> Vec<u64> {
    let mut hashes = vec![0u64; doc.len()];
    for node in (0..doc.len()).rev() {
        let Some(value) = doc.node(node as u32) else { continue };
        hashes[node] = one(value, &hashes, strict);
    }
    hashes
}

fn of<T: Hash>(tag: u8, what: T) -> u64 {
    let mut hasher = FxHasher::default();
    tag.hash(&mut hasher);
    what.hash(&mut hasher);
    hasher.finish()
}

fn one(value: Value<'_>, below: &[u64], strict: bool) -> u64 {
    match value.kind() {
        Kind::Null => 1,
        Kind::Bool => of(2, value.as_bool()),
        Kind::Number => match Decimal::read(value.raw()) {
            // Zero has no digits and, with either sign, one value.
            Some(d) if d.is_empty() => of(3, 0),
            Some(d) => of(3, (d.negative, d.exponent, d.digits().collect::<Vec<u8>>())),
            None => of(3, value.raw()),
        },
        Kind::String => {
            let text = value.as_str().unwrap_or_default();
            match volatile::made(&text).filter(|_| !strict) {
                Some(made) => of(4, made as u8),
                None => of(5, text.as_ref()),
            }
        }
        Kind::Array => {
            let mut hasher = FxHasher::default();
            value.elements().for_each(|e| below[e.node() as usize].hash(&mut hasher));
            of(6, hasher.finish())
        }
        Kind::Object => {
            let parent = value.key().map(|k| k.as_str());
            let top = value.parent().is_none();
            let mut sum = 0u64;
            for (key, member) in value.members() {
                let name = key.as_str();
                if strict || !volatile::is_name(&name, parent.as_deref(), top) {
                    sum = sum.wrapping_add(of(7, (name.as_ref(), below[member.node() as usize])));
                }
            }
            of(8, sum)
        }
    }
}
