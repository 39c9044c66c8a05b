//! Laying out rows: loops over the tape with a stack of their own, so that depth costs no recursion.

use std::sync::Arc;

use super::super::{Value, text_json};
use super::{Place, REST, Row, Source, Tree};

/// Bytes of strings that one layout parses to see whether they are JSON; above that they are opened by hand.
const EMBED_BUDGET: usize = 4 << 20;

impl Tree {
    /// Children of a container that are shown. It is not worth a row to say that a few more would follow.
    pub(super) fn limit(&self, container: Place) -> u32 {
        let limit = self.shown.get(&container).copied().unwrap_or(self.options.cap);
        let len = self.value(container).map_or(0, Value::len) as u32;
        if len <= limit.saturating_add(limit / 10) { len } else { limit }
    }

    /// Parses a string that may be JSON, once.
    pub(super) fn look_inside(&mut self, place: Place) {
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
    pub(super) fn lay(&mut self) {
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
    pub(super) fn lay_below(
        &mut self,
        container: Place,
        from: Option<(u32, u32)>,
        depth: u32,
        all: bool,
        out: &mut Vec<Row>,
    ) {
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
