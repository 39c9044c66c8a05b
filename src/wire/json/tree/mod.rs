//! The folded tree of a document as rows for a screen.
//!
//! Only what is not folded has rows, and a row is 16 bytes without text: labels and values are cut from the payload when
//! a row is drawn. Long arrays and objects show their first members and a row "… 19,980 more". JSON inside of a string is
//! opened in place, as if it stood there.

mod fold;
mod layout;

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::token::{Tokens, inline, thousands};
use super::{Document, Key, Value, text_json};

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

    fn is_laid_open(&self, i: usize) -> bool {
        matches!((self.rows.get(i), self.rows.get(i + 1)), (Some(row), Some(next)) if next.depth() > row.depth())
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
}

#[cfg(test)]
mod tests;
