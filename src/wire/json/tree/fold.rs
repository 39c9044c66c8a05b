//! Opening, folding and finding rows.

use super::super::{Value, pointer};
use super::{Place, Row, Tree};

impl Tree {
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
