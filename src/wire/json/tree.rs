//! The folded tree of a document as rows for a screen.
//!
//! Only what is not folded has rows, and a row is 16 bytes without text: labels and values are cut from the payload when
//! a row is drawn. Long arrays and objects show their first members and a row "… 19,980 more". JSON inside of a string is
//! opened in place, as if it stood there.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::token::{Tokens, inline, thousands};
use super::{Document, Key, Value, pointer, text_json};

/// What is folded at first.
#[derive(Clone, Debug)]
pub struct Options {
    /// Levels that are open.
    pub open_depth: u32,
    /// Elements or members that are shown of a long container; more on demand.
    pub cap: u32,
    /// Keys whose values are folded: `_meta` is two thirds of a modern client's bytes.
    pub folded: Vec<String>,
    /// Open JSON inside of strings.
    pub embedded: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { open_depth: 8, cap: 100, folded: vec!["_meta".to_owned()], embedded: true }
    }
}

/// Bytes of strings that one layout parses to see whether they are JSON; above that they are opened by hand.
const EMBED_BUDGET: usize = 4 << 20;

/// A document in a string of another, or the one on the wire.
#[derive(Debug)]
struct Source {
    document: Arc<Document>,
    root: u32,
    /// Document and node of the string that holds it.
    host: Option<(u32, u32)>,
}

/// A node of one of the documents.
type Place = (u32, u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Row {
    doc: u32,
    /// The value; for a rest row the first that is not shown.
    node: u32,
    /// Position in its container.
    position: u32,
    depth: u32,
}

/// High bit of `depth`: a rest row.
const REST: u32 = 1 << 31;

impl Row {
    fn depth(self) -> u32 {
        self.depth & !REST
    }

    fn is_rest(self) -> bool {
        self.depth & REST != 0
    }

    fn place(self) -> Place {
        (self.doc, self.node)
    }
}

/// Rows of a document, with what is folded.
#[derive(Debug)]
pub struct Tree {
    sources: Vec<Source>,
    rows: Vec<Row>,
    /// Strings that were looked into: the document, or `None` where there is none.
    inside: FxHashMap<Place, Option<u32>>,
    /// Containers whose fold is not what the options say.
    flipped: FxHashSet<Place>,
    /// Containers that show more than the cap.
    shown: FxHashMap<Place, u32>,
    options: Options,
}

/// Whether a row can be opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    /// Nothing is below it.
    Leaf,
    /// What is below it has rows.
    Open,
    /// What is below it is folded.
    Closed,
}

/// What stands before a row's value.
#[derive(Clone, Copy, Debug)]
pub enum Label<'t> {
    /// The root has no label.
    Root,
    /// A member's key.
    Key(Key<'t>),
    /// An element's position.
    Index(u32),
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub struct TreeRow<'t> {
    /// Levels of indent.
    pub depth: u32,
    /// Key or position.
    pub label: Label<'t>,
    /// The value. For a rest row the first value that is not shown.
    pub value: Value<'t>,
    /// Open, closed or neither.
    pub fold: Fold,
    /// The string's content, where it is JSON that was looked into.
    pub inside: Option<Value<'t>>,
    /// This many more are not shown: a rest row.
    pub hidden: Option<usize>,
}

impl<'t> TreeRow<'t> {
    /// The value on one line. An open container is its bracket and size; a rest row says how much it stands for.
    pub fn summary(&self, columns: usize) -> Tokens<'t> {
        if let Some(hidden) = self.hidden {
            let mut out = Tokens::new(columns);
            out.note(&format!("… {} more", thousands(hidden)));
            return out;
        }
        if self.fold != Fold::Open {
            return inline(self.value, columns);
        }
        let mut out = Tokens::new(columns);
        let shown = self.inside.unwrap_or(self.value);
        let brackets = if shown.is_object() { "{}" } else { "[]" };
        out.punct(brackets);
        let what = if self.inside.is_some() { " in a string" } else { "" };
        out.note(&format!(" {}{what}", thousands(shown.len())));
        out
    }
}

/// Where a row's value is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// JSON pointer in the payload; for a value inside of a string the pointer of that string.
    pub pointer: String,
    /// Pointers inside of strings, outermost first.
    pub inside: Vec<String>,
    /// Bytes in the payload; for a value inside of a string those of the string.
    pub span: Range<usize>,
}

impl Tree {
    /// Lays out a value of the document ([`Value::node`]; 0 is the root).
    pub fn new(document: Arc<Document>, root: u32, options: Options) -> Tree {
        let mut tree = Tree {
            sources: vec![Source { document, root, host: None }],
            rows: Vec::new(),
            inside: FxHashMap::default(),
            flipped: FxHashSet::default(),
            shown: FxHashMap::default(),
            options,
        };
        tree.lay();
        tree
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// There is nothing to show: the payload has no value.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The payload's document.
    pub fn document(&self) -> &Arc<Document> {
        &self.sources[0].document
    }

    fn value(&self, (doc, node): Place) -> Option<Value<'_>> {
        self.sources.get(doc as usize)?.document.doc().node(node)
    }

    /// A row, to be drawn.
    pub fn row(&self, i: usize) -> Option<TreeRow<'_>> {
        let row = *self.rows.get(i)?;
        let value = self.value(row.place())?;
        let root = self.sources[row.doc as usize].root;
        let label = match value.key() {
            _ if row.node == root => Label::Root,
            Some(key) => Label::Key(key),
            None => Label::Index(row.position),
        };
        let hidden = row.is_rest().then(|| value.parent().map_or(0, Value::len) - row.position as usize);
        let inside = self.content(row.place()).filter(|c| c.0 != row.doc).and_then(|c| self.value(c));
        let fold = if row.is_rest() || !self.may_open(row.place(), value) {
            Fold::Leaf
        } else if self.is_laid_open(i) {
            Fold::Open
        } else {
            Fold::Closed
        };
        Some(TreeRow { depth: row.depth(), label, value, fold, inside, hidden })
    }

    /// The container whose children stand below a row: itself, or the JSON that a string holds.
    fn content(&self, place: Place) -> Option<Place> {
        if let Some(inside) = self.inside.get(&place) {
            return inside.map(|doc| (doc, self.sources[doc as usize].root));
        }
        self.value(place).filter(|v| v.kind().is_container()).map(|_| place)
    }

    /// Where a row's value is in the payload.
    pub fn location(&self, i: usize) -> Option<Location> {
        let row = self.rows.get(i)?;
        let mut inside = Vec::new();
        let mut place = row.place();
        loop {
            let value = self.value(place)?;
            let source = &self.sources[place.0 as usize];
            match source.host {
                Some(host) => {
                    inside.push(value.pointer());
                    place = host;
                }
                None => {
                    inside.reverse();
                    return Some(Location { pointer: value.pointer(), inside, span: value.span() });
                }
            }
        }
    }

    /// The row above that a row stands under.
    pub fn parent_row(&self, i: usize) -> Option<usize> {
        let depth = self.rows.get(i)?.depth();
        self.rows[..i].iter().rposition(|r| r.depth() < depth)
    }

    /// Opens or folds a row; on a rest row shows more. Gives whether anything changed.
    pub fn toggle(&mut self, i: usize) -> bool {
        match self.rows.get(i) {
            Some(row) if row.is_rest() => self.reveal(i),
            Some(_) => self.set_open(i, !self.is_laid_open(i)),
            None => false,
        }
    }

    /// Opens or folds a row. Gives whether anything changed.
    pub fn set_open(&mut self, i: usize, open: bool) -> bool {
        self.change(i, open, false)
    }

    /// Opens all below a row, as deep as it goes (up to a million rows), or folds it with all that is open in it.
    pub fn set_all(&mut self, i: usize, open: bool) -> bool {
        if !open {
            for at in i + 1..self.end_of(i) {
                self.set_fold(self.rows[at], false);
            }
        }
        self.change(i, open, open)
    }

    fn change(&mut self, i: usize, open: bool, all: bool) -> bool {
        let Some(row) = self.rows.get(i).copied().filter(|r| !r.is_rest()) else { return false };
        if self.is_laid_open(i) == open && !all {
            return false;
        }
        let mut below = Vec::new();
        if open {
            self.look_inside(row.place());
            let Some(content) = self.content(row.place()) else { return false };
            self.set_fold(row, true);
            self.lay_below(content, None, row.depth() + 1, all, &mut below);
        } else {
            self.set_fold(row, false);
        }
        let end = self.end_of(i);
        let changed = below.len() != end - (i + 1);
        self.rows.splice(i + 1..end, below);
        changed
    }

    /// Shows ten times as much of the container as before.
    fn reveal(&mut self, i: usize) -> bool {
        let row = self.rows[i];
        let Some(container) = self.value(row.place()).and_then(Value::parent) else { return false };
        let place = (row.doc, container.node());
        self.shown.insert(place, row.position.saturating_mul(10).max(self.options.cap));
        let mut more = Vec::new();
        self.lay_below(place, Some((row.node, row.position)), row.depth(), false, &mut more);
        self.rows.splice(i..=i, more);
        true
    }

    /// The row of the value at a pointer in the payload, or of the innermost container on the way that exists. Opens
    /// what it stands in.
    pub fn find(&mut self, pointer: &str) -> Option<usize> {
        let node = nearest(self.document().doc().root()?, pointer).node();
        self.show((0, node))
    }

    /// Like [`Tree::find`], of a value in the JSON that the string at `pointer` holds.
    pub fn find_inside(&mut self, pointer: &str, inside: &str) -> Option<usize> {
        let host = (0, self.document().doc().root()?.at(pointer)?.node());
        self.look_inside(host);
        let content = self.content(host)?;
        let node = nearest(self.value(content)?, inside).node();
        self.show((content.0, node))
    }

    /// The row of the value at a byte offset of the payload. Opens what it stands in.
    pub fn find_offset(&mut self, offset: usize) -> Option<usize> {
        let node = self.document().doc().at_offset(offset)?.node();
        self.show((0, node))
    }

    /// The row of a node of the payload ([`Value::node`]), where it has one as things are.
    pub fn row_of(&self, node: u32) -> Option<usize> {
        self.rows.iter().position(|r| r.place() == (0, node) && !r.is_rest())
    }

    fn show(&mut self, place: Place) -> Option<usize> {
        let place = self.row_place(place);
        let mut above = Vec::new();
        let mut at = place;
        while let Some(parent) = self.parent_place(at) {
            above.push((parent, at));
            at = parent;
        }
        if at != (0, self.sources[0].root) {
            return None;
        }
        let mut changed = false;
        for (depth, (parent, child)) in above.into_iter().rev().enumerate() {
            let row = Row { doc: parent.0, node: parent.1, position: 0, depth: depth as u32 };
            changed |= !self.is_open(row);
            self.set_fold(row, true);
            let value = self.value(child)?;
            let (container, position) = ((child.0, value.parent()?.node()), value.position()? as u32);
            if position >= self.limit(container) {
                changed = true;
                self.shown.insert(container, position.saturating_add(self.options.cap / 2));
            }
        }
        if changed {
            self.lay();
        }
        self.rows.iter().position(|r| r.place() == place && !r.is_rest())
    }

    /// The row that stands for a value: the root of JSON in a string has none but the string's.
    fn row_place(&self, place: Place) -> Place {
        let source = &self.sources[place.0 as usize];
        source.host.filter(|_| place.1 == source.root).unwrap_or(place)
    }

    fn parent_place(&self, place: Place) -> Option<Place> {
        if place == (0, self.sources[0].root) {
            return None;
        }
        let parent = self.value(place)?.parent()?;
        Some(self.row_place((place.0, parent.node())))
    }

    fn is_laid_open(&self, i: usize) -> bool {
        self.end_of_first(i) > i + 1
    }

    fn end_of_first(&self, i: usize) -> usize {
        match (self.rows.get(i), self.rows.get(i + 1)) {
            (Some(row), Some(next)) if next.depth() > row.depth() => i + 2,
            _ => i + 1,
        }
    }

    /// Row after all that stand below a row.
    fn end_of(&self, i: usize) -> usize {
        let Some(row) = self.rows.get(i) else { return self.rows.len() };
        self.rows[i + 1..].iter().position(|r| r.depth() <= row.depth()).map_or(self.rows.len(), |n| i + 1 + n)
    }

    fn may_open(&self, place: Place, value: Value<'_>) -> bool {
        match self.inside.get(&place) {
            Some(Some(doc)) => self.value((*doc, 0)).is_some_and(|v| !v.is_empty()),
            Some(None) => false,
            None if value.is_string() => text_json::may_be_json(value),
            None => !value.is_empty(),
        }
    }

    fn opens_by_itself(&self, row: Row) -> bool {
        if row.depth() == 0 {
            return true;
        }
        let Some(value) = self.value(row.place()) else { return false };
        let folded = |key: Key<'_>| self.options.folded.iter().any(|f| key == f.as_str());
        row.depth() < self.options.open_depth && !value.key().is_some_and(folded)
    }

    fn is_open(&self, row: Row) -> bool {
        self.opens_by_itself(row) != self.flipped.contains(&row.place())
    }

    fn set_fold(&mut self, row: Row, open: bool) {
        if row.is_rest() {
            return;
        }
        if open == self.opens_by_itself(row) {
            self.flipped.remove(&row.place());
        } else {
            self.flipped.insert(row.place());
        }
    }

    /// Children of a container that are shown. It is not worth a row to say that a few more would follow.
    fn limit(&self, container: Place) -> u32 {
        let limit = self.shown.get(&container).copied().unwrap_or(self.options.cap);
        let len = self.value(container).map_or(0, Value::len) as u32;
        if len <= limit.saturating_add(limit / 10) { len } else { limit }
    }

    /// Parses a string that may be JSON, once.
    fn look_inside(&mut self, place: Place) {
        if self.inside.contains_key(&place) || self.value(place).is_none_or(|v| !text_json::may_be_json(v)) {
            return;
        }
        let found = self.value(place).and_then(text_json::document).map(|document| {
            self.sources.push(Source { document: Arc::new(document), root: 0, host: Some(place) });
            self.sources.len() as u32 - 1
        });
        self.inside.insert(place, found);
    }

    /// Lays out everything anew.
    fn lay(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        let root = Row { doc: 0, node: self.sources[0].root, position: 0, depth: 0 };
        if self.value(root.place()).is_some() {
            let mut budget = EMBED_BUDGET;
            rows.push(root);
            if let Some(content) = self.opened(root, false, &mut budget) {
                self.lay_below(content, None, 1, false, &mut rows);
            }
        }
        self.rows = rows;
    }

    /// What to lay out below a row, if it is open.
    fn opened(&mut self, row: Row, force: bool, budget: &mut usize) -> Option<Place> {
        let value = self.value(row.place())?;
        if value.is_string() {
            let size = value.span().len();
            if (self.options.embedded || force) && size <= *budget && !self.inside.contains_key(&row.place()) {
                let sources = self.sources.len();
                self.look_inside(row.place());
                if self.sources.len() > sources {
                    *budget -= size;
                }
            }
        } else if !value.kind().is_container() {
            return None;
        }
        if force {
            self.set_fold(row, true);
        }
        if self.is_open(row) { self.content(row.place()) } else { None }
    }

    /// Rows of a container's children, from one on, and of all that is open below them.
    fn lay_below(&mut self, container: Place, from: Option<(u32, u32)>, depth: u32, all: bool, out: &mut Vec<Row>) {
        let mut budget = EMBED_BUDGET;
        let mut levels: Vec<Level> = self.level(container, depth).into_iter().collect();
        if let (Some(level), Some((node, position))) = (levels.first_mut(), from) {
            level.at = node;
            level.position = position;
        }
        while let Some(level) = levels.last_mut() {
            if level.at >= level.end {
                levels.pop();
                continue;
            }
            let mut row = Row { doc: level.doc, node: level.at, position: level.position, depth: level.depth };
            if level.position >= level.limit {
                row.depth |= REST;
                out.push(row);
                levels.pop();
                continue;
            }
            out.push(row);
            level.position += 1;
            level.at = self.sources[row.doc as usize].document.doc().node(row.node).map_or(u32::MAX, Value::next_node);
            if let Some(content) = self.opened(row, all && out.len() < MAX_FORCED, &mut budget) {
                levels.extend(self.level(content, row.depth + 1));
            }
        }
    }

    fn level(&self, container: Place, depth: u32) -> Option<Level> {
        let value = self.value(container)?;
        Some(Level {
            doc: container.0,
            at: container.1 + 1,
            end: value.next_node(),
            position: 0,
            limit: self.limit(container),
            depth,
        })
    }
}

/// Rows beyond which "open all" opens nothing more.
const MAX_FORCED: usize = 1_000_000;

/// A container that is being laid out.
struct Level {
    doc: u32,
    at: u32,
    end: u32,
    position: u32,
    limit: u32,
    depth: u32,
}

/// The value at a pointer, or the innermost value on the way to it that exists.
fn nearest<'a>(root: Value<'a>, pointer: &str) -> Value<'a> {
    let mut at = root;
    for token in pointer::tokens(pointer).into_iter().flatten() {
        match at.step(&token) {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::wire::json::tests::any_json;

    fn tree(text: &str) -> Tree {
        Tree::new(Arc::new(Document::new(text.as_bytes())), 0, Options::default())
    }

    fn shown(tree: &Tree) -> Vec<String> {
        (0..tree.len())
            .map(|i| {
                let row = tree.row(i).unwrap();
                let fold = match row.fold {
                    Fold::Leaf => ' ',
                    Fold::Open => '-',
                    Fold::Closed => '+',
                };
                let label = match row.label {
                    _ if row.hidden.is_some() => String::new(),
                    Label::Root => String::new(),
                    Label::Key(k) => format!("{}: ", k.as_str()),
                    Label::Index(n) => format!("{n}: "),
                };
                format!("{fold}{}{label}{}", "  ".repeat(row.depth as usize), row.summary(60).text())
            })
            .collect()
    }

    const CALL: &str =
        r#"{"id":7,"params":{"name":"x","_meta":{"v":"2026-07-28"},"list":[1,{}]},"text":"{\"a\":[true]}"}"#;

    #[test]
    fn folds_and_opens() {
        let mut t = tree(CALL);
        let all = [
            "-{} 3",
            "   id: 7",
            "-  params: {} 3",
            "     name: \"x\"",
            "+    _meta: {\"v\": \"2026-07-28\"}",
            "-    list: [] 2",
            "       0: 1",
            "       1: {}",
            "-  text: {} 1 in a string",
            "-    a: [] 1",
            "       0: true",
        ];
        assert_eq!(shown(&t), all);
        assert!(t.toggle(2));
        assert_eq!(shown(&t)[2], "+  params: {\"name\": \"x\", \"_meta\": {\"v\": \"2026-07-28\"}, \"list\": [1, {}]}");
        assert_eq!(t.len(), 6);
        assert!(t.toggle(2));
        assert_eq!(shown(&t), all);
        assert!(t.toggle(4));
        assert_eq!(shown(&t)[5], "       v: \"2026-07-28\"");
        assert!(!t.toggle(1) && !t.toggle(999));
        assert!(t.set_all(0, false));
        assert_eq!(t.len(), 1);
        assert!(t.toggle(0));
        assert_eq!(t.len(), 4);
        assert!(t.set_all(0, true));
        assert_eq!(t.len(), 12);
        assert_eq!(t.parent_row(5), Some(4));
    }

    #[test]
    fn rows_know_where_they_are() {
        let mut t = tree(CALL);
        for i in 0..t.len() {
            let at = t.location(i).unwrap();
            assert_eq!(t.row(i).map(|r| r.inside.is_some()), Some(i == 8));
            let found =
                if at.inside.is_empty() { t.find(&at.pointer) } else { t.find_inside(&at.pointer, &at.inside[0]) };
            assert_eq!(found, Some(i));
        }
        assert_eq!(
            t.location(10).unwrap(),
            Location { pointer: "/text".into(), inside: vec!["/a/0".into()], span: 78..94 }
        );
        t.set_all(0, false);
        assert_eq!(t.find("/params/_meta/v"), Some(5));
        assert_eq!(t.find("/params/missing/x"), Some(2));
        t.set_all(0, false);
        let i = t.find_inside("/text", "/a/0").unwrap();
        assert_eq!(shown(&t)[i], "       0: true");
        assert_eq!(
            t.find_offset(CALL.find("2026").unwrap()).map(|i| t.location(i).unwrap().pointer).unwrap(),
            "/params/_meta/v"
        );
    }

    #[test]
    fn long_arrays_are_capped_and_shown_on_demand() {
        let numbers: Vec<String> = (0..20_000).map(|n| n.to_string()).collect();
        let mut t = tree(&format!(r#"{{"n":[{}]}}"#, numbers.join(",")));
        assert_eq!(t.len(), 103);
        assert_eq!(shown(&t)[102], "     … 19,900 more");
        assert!(t.toggle(102));
        assert_eq!(t.len(), 1003);
        assert_eq!(shown(&t)[1001..], ["     999: 999".to_owned(), "     … 19,000 more".to_owned()]);
        let i = t.find("/n/15000").unwrap();
        assert_eq!(shown(&t)[i], "     15000: 15000");
        assert!(t.row(t.len() - 1).unwrap().hidden.is_some());
        assert_eq!(tree(&format!("[{}]", numbers[..110].join(","))).len(), 111);
    }

    #[test]
    fn nothing_to_show_and_torn_text() {
        assert!(tree("").is_empty() && tree("Server started").is_empty());
        assert_eq!(shown(&tree("\"x\"")), [" \"x\""]);
        assert_eq!(shown(&tree(r#"{"a":[1,"to"#)), ["-{} 1", "-  a: [] 2", "     0: 1", "     1: \"to"]);
        assert_eq!(shown(&tree(r#"{"a":"[not json]"}"#)), ["-{} 1", "   a: \"[not json]\""]);
        assert_eq!(shown(&tree(r#""[1]""#)), ["-[] 1 in a string", "   0: 1"]);
    }

    #[test]
    fn any_depth() {
        let mut t = tree(&format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000)));
        assert_eq!(t.len(), 9);
        t.set_all(0, true);
        assert_eq!(t.len(), 200_001);
        assert!(t.row(100_000).unwrap().summary(40).columns <= 40);
        assert!(t.toggle(1));
        assert_eq!(t.len(), 2);
        assert_eq!(t.location(1).unwrap().pointer, "/0");
    }

    proptest! {
        /// Any sequence of keys leaves rows that are those of a fresh layout with the same folds, in order of the text.
        #[test]
        fn rows_stay_consistent(value in any_json(), keys in proptest::collection::vec((0usize..60, 0u8..4), 0..20)) {
            let text = value.to_string();
            let options = Options { cap: 3, open_depth: 2, ..Options::default() };
            let mut t = Tree::new(Arc::new(Document::new(text.into_bytes())), 0, options);
            for (i, key) in keys {
                let i = i % t.len();
                match key {
                    0 | 1 => _ = t.toggle(i),
                    2 => _ = t.set_all(i, true),
                    _ => _ = t.set_all(i, false),
                }
                let kept = t.rows.clone();
                t.lay();
                prop_assert_eq!(&kept, &t.rows);
                for i in 0..t.len() {
                    let row = t.row(i).unwrap();
                    prop_assert!(row.summary(30).columns <= 30);
                    prop_assert!(t.location(i).is_some());
                    prop_assert_eq!(i == 0, row.depth == 0);
                }
            }
        }
    }
}
