//! Tools that are known from outside the trace: a file, or an earlier trace of the same server. What is judged by them
//! says so, and is at most an info.

use rustc_hash::FxHashMap;

use crate::wire::json::{Document, Value};

/// Tools with their schemas, and where they come from.
#[derive(Clone, Debug, Default)]
pub struct KnownTools {
    /// Where they come from, for people: a file name.
    pub origin: String,
    tools: FxHashMap<Box<str>, Known>,
}

/// One of them.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// `inputSchema` as written.
    pub input_schema: Option<Box<[u8]>>,
    /// `outputSchema` as written.
    pub output_schema: Option<Box<[u8]>>,
}

impl KnownTools {
    /// Reads the tools of a JSON text: a `tools/list` result, the message or the array in it.
    pub fn read(origin: impl Into<String>, json: &[u8]) -> KnownTools {
        let mut known = KnownTools { origin: origin.into(), tools: FxHashMap::default() };
        let document = Document::new(Box::<[u8]>::from(json));
        if let Some(root) = document.doc().root() {
            known.add(root);
        }
        known
    }

    /// Adds the tools of a value; those that are there are replaced.
    pub fn add(&mut self, root: Value<'_>) {
        let places: [&[&str]; 3] = [&["result", "tools"], &["tools"], &[]];
        let list = places.iter().find_map(|p| root.path(p).filter(|v| v.is_array()));
        for tool in list.into_iter().flat_map(Value::elements) {
            let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
            let part = |key| tool.get(key).map(|v| Box::<[u8]>::from(v.raw()));
            let entry = Known { input_schema: part("inputSchema"), output_schema: part("outputSchema") };
            self.tools.insert(name.as_ref().into(), entry);
        }
    }

    /// The tool of that name.
    pub fn find(&self, name: &str) -> Option<&Known> {
        self.tools.get(name)
    }

    /// All names, in no order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(AsRef::as_ref)
    }

    /// Number of tools.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// No tool was found.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_form_of_a_list_is_read() {
        let tool = r#"{"name":"add","inputSchema":{"type":"object"}}"#;
        for text in [
            format!("[{tool}]"),
            format!(r#"{{"tools":[{tool}]}}"#),
            format!(r#"{{"id":1,"result":{{"tools":[{tool}]}}}}"#),
        ] {
            let known = KnownTools::read("f", text.as_bytes());
            assert_eq!(known.find("add").unwrap().input_schema.as_deref(), Some(&br#"{"type":"object"}"#[..]));
            assert_eq!(known.len(), 1);
        }
        assert!(KnownTools::read("f", b"no").is_empty());
    }
}
