//! Rows of a pane: headings, folded JSON, text, bytes and findings. Rows are small and point into documents; only those
//! on the screen are drawn. What is folded has no rows, and long arrays and texts are capped until somebody asks.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::tui::list::Sel;
use crate::tui::theme::Ink;
use crate::wire::json::{Doc, Document, Kind, Value};

use super::wrap::{lines_of, wrap_bytes, wrap_text};

/// Pieces of our own text with their meaning.
pub type Text = Vec<(Ink, String)>;

/// Where `enter` on a row leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Go {
    /// The page of a rule.
    Rule(&'static str),
    /// Another exchange or message.
    Sel(Sel),
    /// A finding's place: selection and pointer.
    Finding(u32),
}

/// What a pane is made of, from top to bottom.
#[derive(Clone, Debug)]
pub enum Block {
    /// A line of our own.
    Line(Text, Option<Go>),
    /// An empty line.
    Blank,
    /// A value with what is below it.
    Tree {
        /// Which document of the body.
        doc: usize,
        /// Which value.
        node: u32,
        /// What stands before it; without one a container's members stand at the margin.
        label: Option<String>,
        /// Members that are shown elsewhere.
        skip: &'static [&'static str],
        /// Begins folded.
        folded: bool,
    },
    /// Bytes as they came.
    Bytes {
        /// Which document.
        doc: usize,
    },
}

/// A document in a body.
#[derive(Clone, Debug)]
pub struct Part {
    /// The bytes and their tape.
    pub doc: Arc<Document>,
    /// Record that it is the message of.
    pub record: u32,
    /// The string value that holds it, where it was found inside another document.
    pub inside: Option<(usize, u32)>,
    /// Findings by the value that they are pinned to, sorted.
    pub pins: Vec<(u32, usize)>,
}

/// A finding as rows show it.
#[derive(Clone, Debug)]
pub struct Pin {
    /// Index in the store.
    pub index: u32,
    /// Colour of its severity.
    pub ink: Ink,
    /// What is wrong.
    pub message: String,
    /// Rule, layer, owner.
    pub rule: &'static str,
    /// Layer and owner in words.
    pub about: String,
}

/// One row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Row {
    /// A block of our own text.
    Line(usize),
    /// Nothing.
    Blank,
    /// A value.
    Node {
        /// Document.
        doc: usize,
        /// Value.
        node: u32,
        /// Levels of indentation.
        depth: u16,
        /// The block whose label it carries, on the first row of a tree.
        label: Option<usize>,
    },
    /// What a cap hides below a value.
    More {
        /// Document.
        doc: usize,
        /// Value.
        node: u32,
        /// Levels of indentation.
        depth: u16,
        /// How much is hidden.
        hidden: usize,
        /// Of what: `elements`, `lines`, `bytes`.
        of: &'static str,
    },
    /// A line of a string that is shown as text: a byte range of its decoded text.
    Text {
        /// Document.
        doc: usize,
        /// Value.
        node: u32,
        /// Levels of indentation.
        depth: u16,
        /// Where in the text.
        range: Range<usize>,
        /// It goes on from the row above.
        wrapped: bool,
    },
    /// A finding.
    Pin {
        /// Which.
        pin: usize,
        /// Levels of indentation.
        depth: u16,
    },
    /// Raw bytes.
    Raw {
        /// Document.
        doc: usize,
        /// Which bytes.
        range: Range<usize>,
    },
    /// Sixteen bytes in hexadecimal.
    Hex {
        /// Document.
        doc: usize,
        /// First byte.
        at: usize,
    },
}

/// How bytes are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Look {
    /// Folded tree, decoded.
    #[default]
    Tree,
    /// As they came.
    Raw,
    /// As they came, in hexadecimal.
    Hex,
}

/// A pane's content with its folds and its cursor.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// What it is made of.
    pub blocks: Vec<Block>,
    /// Documents.
    pub parts: Vec<Part>,
    /// Findings.
    pub pins: Vec<Pin>,
    /// Rows for the width that was last asked for.
    pub rows: Vec<Row>,
    /// The selected row.
    pub cursor: usize,
    /// The first row on the screen.
    pub top: usize,
    /// How bytes are shown.
    pub look: Look,
    width: u16,
    folds: HashMap<(usize, u32), bool>,
    shown: HashMap<(usize, u32), usize>,
    texts: HashMap<(usize, u32), Arc<str>>,
    embeds: HashMap<(usize, u32), Option<usize>>,
    paints: HashMap<(usize, u32), Arc<[(Range<usize>, Ink)]>>,
}

/// Elements of an array, lines of a text and bytes of a message that are shown before somebody asks for more.
const ELEMENTS: usize = 100;
const LINES: usize = 120;
const BYTES: usize = 64 * 1024;
/// Rows that an unasked tree may take.
const BUDGET: usize = 60;
/// Strings beyond this are not looked into.
const EMBED: usize = 4 << 20;
/// Deepest level that is drawn; deeper values are shown on one line.
pub(super) const DEPTH: u16 = 120;

impl Body {
    /// Adds a document and returns its number.
    pub fn add(&mut self, doc: Arc<Document>, record: u32) -> usize {
        self.parts.push(Part { doc, record, inside: None, pins: Vec::new() });
        self.parts.len() - 1
    }

    /// The document of a part.
    pub fn doc(&self, part: usize) -> Option<Doc<'_>> {
        Some(self.parts.get(part)?.doc.doc())
    }

    /// The value of a row, if it has one.
    pub fn value_of(&self, row: &Row) -> Option<(usize, Value<'_>)> {
        match row {
            Row::Node { doc, node, .. } | Row::More { doc, node, .. } | Row::Text { doc, node, .. } => {
                Some((*doc, self.doc(*doc)?.node(*node)?))
            }
            _ => None,
        }
    }

    /// The selected row.
    pub fn row(&self) -> Option<&Row> {
        self.rows.get(self.cursor)
    }

    /// Whether a value is unfolded.
    pub fn is_open(&self, part: usize, value: Value<'_>) -> bool {
        if let Some(open) = self.folds.get(&(part, value.node())) {
            return *open;
        }
        false
    }

    /// The decoded text of a string that is shown as text.
    pub fn text(&self, part: usize, node: u32) -> Option<&Arc<str>> {
        self.texts.get(&(part, node))
    }

    /// The coloured ranges of a string that is shown as text.
    pub fn paint(&self, part: usize, node: u32) -> &[(Range<usize>, Ink)] {
        self.paints.get(&(part, node)).map_or(&[], AsRef::as_ref)
    }

    /// The document that was found inside a string.
    pub fn embedded(&self, part: usize, node: u32) -> Option<usize> {
        self.embeds.get(&(part, node)).copied().flatten()
    }

    /// Makes the rows for a width, if it is another one.
    pub fn fit(&mut self, width: u16) {
        if self.width != width || self.rows.is_empty() {
            self.width = width;
            self.rebuild();
        }
    }

    /// Folds or unfolds the row under the cursor. Returns false where there is nothing to fold.
    pub fn fold(&mut self, open: bool) -> bool {
        let Some(Row::Node { doc, node, .. } | Row::Text { doc, node, .. }) = self.row().cloned() else { return false };
        let Some(value) = self.doc(doc).and_then(|d| d.node(node)) else { return false };
        if !can_open(value) || self.is_open(doc, value) == open {
            return false;
        }
        self.folds.insert((doc, node), open);
        self.rebuild();
        self.focus(doc, node);
        true
    }

    /// Folds or unfolds everything, as far as the caps allow.
    pub fn fold_all(&mut self, open: bool) {
        let keep = self.row().and_then(|r| self.value_of(r)).map(|(d, v)| (d, v.node()));
        for part in 0..self.parts.len() {
            let Some(doc) = self.doc(part) else { continue };
            let nodes: Vec<u32> = (0..doc.len().min(20_000) as u32)
                .filter(|n| doc.node(*n).is_some_and(|v| v.kind().is_container() && !v.is_empty()))
                .collect();
            for n in nodes {
                self.folds.insert((part, n), open);
            }
        }
        self.rebuild();
        if let Some((doc, node)) = keep {
            self.focus(doc, node);
        }
    }

    /// Shows more of what a cap hides under the cursor.
    pub fn show_more(&mut self) -> bool {
        let Some(Row::More { doc, node, of, .. }) = self.row().cloned() else { return false };
        let first = match of {
            "lines" => LINES,
            "bytes" => BYTES,
            _ => ELEMENTS,
        };
        let shown = self.shown.entry((doc, node)).or_insert(first);
        *shown = shown.saturating_mul(4);
        let at = self.cursor;
        self.rebuild();
        self.cursor = at.min(self.rows.len().saturating_sub(1));
        true
    }

    /// Puts the cursor on a value, unfolding what hides it.
    pub fn reveal(&mut self, part: usize, node: u32) -> bool {
        let Some(value) = self.doc(part).and_then(|d| d.node(node)) else { return false };
        let above: Vec<u32> = std::iter::successors(value.parent(), |v| v.parent()).map(Value::node).collect();
        for n in above {
            self.folds.insert((part, n), true);
        }
        self.rebuild();
        self.focus(part, node)
    }

    fn focus(&mut self, part: usize, node: u32) -> bool {
        let found =
            self.rows.iter().position(|r| matches!(r, Row::Node { doc, node: n, .. } if *doc == part && *n == node));
        if let Some(place) = found {
            self.cursor = place;
        }
        found.is_some()
    }

    /// The row of the value around the one under the cursor.
    pub fn parent_row(&self) -> Option<usize> {
        let depth = |r: &Row| match r {
            Row::Node { depth, .. } | Row::More { depth, .. } | Row::Text { depth, .. } | Row::Pin { depth, .. } => {
                Some(*depth)
            }
            _ => None,
        };
        let own = self.row().and_then(depth)?;
        self.rows[..self.cursor].iter().rposition(|r| matches!(r, Row::Node { depth, .. } if *depth < own))
    }

    /// Puts the cursor on a row and keeps it on the screen.
    pub fn go(&mut self, place: usize, height: usize) {
        self.cursor = place;
        self.keep_in_view(height);
    }

    /// Scrolls so that the cursor is on the screen.
    pub fn keep_in_view(&mut self, height: usize) {
        let height = height.max(1);
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
        self.top = self.top.min(self.rows.len().saturating_sub(height));
        if self.cursor < self.top {
            self.top = self.cursor;
        } else if self.cursor >= self.top + height {
            self.top = self.cursor + 1 - height;
        }
    }

    /// Shows bytes in another way.
    pub fn set_look(&mut self, look: Look) {
        if self.look != look {
            self.look = look;
            self.cursor = 0;
            self.top = 0;
            self.rebuild();
        }
    }

    /// Takes folds, caps and place over from the same pane of an older state of the same selection.
    pub fn inherit(&mut self, old: Body) {
        self.folds = old.folds;
        self.shown = old.shown;
        self.look = old.look;
        // Embedded documents are found again: their numbers may have moved.
        let own = self.parts.len();
        self.folds.retain(|(part, _), _| *part < own);
        self.width = old.width;
        self.rebuild();
        self.cursor = old.cursor.min(self.rows.len().saturating_sub(1));
        self.top = old.top;
    }

    fn rebuild(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        if self.look != Look::Tree && self.blocks.iter().any(|b| matches!(b, Block::Tree { .. } | Block::Bytes { .. }))
        {
            self.byte_rows(&mut rows);
        } else {
            for i in 0..self.blocks.len() {
                match self.blocks[i].clone() {
                    Block::Line(..) => rows.push(Row::Line(i)),
                    Block::Blank => rows.push(Row::Blank),
                    Block::Tree { doc, node, label, skip, folded } => {
                        self.tree(&mut rows, doc, node, label.is_some().then_some(i), skip, folded);
                    }
                    Block::Bytes { doc } => self.raw_rows(&mut rows, doc),
                }
            }
        }
        self.rows = rows;
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
    }

    fn byte_rows(&mut self, rows: &mut Vec<Row>) {
        for doc in 0..self.parts.len() {
            if self.parts[doc].inside.is_some() {
                continue;
            }
            // The heading of each message is the first line block before its first tree; here a plain one is enough.
            if doc > 0 {
                rows.push(Row::Blank);
            }
            if let Some(i) = self.heading_of(doc) {
                rows.push(Row::Line(i));
            }
            if self.look == Look::Hex {
                let len = self.doc(doc).map_or(0, |d| d.bytes().len());
                let cap = self.cap(doc, u32::MAX, BYTES / 4);
                rows.extend((0..len.min(cap)).step_by(16).map(|at| Row::Hex { doc, at }));
                self.more(rows, doc, u32::MAX, 0, len.saturating_sub(cap), "bytes");
            } else {
                self.raw_rows(rows, doc);
            }
        }
    }

    fn heading_of(&self, doc: usize) -> Option<usize> {
        let first = self.blocks.iter().position(
            |b| matches!(b, Block::Tree { doc: d, .. } | Block::Bytes { doc: d } if self.root_part(*d) == doc),
        )?;
        self.blocks[..first].iter().rposition(|b| matches!(b, Block::Line(..)))
    }

    fn root_part(&self, mut part: usize) -> usize {
        while let Some((outer, _)) = self.parts.get(part).and_then(|p| p.inside) {
            part = outer;
        }
        part
    }

    fn cap(&self, doc: usize, node: u32, default: usize) -> usize {
        self.shown.get(&(doc, node)).copied().unwrap_or(default)
    }

    fn more(&self, rows: &mut Vec<Row>, doc: usize, node: u32, depth: u16, hidden: usize, of: &'static str) {
        if hidden > 0 {
            rows.push(Row::More { doc, node, depth, hidden, of });
        }
    }

    fn raw_rows(&mut self, rows: &mut Vec<Row>, doc: usize) {
        let Some(part) = self.parts.get(doc) else { return };
        let document = part.doc.clone();
        let bytes = document.doc().bytes();
        let cap = self.cap(doc, u32::MAX, BYTES).min(bytes.len());
        let width = usize::from(self.width.max(8));
        for line in lines_of(&bytes[..cap]) {
            wrap_bytes(bytes, line, width, |range| rows.push(Row::Raw { doc, range }));
        }
        self.more(rows, doc, u32::MAX, 0, bytes.len() - cap, "bytes");
    }

    fn tree(
        &mut self,
        rows: &mut Vec<Row>,
        part: usize,
        root: u32,
        label: Option<usize>,
        skip: &'static [&'static str],
        folded: bool,
    ) {
        let Some(document) = self.parts.get(part).map(|p| p.doc.clone()) else { return };
        let Some(value) = document.doc().node(root) else { return };
        let levels = if folded { 0 } else { levels_in_budget(value) };
        let depth = u16::from(label.is_some());
        if label.is_some() {
            rows.push(Row::Node { doc: part, node: root, depth: 0, label });
            if can_open(value) {
                let long_text = value.is_string();
                let open = *self.folds.entry((part, root)).or_insert(!folded || long_text);
                if !open {
                    self.pins_in(rows, part, root..value.next_node(), 1);
                    return;
                }
            }
            self.pins_in(rows, part, root..root + 1, 1);
            if value.is_string() {
                self.string(rows, part, value, 1);
                return;
            }
        } else if !value.kind().is_container() {
            rows.push(Row::Node { doc: part, node: root, depth: 0, label: None });
            self.pins_in(rows, part, root..value.next_node(), 1);
            return;
        }
        self.children(rows, part, value, depth, levels, skip);
    }

    /// Rows of everything below a container, without recursion.
    fn children(
        &mut self,
        rows: &mut Vec<Row>,
        part: usize,
        root: Value<'_>,
        depth: u16,
        levels: u16,
        skip: &'static [&'static str],
    ) {
        struct Level<'a> {
            at: u32,
            end: u32,
            left: usize,
            of: Value<'a>,
            depth: u16,
        }
        let document = root.doc();
        let level = |of: Value<'_>, cap: usize, depth: u16| (of.node() + 1, of.next_node(), cap, depth);
        let (at, end, left, depth) = level(root, self.cap(part, root.node(), ELEMENTS), depth);
        let mut stack = vec![Level { at, end, left, of: root, depth }];
        while let Some(top) = stack.last_mut() {
            if top.at >= top.end {
                stack.pop();
                continue;
            }
            if top.left == 0 {
                let shown = self.cap(part, top.of.node(), ELEMENTS);
                let hidden = top.of.len().saturating_sub(shown);
                let what = if top.of.is_array() { "elements" } else { "members" };
                rows.push(Row::More { doc: part, node: top.of.node(), depth: top.depth, hidden, of: what });
                stack.pop();
                continue;
            }
            let Some(value) = document.node(top.at) else {
                stack.pop();
                continue;
            };
            top.at = value.next_node();
            let first_level = top.of.node() == root.node();
            if first_level && value.key().is_some_and(|k| skip.iter().any(|s| k.eq(*s))) {
                continue;
            }
            top.left -= 1;
            let own = top.depth;
            rows.push(Row::Node { doc: part, node: value.node(), depth: own, label: None });
            let node = value.node();
            if value.kind().is_container() && !value.is_empty() && own < DEPTH {
                let hidden_by_name = value
                    .key()
                    .is_some_and(|k| k.eq("_meta") || k.eq("inputSchema") || k.eq("outputSchema") || k.eq("icons"));
                let relative = (stack.len() - 1) as u16;
                let default = relative + 1 < levels && !hidden_by_name;
                if *self.folds.entry((part, node)).or_insert(default) {
                    self.pins_in(rows, part, node..node + 1, own + 1);
                    let (at, end, left, depth) = level(value, self.cap(part, node, ELEMENTS), own + 1);
                    stack.push(Level { at, end, left, of: value, depth });
                    continue;
                }
            } else if can_open(value) {
                // JSON in a string is opened in place; other text when somebody asks.
                let default = relative_is_small(value) && self.embed(part, value).is_some();
                if *self.folds.entry((part, node)).or_insert(default) {
                    self.pins_in(rows, part, node..node + 1, own + 1);
                    self.string(rows, part, value, own + 1);
                    continue;
                }
            }
            self.pins_in(rows, part, node..value.next_node(), own + 1);
        }
    }

    /// Rows of a string that is unfolded: the JSON in it, or its lines.
    fn string(&mut self, rows: &mut Vec<Row>, part: usize, value: Value<'_>, depth: u16) {
        if let Some(inner) = self.embed(part, value) {
            let Some(document) = self.parts.get(inner).map(|p| p.doc.clone()) else { return };
            if let Some(root) = document.doc().root() {
                let levels = levels_in_budget(root);
                self.children(rows, inner, root, depth, levels, &[]);
            }
            return;
        }
        let node = value.node();
        let text = self
            .texts
            .entry((part, node))
            .or_insert_with(|| value.as_str().unwrap_or_default().as_ref().into())
            .clone();
        self.paints.entry((part, node)).or_insert_with(|| {
            let mime = value.parent().and_then(|p| p.get("mimeType")).and_then(Value::as_str);
            crate::tui::highlight::paint(mime.as_deref(), &text).into()
        });
        let cap = self.cap(part, node, LINES);
        let width = usize::from(self.width).saturating_sub(usize::from(depth) * 2 + 3).max(8);
        let before = rows.len();
        let mut end = text.len();
        for line in lines_of(text.as_bytes()) {
            if rows.len() - before >= cap {
                end = line.start;
                break;
            }
            let mut wrapped = false;
            wrap_text(&text, line, width, |range| {
                rows.push(Row::Text { doc: part, node, depth, range, wrapped });
                wrapped = true;
            });
        }
        if rows.len() - before > cap {
            rows.truncate(before + cap);
            if let Some(Row::Text { range, .. }) = rows.last() {
                end = end.min(range.end);
            }
        }
        let hidden = lines_of(&text.as_bytes()[end..]).count();
        if end < text.len() {
            self.more(rows, part, node, depth, hidden, "lines");
        }
    }

    /// The document inside a string, if there is one worth opening.
    fn embed(&mut self, part: usize, value: Value<'_>) -> Option<usize> {
        let key = (part, value.node());
        if let Some(found) = self.embeds.get(&key) {
            return *found;
        }
        let found = json_inside(value).map(|document| {
            let record = self.parts[part].record;
            self.parts.push(Part { doc: Arc::new(document), record, inside: Some(key), pins: Vec::new() });
            self.parts.len() - 1
        });
        self.embeds.insert(key, found);
        found
    }

    fn pins_in(&self, rows: &mut Vec<Row>, part: usize, nodes: Range<u32>, depth: u16) {
        let Some(pins) = self.parts.get(part).map(|p| &p.pins) else { return };
        let first = pins.partition_point(|(n, _)| *n < nodes.start);
        rows.extend(
            pins[first..].iter().take_while(|(n, _)| *n < nodes.end).map(|(_, pin)| Row::Pin { pin: *pin, depth }),
        );
    }
}

/// Whether a value has something below it to be shown.
pub fn can_open(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Array | Kind::Object => !value.is_empty(),
        Kind::String => {
            value.raw().len() > 60
                || value.inner().is_some_and(|t| t.windows(2).any(|w| w == b"\\n"))
                || looks_like_json(value)
        }
        _ => false,
    }
}

fn relative_is_small(value: Value<'_>) -> bool {
    value.raw().len() <= EMBED
}

fn looks_like_json(value: Value<'_>) -> bool {
    let Some(inner) = value.inner() else { return false };
    inner.len() > 2 && matches!(inner.trim_ascii_start().first(), Some(b'{' | b'['))
}

fn json_inside(value: Value<'_>) -> Option<Document> {
    if !value.is_string() || !looks_like_json(value) || value.raw().len() > EMBED {
        return None;
    }
    let text = value.as_str()?;
    let document = Document::new(text.as_bytes());
    let doc = document.doc();
    let fine = doc.faults().syntax.is_none()
        && !doc.faults().trailing
        && doc.root().is_some_and(|r| r.kind().is_container() && !r.is_empty());
    fine.then_some(document)
}

/// How many levels of a tree fit into the budget of rows; at least one.
fn levels_in_budget(root: Value<'_>) -> u16 {
    let mut counts = [0usize; 8];
    let mut stack = vec![(root, 0u16)];
    let mut seen = 0;
    while let Some((value, depth)) = stack.pop() {
        for child in value.children().take(BUDGET + 1) {
            seen += 1;
            counts[usize::from(depth)] += 1;
            if child.kind().is_container() && usize::from(depth) + 1 < counts.len() && seen < 2_000 {
                stack.push((child, depth + 1));
            }
        }
    }
    let mut sum = 0;
    let fits = counts.iter().take_while(|n| {
        sum += **n;
        sum <= BUDGET
    });
    (fits.count() as u16).max(1)
}
