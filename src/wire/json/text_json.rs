//! JSON inside of a string, as tools put it into text blocks.

use super::{Doc, Document, Kind, Parser, Value, string};

/// Reads JSON out of strings; its buffers are used again.
#[derive(Default)]
pub struct TextJson {
    text: Vec<u8>,
    parser: Parser,
}

impl TextJson {
    /// Without buffers yet.
    pub fn new() -> TextJson {
        TextJson::default()
    }

    /// The document in a string that is, blanks aside, one whole array or object by the grammar.
    pub fn read(&mut self, value: Value<'_>) -> Option<Doc<'_>> {
        if !may_be_json(value) {
            return None;
        }
        self.text.clear();
        string::decode_bytes(value.inner()?, &mut self.text);
        let doc = self.parser.parse(&self.text);
        is_whole(doc).then_some(doc)
    }
}

/// Like [`TextJson::read`], to be kept.
pub fn document(value: Value<'_>) -> Option<Document> {
    if !may_be_json(value) {
        return None;
    }
    let mut text = Vec::new();
    string::decode_bytes(value.inner()?, &mut text);
    let document = Document::new(text);
    is_whole(document.doc()).then_some(document)
}

fn is_whole(doc: Doc<'_>) -> bool {
    let faults = doc.faults();
    faults.syntax.is_none() && !faults.trailing && doc.root().is_some_and(|r| r.kind().is_container())
}

/// Whether a string begins and ends with brackets, blanks aside: says no to nearly all text without decoding it.
pub fn may_be_json(value: Value<'_>) -> bool {
    if value.kind() != Kind::String || value.is_open() {
        return false;
    }
    let Some(mut inner) = value.inner() else { return false };
    const BLANKS: [&[u8]; 7] = [b" ", b"\\n", b"\\r", b"\\t", b"\n", b"\r", b"\t"];
    // Few, so that a string of blanks costs nothing each time it is drawn.
    for _ in 0..32 {
        inner = BLANKS.iter().find_map(|b| inner.strip_prefix(*b)).unwrap_or(inner);
        inner = BLANKS.iter().find_map(|b| inner.strip_suffix(*b)).unwrap_or(inner);
    }
    matches!((inner.first(), inner.last()), (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn inside(text: &str) -> Option<String> {
        let wire = serde_json::to_string(text).unwrap();
        let mut parser = Parser::new();
        let value = parser.parse(wire.as_bytes()).root().unwrap();
        let kept = document(value).map(|d| d.doc().root().unwrap().raw_str().into_owned());
        let mut reader = TextJson::new();
        let read = reader.read(value).map(|d| d.root().unwrap().raw_str().into_owned());
        assert_eq!(kept, read);
        read
    }

    #[test]
    fn whole_json_in_a_string_is_found() {
        assert_eq!(inside("{\"a\": [1, \"x\\ny\"]}").unwrap(), "{\"a\": [1, \"x\\ny\"]}");
        assert_eq!(inside(" \n\t[1]\r\n").unwrap(), "[1]");
        assert_eq!(inside("{}").unwrap(), "{}");
    }

    #[test]
    fn other_text_is_not() {
        for text in [
            "",
            "12",
            "null",
            "\"x\"",
            "[INFO] ready]",
            "{not json}",
            "{} and more",
            "[1,2",
            "see {\"a\":1}",
            "{\"a\":1}\n{\"a\":2}",
        ] {
            assert_eq!(inside(text), None, "{text}");
        }
    }
}
