//! Which exchange of one trace is which of the other.

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::io;
use std::ops::Range;
use std::time::Instant;

use rustc_hash::{FxHashMap, FxHasher};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::{Options, Reader, Trace, hash};
use crate::trace::RecordKind;
use crate::wire::envelope::Envelope;

/// What an exchange asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Key {
    /// Direction, method and target.
    coarse: u64,
    /// The parameters as well.
    fine: u64,
}

/// The keys of a trace's exchanges, in their order.
pub(super) fn keys(trace: Trace<'_>, reader: &mut Reader, options: &Options) -> io::Result<Vec<Key>> {
    let mut keys = Vec::with_capacity(trace.exchanges.len());
    for &index in trace.exchanges {
        let e = &trace.store.exchanges[index as usize];
        let mut hasher = FxHasher::default();
        (e.dir, trace.store.method_of(e), trace.store.target_of(e)).hash(&mut hasher);
        trace.store.record(e.first()).map(|r| r.kind).hash(&mut hasher);
        let coarse = hasher.finish();
        let unreadable = trace.store.record(e.first()).is_some_and(|r| r.kind == RecordKind::Unreadable);
        if let Some((bytes, parser)) = reader.bytes(trace, e.first())? {
            let doc = parser.parse(bytes);
            match doc.root().filter(|_| !unreadable) {
                Some(root) => {
                    let hashes = hash::all(doc, options.strict);
                    let envelope = Envelope::read(root);
                    for part in [envelope.params, envelope.result, envelope.error] {
                        part.map(|v| hashes[v.node() as usize]).hash(&mut hasher);
                    }
                }
                None => bytes.hash(&mut hasher),
            }
        }
        keys.push(Key { coarse, fine: hasher.finish() });
    }
    Ok(keys)
}

/// Positions that belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Aligned {
    pub left: Option<usize>,
    pub right: Option<usize>,
    pub moved: bool,
}

/// Aligns two lists: first what is equal in its parameters too, in order; between these what asks for the same; what is
/// left over then finds its partner anywhere and has moved.
pub(super) fn align(left: &[Key], right: &[Key], deadline: Option<Instant>) -> Vec<Aligned> {
    let mut partner: Vec<Option<(usize, bool)>> = vec![None; left.len()];
    let fine = |keys: &[Key]| keys.iter().map(|k| k.fine).collect::<Vec<u64>>();
    let coarse = |keys: &[Key]| keys.iter().map(|k| k.coarse).collect::<Vec<u64>>();
    let gaps = sequence(&fine(left), &fine(right), deadline, |l, r| partner[l] = Some((r, false)));
    let (mut lone_left, mut lone_right) = (Vec::new(), Vec::new());
    for (l, r) in gaps {
        let (a, b) = (coarse(&left[l.clone()]), coarse(&right[r.clone()]));
        let rest = sequence(&a, &b, deadline, |x, y| partner[l.start + x] = Some((r.start + y, false)));
        for (x, y) in rest {
            lone_left.extend(x.map(|i| l.start + i));
            lone_right.extend(y.map(|i| r.start + i));
        }
    }
    for key in [|k: &Key| k.fine, |k: &Key| k.coarse] {
        let mut free: FxHashMap<u64, VecDeque<usize>> = FxHashMap::default();
        lone_right.iter().for_each(|&j| free.entry(key(&right[j])).or_default().push_back(j));
        lone_left.retain(|&i| match free.get_mut(&key(&left[i])).and_then(VecDeque::pop_front) {
            Some(j) => {
                partner[i] = Some((j, true));
                false
            }
            None => true,
        });
        lone_right = free.into_values().flatten().collect();
        lone_right.sort_unstable();
    }
    in_order(&partner, right.len())
}

/// Calls `equal` for what stays in order, and gives the gaps between.
fn sequence(
    left: &[u64],
    right: &[u64],
    deadline: Option<Instant>,
    mut equal: impl FnMut(usize, usize),
) -> Vec<(Range<usize>, Range<usize>)> {
    let mut gaps: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut fresh = true;
    for op in capture_diff_slices_deadline(Algorithm::Myers, left, right, deadline) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            (0..len).for_each(|i| equal(old_index + i, new_index + i));
            fresh = true;
            continue;
        }
        match gaps.last_mut().filter(|_| !fresh) {
            Some((l, r)) => {
                l.end = l.end.max(op.old_range().end);
                r.end = r.end.max(op.new_range().end);
            }
            None => gaps.push((op.old_range(), op.new_range())),
        }
        fresh = false;
    }
    gaps
}

/// In the order of the right list; what only the left one has stands behind what was before it there.
fn in_order(partner: &[Option<(usize, bool)>], right: usize) -> Vec<Aligned> {
    let mut slots: Vec<((usize, usize), Aligned)> = Vec::with_capacity(right.max(partner.len()));
    let mut taken = vec![false; right];
    let mut after = 0;
    for (i, partner) in partner.iter().enumerate() {
        match partner {
            Some((j, moved)) => {
                taken[*j] = true;
                slots.push(((j + 1, 0), Aligned { left: Some(i), right: Some(*j), moved: *moved }));
                if !moved {
                    after = j + 1;
                }
            }
            None => slots.push(((after, i + 1), Aligned { left: Some(i), right: None, moved: false })),
        }
    }
    let extra = (0..right).filter(|j| !taken[*j]);
    slots.extend(extra.map(|j| ((j + 1, 0), Aligned { left: None, right: Some(j), moved: false })));
    slots.sort_by_key(|(slot, _)| *slot);
    slots.into_iter().map(|(_, aligned)| aligned).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// `a1` is an exchange of kind `a` with parameters `1`.
    fn pairs(left: &str, right: &str) -> String {
        let keys = |text: &str| {
            text.split_whitespace()
                .map(|w| Key {
                    coarse: u64::from(w.as_bytes()[0]),
                    fine: w.bytes().fold(0, |n, b| n * 256 + u64::from(b)),
                })
                .collect::<Vec<Key>>()
        };
        let (l, r): (Vec<&str>, Vec<&str>) = (left.split_whitespace().collect(), right.split_whitespace().collect());
        let name = |words: &[&str], at: Option<usize>| at.map_or("-".to_owned(), |i| words[i].to_owned());
        let all = align(&keys(left), &keys(right), None);
        let shown =
            all.iter().map(|a| format!("{}{}{}", name(&l, a.left), if a.moved { "~" } else { "=" }, name(&r, a.right)));
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn one_more_call_does_not_spoil_the_rest() {
        assert_eq!(pairs("a1 b1 b2 b3", "a1 b0 b1 b2 b3"), "a1=a1 -=b0 b1=b1 b2=b2 b3=b3");
        assert_eq!(pairs("a1 b1 c1", "a1 c1"), "a1=a1 b1=- c1=c1");
        assert_eq!(pairs("", "a1"), "-=a1");
        assert_eq!(pairs("a1", ""), "a1=-");
    }

    #[test]
    fn changed_parameters_and_moved_calls_find_each_other() {
        assert_eq!(pairs("a1 b1 c1", "a1 b9 c1"), "a1=a1 b1=b9 c1=c1");
        assert_eq!(pairs("x1 a1 b1 c1", "a1 b1 c1 x1"), "a1=a1 b1=b1 c1=c1 x1~x1");
        assert_eq!(pairs("x1 a1 b1 c1", "a1 b1 c1 x2"), "a1=a1 b1=b1 c1=c1 x1~x2");
    }
}
