//! Two messages, place by place.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::contract::{Grade, List};
use super::{Options, Pattern, hash, matcher, pointers, volatile};
use crate::wire::json::{Doc, Kind as Json, Value, number};

/// Differences of one exchange that are kept.
const MAX_CHANGES: usize = 1000;

/// Bytes of a value that are kept.
const MAX_VALUE: usize = 64 * 1024;

/// What is nested deeper is compared as a whole.
const MAX_DEPTH: usize = 200;

/// How a place differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Both have it, with other values.
    Changed,
    /// Only the left has it.
    Removed,
    /// Only the right has it.
    Added,
    /// The exchange ended otherwise.
    Outcome,
}

impl Kind {
    /// The word in outputs.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Changed => "changed",
            Kind::Removed => "removed",
            Kind::Added => "added",
            Kind::Outcome => "outcome",
        }
    }
}

/// One difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// Place in the message (RFC 6901): in the left one, or in the right one for what was added.
    pub pointer: String,
    /// How it differs.
    pub kind: Kind,
    /// In the answer; else in the request.
    pub response: bool,
    /// The value on the left as it is written, at most 64 KiB of it.
    pub left: Option<Vec<u8>>,
    /// The value on the right.
    pub right: Option<Vec<u8>>,
    /// What it means, where a contract has changed.
    pub grade: Option<Grade>,
}

/// Collects the differences of one exchange.
pub(super) struct Changes<'o> {
    options: &'o Options,
    ignored: &'o mut BTreeMap<String, usize>,
    list: Vec<Change>,
    more: usize,
    path: Vec<String>,
    /// The message is the answer.
    pub response: bool,
    /// The answer is a contract.
    pub contract: Option<List>,
}

/// Hashes of the two documents.
#[derive(Clone, Copy)]
struct Hashes<'h>(&'h [u64], &'h [u64]);

impl<'o> Changes<'o> {
    pub fn new(options: &'o Options, ignored: &'o mut BTreeMap<String, usize>) -> Self {
        Changes { options, ignored, list: Vec::new(), more: 0, path: Vec::new(), response: false, contract: None }
    }

    pub fn finish(self) -> (Vec<Change>, usize) {
        (self.list, self.more)
    }

    pub fn outcome(&mut self, left: &str, right: &str) {
        self.response = true;
        self.push(Kind::Outcome, Some(left.as_bytes()), Some(right.as_bytes()), None);
    }

    /// A message that only one side has, or that cannot be read.
    pub fn whole(&mut self, left: Option<&[u8]>, right: Option<&[u8]>) {
        if !self.options.only.is_empty() || left == right {
            return;
        }
        let kind = match (left, right) {
            (Some(_), None) => Kind::Removed,
            (None, Some(_)) => Kind::Added,
            _ => Kind::Changed,
        };
        self.push(kind, left, right, None);
    }

    pub fn messages(&mut self, left: Doc<'_>, right: Doc<'_>) {
        match (left.root(), right.root()) {
            (Some(l), Some(r)) if left.faults().syntax.is_none() && right.faults().syntax.is_none() => {
                let (a, b) = (hash::all(left, self.options.strict), hash::all(right, self.options.strict));
                self.value(l, r, Hashes(&a, &b));
            }
            _ => self.whole(Some(left.bytes()), Some(right.bytes())),
        }
    }

    fn push(&mut self, kind: Kind, left: Option<&[u8]>, right: Option<&[u8]>, grade: Option<Grade>) {
        if self.list.len() >= MAX_CHANGES {
            self.more += 1;
            return;
        }
        let cut = |b: &[u8]| b[..b.len().min(MAX_VALUE)].to_vec();
        let pointer = pointers::text(&self.path);
        self.list.push(Change {
            pointer,
            kind,
            response: self.response,
            left: left.map(cut),
            right: right.map(cut),
            grade,
        });
    }

    fn differs(&mut self, left: Option<Value<'_>>, right: Option<Value<'_>>) {
        if self.is_left_out() {
            return;
        }
        let kind = match (left, right) {
            (Some(_), None) => Kind::Removed,
            (None, Some(_)) => Kind::Added,
            _ => Kind::Changed,
        };
        let grade = self.contract.and_then(|c| c.grade(&self.path, kind, left, right));
        self.push(kind, left.map(Value::raw), right.map(Value::raw), grade);
    }

    /// Whether the place is not to be compared; counts it where the user said so.
    fn is_left_out(&mut self) -> bool {
        if let Some(pattern) = self.options.ignore.iter().find(|p| p.covers(&self.path)) {
            let _: &Pattern = pattern;
            self.skip();
            return true;
        }
        let only = &self.options.only;
        !only.is_empty() && !only.iter().any(|p| p.covers(&self.path))
    }

    fn skip(&mut self) {
        *self.ignored.entry(pointers::general(&self.path)).or_default() += 1;
    }

    fn value(&mut self, left: Value<'_>, right: Value<'_>, hashes: Hashes<'_>) {
        if left.raw() == right.raw() {
            return;
        }
        match matcher::fits(left, right) {
            Some(true) => return,
            Some(false) => return self.differs(Some(left), Some(right)),
            None => {}
        }
        if self.options.ignore.iter().any(|p| p.covers(&self.path)) {
            return self.skip();
        }
        if left.kind() != right.kind() {
            return self.differs(Some(left), Some(right));
        }
        match left.kind() {
            Json::Null => {}
            Json::Bool => self.differs(Some(left), Some(right)),
            Json::Number => {
                if !number::same(left.raw(), right.raw()) {
                    self.differs(Some(left), Some(right));
                }
            }
            Json::String => {
                let (l, r) = (left.as_str().unwrap_or_default(), right.as_str().unwrap_or_default());
                let made = volatile::made(&l);
                if l == r {
                } else if !self.options.strict && made.is_some() && made == volatile::made(&r) {
                    self.skip();
                } else {
                    self.differs(Some(left), Some(right));
                }
            }
            _ if self.path.len() >= MAX_DEPTH => {
                if hashes.0[left.node() as usize] != hashes.1[right.node() as usize] {
                    self.differs(Some(left), Some(right));
                }
            }
            Json::Object => self.object(left, right, hashes),
            Json::Array => self.array(left, right, hashes),
        }
    }

    fn object(&mut self, left: Value<'_>, right: Value<'_>, hashes: Hashes<'_>) {
        let parent = self.path.last().cloned();
        let top = self.path.is_empty();
        let is_volatile = |name: &str| !self.options.strict && volatile::is_name(name, parent.as_deref(), top);
        // Of repeated keys the last one counts.
        let collect = |v: Value<'_>| v.members().map(|(k, _)| k.as_str().into_owned()).collect::<Vec<String>>();
        let last =
            |v: Value<'_>| v.members().map(|(k, m)| (k.as_str().into_owned(), m.node())).collect::<FxHashMap<_, _>>();
        let (names, of_left, of_right) = (collect(left), last(left), last(right));
        let mut plan: Vec<(String, Option<u32>, Option<u32>, bool)> = Vec::new();
        for (i, name) in names.iter().enumerate() {
            let at = of_left.get(name).copied();
            // Where the key is repeated, once is enough.
            if left.doc().faults().duplicate_key.is_some() && names[..i].contains(name) {
                continue;
            }
            plan.push((name.clone(), at, of_right.get(name).copied(), is_volatile(name)));
        }
        for (key, member) in right.members() {
            let name = key.as_str();
            if !of_left.contains_key(name.as_ref()) && of_right.get(name.as_ref()) == Some(&member.node()) {
                plan.push((name.as_ref().to_owned(), None, Some(member.node()), is_volatile(&name)));
            }
        }
        for (name, l, r, is_volatile) in plan {
            let l = l.and_then(|n| left.doc().node(n));
            let r = r.and_then(|n| right.doc().node(n));
            self.path.push(name);
            match (l, r) {
                _ if is_volatile => {
                    if l.map(Value::raw) != r.map(Value::raw) {
                        self.skip();
                    }
                }
                (Some(l), Some(r)) => self.value(l, r, hashes),
                // `"<<any>>"` also stands for nothing.
                (Some(l), None) if l.str_eq("<<any>>") => {}
                (l, r) => self.differs(l, r),
            }
            self.path.pop();
        }
    }

    fn array(&mut self, left: Value<'_>, right: Value<'_>, hashes: Hashes<'_>) {
        let (l, r): (Vec<Value<'_>>, Vec<Value<'_>>) = (left.elements().collect(), right.elements().collect());
        let is_list = self.contract.is_some_and(|c| c.is_at(&self.path));
        let is_set = self.contract.is_some()
            && self.path.last().is_some_and(|n| ["required", "enum", "type"].contains(&n.as_str()));
        let mut pairs: Vec<(Option<usize>, Option<usize>)> = Vec::new();
        if is_list || is_set {
            let identity = self.contract.map(|c| c.identity).filter(|_| is_list);
            let key = |v: &Value<'_>, h: &[u64]| match identity.and_then(|i| v.get(i)) {
                Some(name) => name.as_str().map(|n| n.into_owned()).unwrap_or_default(),
                None => h[v.node() as usize].to_string(),
            };
            let mut free: FxHashMap<String, VecDeque<usize>> = FxHashMap::default();
            r.iter().enumerate().for_each(|(j, v)| free.entry(key(v, hashes.1)).or_default().push_back(j));
            pairs.extend(
                l.iter()
                    .enumerate()
                    .map(|(i, v)| (Some(i), free.get_mut(&key(v, hashes.0)).and_then(VecDeque::pop_front))),
            );
            let mut rest: Vec<usize> = free.into_values().flatten().collect();
            rest.sort_unstable();
            pairs.extend(rest.into_iter().map(|j| (None, Some(j))));
        } else {
            let of = |all: &[Value<'_>], h: &[u64]| all.iter().map(|v| h[v.node() as usize]).collect::<Vec<u64>>();
            let (a, b) = (of(&l, hashes.0), of(&r, hashes.1));
            let (mut gone, mut come) = (Vec::new(), Vec::new());
            for op in capture_diff_slices_deadline(Algorithm::Myers, &a, &b, self.options.deadline) {
                if let DiffOp::Equal { old_index, new_index, len } = op {
                    between(&l, &r, &mut gone, &mut come, &mut pairs);
                    pairs.extend((0..len).map(|i| (Some(old_index + i), Some(new_index + i))));
                } else {
                    gone.extend(op.old_range());
                    come.extend(op.new_range());
                }
            }
            between(&l, &r, &mut gone, &mut come, &mut pairs);
        }
        for (i, j) in pairs {
            self.path.push(i.or(j).unwrap_or_default().to_string());
            match (i.map(|i| l[i]), j.map(|j| r[j])) {
                (Some(a), Some(b)) => self.value(a, b, hashes),
                (Some(a), None) if a.str_eq("<<any>>") => {}
                (a, b) => self.differs(a, b),
            }
            self.path.pop();
        }
    }
}

/// What names an element among others.
fn identity(value: &Value<'_>) -> Option<String> {
    ["name", "uri", "id", "key"].iter().find_map(|n| value.get(n)?.as_str()).map(|t| t.into_owned())
}

/// Pairs what stands between equal elements: by name, then in order; what is left over went or came.
fn between(
    left: &[Value<'_>],
    right: &[Value<'_>],
    gone: &mut Vec<usize>,
    come: &mut Vec<usize>,
    pairs: &mut Vec<(Option<usize>, Option<usize>)>,
) {
    let mut named: FxHashMap<String, VecDeque<usize>> = FxHashMap::default();
    let mut plain: VecDeque<usize> = VecDeque::new();
    for j in come.drain(..) {
        match identity(&right[j]) {
            Some(name) => named.entry(name).or_default().push_back(j),
            None => plain.push_back(j),
        }
    }
    for i in gone.drain(..) {
        let partner = match identity(&left[i]) {
            Some(name) => named.get_mut(&name).and_then(VecDeque::pop_front),
            None => plain.pop_front(),
        };
        pairs.push((Some(i), partner));
    }
    let mut rest: Vec<usize> = named.into_values().flatten().chain(plain).collect();
    rest.sort_unstable();
    pairs.extend(rest.into_iter().map(|j| (None, Some(j))));
}
