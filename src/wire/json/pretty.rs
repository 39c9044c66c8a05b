//! Pretty printing: a document as indented lines of the wire's own tokens, any range of them at once.
//!
//! Lines are not kept. One pass over the tape notes where about each thousandth line is; a screen asks for the lines it shows.

use std::ops::Range;
use std::sync::Arc;

use super::tape::Node;
use super::token::{Cursor, Tokens};
use super::{Document, Value};

/// Lines between two marks.
const STRIDE: u32 = 1024;
/// Levels of indent that [`write()`] makes; deeper lines stay there, so that depth cannot make the output quadratic.
const MAX_INDENT: u32 = 100;

#[derive(Clone, Copy, Debug)]
struct Mark {
    line: u32,
    node: u32,
    depth: u32,
    closing: bool,
}

/// The lines of a value.
#[derive(Clone, Debug)]
pub struct Pretty {
    document: Arc<Document>,
    root: u32,
    marks: Vec<Mark>,
    lines: usize,
}

/// One line.
#[derive(Clone, PartialEq, Debug)]
pub struct PrettyLine<'a> {
    /// Levels of indent.
    pub depth: u32,
    /// What stands there.
    pub tokens: Tokens<'a>,
    /// The value that begins here, or whose closing bracket this is.
    pub node: u32,
    /// A closing bracket.
    pub closing: bool,
}

impl Pretty {
    /// Lays out a value of the document ([`Value::node`]; 0 is the root). Linear, and small beside the tape.
    pub fn new(document: Arc<Document>, root: u32) -> Pretty {
        let (marks, lines) = mark(&document.doc().tape.nodes, root);
        Pretty { document, root, marks, lines }
    }

    /// The document.
    pub fn document(&self) -> &Arc<Document> {
        &self.document
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.lines
    }

    /// There is nothing to show: the payload has no value.
    pub fn is_empty(&self) -> bool {
        self.lines == 0
    }

    fn cursor(&self, mark: usize) -> Option<Cursor<'_>> {
        let mark = self.marks.get(mark)?;
        let value = self.document.doc().node(mark.node)?;
        Some(Cursor::at(value, self.root, mark.closing, mark.depth))
    }

    fn cursors(&self, from: usize) -> impl Iterator<Item = Cursor<'_>> {
        let mark = self.marks.partition_point(|m| m.line as usize <= from).saturating_sub(1);
        let skip = self.marks.get(mark).map_or(0, |m| from - m.line as usize);
        std::iter::successors(self.cursor(mark), |c| c.next()).skip(skip)
    }

    /// The lines of a range, each cut to `columns` (indent not counted).
    pub fn lines(&self, range: Range<usize>, columns: usize) -> impl Iterator<Item = PrettyLine<'_>> {
        self.cursors(range.start).take(range.len()).map(move |at| {
            let mut tokens = Tokens::new(columns);
            at.line(&mut tokens);
            PrettyLine { depth: at.depth, tokens, node: at.value.node(), closing: at.closing }
        })
    }

    /// The line on which a value begins.
    pub fn line_of(&self, node: u32) -> Option<usize> {
        let doc = self.document.doc();
        let root = doc.node(self.root)?;
        if !(self.root..root.next_node()).contains(&node) {
            return None;
        }
        // A closing bracket comes after all inside of it and before the node that follows.
        let place = |m: &Mark| if m.closing { doc.node(m.node).map_or(0, Value::next_node) } else { m.node };
        let mark = self.marks.partition_point(|m| place(m) <= node).checked_sub(1)?;
        let after = std::iter::successors(self.cursor(mark), |c| c.next())
            .position(|c| !c.closing && c.value.node() == node)?;
        Some(self.marks[mark].line as usize + after)
    }
}

/// Counts the lines of a value, and marks some of them.
fn mark(nodes: &[Node], root: u32) -> (Vec<Mark>, usize) {
    let mut marks: Vec<Mark> = Vec::new();
    let Some(top) = nodes.get(root as usize) else { return (marks, 0) };
    // Fewer than two lines a node, and fewer than half as many nodes as 32 bits can count.
    let (mut line, mut next, mut depth) = (0u32, 0u32, 0u32);
    let mut parent = top.parent;
    let mut count = |node, depth, closing| {
        if line >= next {
            marks.push(Mark { line, node, depth, closing });
            next = line + STRIDE;
        }
        line += 1;
    };
    for at in root..top.next {
        let node = nodes[at as usize];
        while at > root && parent != node.parent {
            depth -= 1;
            count(parent, depth, true);
            parent = nodes[parent as usize].parent;
        }
        count(at, depth, false);
        if node.count() > 0 {
            parent = at;
            depth += 1;
        }
    }
    while parent != top.parent {
        depth -= 1;
        count(parent, depth, true);
        parent = nodes[parent as usize].parent;
    }
    (marks, line as usize)
}

/// Writes a value as indented lines of its own tokens, byte for byte as they came: for files, not for terminals.
pub fn write(value: Value<'_>, out: &mut Vec<u8>) {
    let mut cursor = Some(Cursor::new(value));
    while let Some(at) = cursor {
        out.extend(std::iter::repeat_n(b' ', 2 * at.depth.min(MAX_INDENT) as usize));
        if let Some(key) = at.value.key().filter(|_| at.depth > 0 && !at.closing) {
            out.extend_from_slice(key.raw());
            out.extend_from_slice(b": ");
        }
        let raw = at.value.raw();
        let opens = at.opens();
        if at.closing {
            // A container that the payload does not close gets no bracket.
            out.extend_from_slice(if at.value.is_open() { b"" } else { &raw[raw.len() - 1..] });
        } else if opens {
            out.extend_from_slice(&raw[..1]);
        } else if at.value.kind().is_container() {
            out.extend_from_slice(&raw[..1]);
            out.extend_from_slice(if at.value.is_open() { b"" } else { &raw[raw.len() - 1..] });
        } else {
            out.extend_from_slice(raw);
        }
        if at.comma {
            out.push(b',');
        }
        out.push(b'\n');
        cursor = at.next();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::wire::json::token::{TokenKind, inline};
    use crate::wire::json::{Parser, tests::any_json};

    fn pretty(text: &str) -> Pretty {
        Pretty::new(Arc::new(Document::new(text.as_bytes())), 0)
    }

    fn shown(p: &Pretty, range: Range<usize>) -> Vec<String> {
        p.lines(range, 200).map(|l| format!("{}{}", "  ".repeat(l.depth as usize), l.tokens.text())).collect()
    }

    #[test]
    fn the_tokens_are_the_wires_own() {
        let p =
            pretty(r#"{"b":1.10,"a\u0062":"x\ud800\n","c":[],"d":[{},{"e":[1,null]}],"b":12345678901234567890123}"#);
        let want = r#"{
  "b": 1.10,
  "a\u0062": "x\ud800\n",
  "c": [],
  "d": [
    {},
    {
      "e": [
        1,
        null
      ]
    }
  ],
  "b": 12345678901234567890123
}"#;
        assert_eq!(shown(&p, 0..p.len()).join("\n"), want);
        let mut out = Vec::new();
        write(p.document().doc().root().unwrap(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), format!("{want}\n"));
        let line = p.lines(1..2, 80).next().unwrap();
        let kinds: Vec<_> = line.tokens.tokens.iter().map(|t| t.kind).collect();
        assert_eq!(kinds, [TokenKind::Key, TokenKind::Punct, TokenKind::Number, TokenKind::Punct]);
    }

    #[test]
    fn a_part_and_a_torn_end() {
        let document = Arc::new(Document::new(&br#"{"a":{"b":[1,{"c":"to"#[..]));
        let b = document.doc().root().unwrap().at("/a/b").unwrap().node();
        let p = Pretty::new(document, b);
        assert_eq!(shown(&p, 0..p.len()), ["[", "  1,", "  {", "    \"c\": \"to", "  ", ""]);
        assert!(pretty("Server started").is_empty());
        assert_eq!(shown(&pretty("7"), 0..10), ["7"]);
    }

    #[test]
    fn long_values_say_how_much_is_missing() {
        let p = pretty(&format!(r#"{{"data":"{}"}}"#, "A".repeat(20_000)));
        let line = p.lines(1..2, 60).next().unwrap().tokens;
        assert!(line.columns <= 60 && line.cut);
        assert!(
            line.text().starts_with("\"data\": \"AAAA") && line.text().ends_with("… 19,971 bytes more"),
            "{}",
            line.text()
        );
    }

    #[test]
    fn any_range_is_the_same_lines() {
        let text = format!("[{}]", (0..3000).map(|i| format!(r#"{{"i":{i},"x":[]}}"#)).collect::<Vec<_>>().join(","));
        let p = pretty(&text);
        assert_eq!(p.len(), 3000 * 4 + 2);
        let all = shown(&p, 0..p.len());
        for start in [0, 1, 1023, 1024, 1025, 5000, p.len() - 3, p.len()] {
            assert_eq!(shown(&p, start..start + 50), all[start..p.len().min(start + 50)]);
        }
        for node in 0..p.document().doc().len() as u32 {
            let line = p.line_of(node).unwrap();
            let found = p.lines(line..line + 1, 80).next().unwrap();
            assert!(found.node == node && !found.closing);
        }
    }

    #[test]
    fn a_long_run_of_closing_brackets() {
        let p = pretty(&("[".repeat(5000) + &"]".repeat(5000)));
        assert_eq!(p.len(), 9999);
        for at in [4998, 4999, 5000, 7000, 9998] {
            let line = p.lines(at..at + 1, 80).next().unwrap();
            assert_eq!((line.depth as usize, line.closing), (at.min(9998 - at), at >= 5000), "{at}");
        }
        assert_eq!(p.line_of(4999), Some(4999));
        assert_eq!(p.line_of(5000), None);
    }

    #[test]
    fn one_line_of_anything() {
        let mut parser = Parser::new();
        let value = parser.parse(br#"{ "city":"Oslo","days" : [1,2,{}],"x":{} }"#).root().unwrap();
        assert_eq!(inline(value, 200).text(), r#"{"city": "Oslo", "days": [1, 2, {}], "x": {}}"#);
        assert_eq!(inline(value, 12).text(), r#"{"city": "O…"#);
        for columns in 0..60 {
            let line = inline(value, columns);
            assert!(line.columns <= columns);
            assert_eq!(line.cut, columns < 45, "{columns}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_the_same_document(value in any_json()) {
            let text = value.to_string();
            let p = pretty(&text);
            let mut out = Vec::new();
            write(p.document().doc().root().unwrap(), &mut out);
            prop_assert_eq!(&serde_json::from_slice::<serde_json::Value>(&out).unwrap(), &value);
            prop_assert_eq!(out.iter().filter(|b| **b == b'\n').count(), p.len());
        }
    }
}
