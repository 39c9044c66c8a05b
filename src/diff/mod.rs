//! Comparing two traces, exchange by exchange.
//!
//! Exchanges are aligned by what they ask for and by their order, so that a call that was moved or added does not spoil the
//! rest. What is aligned is compared as JSON: numbers by value, members whatever their order, arrays with their elements
//! aligned. What differs on every run (ids, times, tokens, cursors) is left out and counted. A trace on the left may hold
//! matchers (`"<<any>>"`). Lists of tools, prompts and resources are compared as contracts: breaking, safe or cosmetic.

mod align;
mod compare;
mod contract;
mod hash;
mod matcher;
mod pointers;
pub mod show;
mod volatile;
pub mod words;

use std::collections::BTreeMap;
use std::io;
use std::time::Instant;

use crate::trace::{NONE, Outcome, Source, Store, Windows};
use crate::wire::json::Parser;

pub use compare::{Change, Kind};
pub use contract::Grade;
pub use pointers::Pattern;

/// One of the two traces.
#[derive(Clone, Copy)]
pub struct Trace<'a> {
    /// What is known about it.
    pub store: &'a Store,
    /// Where its bytes are.
    pub source: &'a Source,
    /// The exchanges (indices, in order) that are compared.
    pub exchanges: &'a [u32],
}

/// What is compared, and what is not.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Places that are left out.
    pub ignore: Vec<Pattern>,
    /// If there are any: the only places that are compared.
    pub only: Vec<Pattern>,
    /// Compare also what differs on every run.
    pub strict: bool,
    /// When the alignment takes what it has: two traces may be made to be hard to align.
    pub deadline: Option<Instant>,
}

/// How an exchange of one trace stands to the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Nothing differs.
    Same,
    /// Something differs.
    Different,
    /// Only the left trace has it.
    Missing,
    /// Only the right trace has it.
    Extra,
}

impl Status {
    /// The word in outputs.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Same => "same",
            Status::Different => "different",
            Status::Missing => "missing",
            Status::Extra => "extra",
        }
    }
}

/// Two exchanges that belong together, or one that stands alone.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Index in the left trace.
    pub left: Option<u32>,
    /// Index in the right trace.
    pub right: Option<u32>,
    /// How they stand.
    pub status: Status,
    /// It stands at another place among the others.
    pub moved: bool,
    /// What differs, in the order of the left message.
    pub changes: Vec<Change>,
    /// More differences than were kept.
    pub more: usize,
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Diff {
    /// Every exchange, in the order of the right trace, with the missing ones where they were.
    pub pairs: Vec<Pair>,
    /// Differences that do not count: their place (with `*` for positions) and how many.
    pub ignored: BTreeMap<String, usize>,
}

impl Diff {
    /// Whether nothing differs.
    pub fn is_same(&self) -> bool {
        self.pairs.iter().all(|p| p.status == Status::Same)
    }

    /// How many pairs have a status.
    pub fn count(&self, status: Status) -> usize {
        self.pairs.iter().filter(|p| p.status == status).count()
    }
}

/// Compares two traces.
///
/// # Errors
/// When the bytes of one cannot be read any more.
pub fn diff(left: Trace<'_>, right: Trace<'_>, options: &Options) -> io::Result<Diff> {
    let mut readers = (Reader::default(), Reader::default());
    let keys = (align::keys(left, &mut readers.0, options)?, align::keys(right, &mut readers.1, options)?);
    let mut out = Diff::default();
    for aligned in align::align(&keys.0, &keys.1, options.deadline) {
        let l = aligned.left.map(|i| left.exchanges[i]);
        let r = aligned.right.map(|i| right.exchanges[i]);
        let mut pair =
            Pair { left: l, right: r, status: Status::Same, moved: aligned.moved, changes: Vec::new(), more: 0 };
        match (l, r) {
            (Some(l), Some(r)) => {
                exchange((left, l), (right, r), &mut readers, options, &mut pair, &mut out.ignored)?;
            }
            (Some(_), None) => pair.status = Status::Missing,
            _ => pair.status = Status::Extra,
        }
        out.pairs.push(pair);
    }
    Ok(out)
}

/// Reads messages; its buffers are used again.
#[derive(Default)]
pub(crate) struct Reader {
    windows: Windows,
    parser: Parser,
}

impl Reader {
    /// The bytes of a record's message.
    fn bytes<'a>(&'a mut self, trace: Trace<'a>, record: u32) -> io::Result<Option<(&'a [u8], &'a mut Parser)>> {
        let Some(found) = trace.store.record(record) else { return Ok(None) };
        let bytes = match trace.store.recovered.get(&record) {
            Some(recovered) => &recovered.bytes,
            None => self.windows.message(trace.source, found)?,
        };
        Ok(Some((bytes, &mut self.parser)))
    }
}

fn exchange(
    left: (Trace<'_>, u32),
    right: (Trace<'_>, u32),
    readers: &mut (Reader, Reader),
    options: &Options,
    pair: &mut Pair,
    ignored: &mut BTreeMap<String, usize>,
) -> io::Result<()> {
    let (a, b) = (&left.0.store.exchanges[left.1 as usize], &right.0.store.exchanges[right.1 as usize]);
    let method = left.0.store.method_of(a);
    let mut changes = compare::Changes::new(options, ignored);
    if a.outcome != b.outcome && options.only.is_empty() && !both_unanswered(a.outcome, b.outcome) {
        changes.outcome(a.outcome.as_str(), b.outcome.as_str());
    }
    for (l, r, response) in [(a.request, b.request, false), (a.response, b.response, true)] {
        if l == NONE && r == NONE {
            continue;
        }
        let before = readers.0.bytes(left.0, l)?;
        let after = readers.1.bytes(right.0, r)?;
        changes.response = response;
        changes.contract = contract::List::of(method).filter(|_| response);
        match (before, after) {
            (Some((x, p)), Some((y, q))) => changes.messages(p.parse(x), q.parse(y)),
            (Some((x, _)), None) => changes.whole(Some(x), None),
            (None, Some((y, _))) => changes.whole(None, Some(y)),
            (None, None) => {}
        }
    }
    (pair.changes, pair.more) = changes.finish();
    if !pair.changes.is_empty() {
        pair.status = Status::Different;
    }
    Ok(())
}

/// Where a record ends differs from run to run: waiting and unanswered are told apart only by it.
fn both_unanswered(a: Outcome, b: Outcome) -> bool {
    let none = |o| matches!(o, Outcome::Pending | Outcome::Unanswered | Outcome::Open);
    none(a) && none(b)
}
