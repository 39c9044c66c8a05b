//! The lossless JSON document: one pass over a payload makes a flat tape of spans, and everything that looks inside a
//! message (envelope, rules, tree view, queries, diff, sanitizer) walks that tape and cuts from the bytes.
//!
//! Nothing here fails and nothing recurses. Broken input is read as far as it goes, with [`Faults`] beside it.
//!
//! ```
//! use mcpscope::wire::json::Parser;
//! let mut parser = Parser::new();
//! let doc = parser.parse(br#"{"jsonrpc":"2.0","\u0069d":1.0,"params":{"x":[1,2"#);
//! let root = doc.root().unwrap();
//! assert_eq!(root.get("id").unwrap().raw(), b"1.0");
//! assert_eq!(root.at("/params/x/1").unwrap().as_i64(), Some(2));
//! assert!(doc.faults().syntax.as_ref().unwrap().eof);
//! ```

mod dup;
pub mod fit;
pub mod number;
mod parse;
pub mod pointer;
pub mod pretty;
mod scan;
pub mod string;
mod tape;
pub mod text_json;
pub mod token;
pub mod tree;
mod value;
pub mod visible;

pub use fit::{fit, fit_bytes};
pub use parse::Parser;
pub use tape::{Doc, Document, Faults, Kind, SyntaxFault};
pub use value::{Children, Elements, Key, Members, Value};
pub use visible::{visible, visible_bytes};

#[cfg(test)]
mod tests;
