//! `Mcp-Param-*`: which arguments of a tool are mirrored in HTTP headers (2026-07-28, Streamable HTTP).
//!
//! A property of an `inputSchema` asks for its header with `x-mcp-header`. It counts only where the property is reached
//! from the root through `properties` alone, and has one of three types; everywhere else the annotation is a fault, and
//! HTTP clients drop the tool.

use super::subschemas::{LIST, MAP, ONE};
use std::borrow::Cow;

use super::headers::{ANNOTATION, MAX_INTEGER, is_token};
use crate::wire::json::{Kind, Value};

/// JSON type of a mirrored argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamType {
    /// Sent as it is.
    String,
    /// Sent in decimal.
    Integer,
    /// Sent as `true` or `false`.
    Boolean,
}

/// An argument that is mirrored.
#[derive(Clone, Debug)]
pub struct ParamHeader<'a> {
    /// The name after `Mcp-Param-`, as the schema writes it. Header names ignore case.
    pub name: Cow<'a, str>,
    /// Where the argument stands in `arguments`: keys from the root.
    pub path: Vec<Cow<'a, str>>,
    /// What it is.
    pub ty: ParamType,
}

/// What is wrong with an annotation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnnotationFault {
    /// Not a string.
    NotString,
    /// The empty string.
    Empty,
    /// Characters that cannot stand in a header name.
    NotToken,
    /// Another property of the schema has the same name, but for case.
    Duplicate,
    /// The property is no string, integer or boolean.
    Type,
    /// The property is not reached through `properties` alone.
    Place,
}

impl AnnotationFault {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            AnnotationFault::NotString => "it is not a string",
            AnnotationFault::Empty => "it is empty",
            AnnotationFault::NotToken => "it has characters that a header name cannot have",
            AnnotationFault::Duplicate => "another property has the same name (case does not count)",
            AnnotationFault::Type => "the property is not of type string, integer or boolean",
            AnnotationFault::Place => "the property is not reached through properties alone",
        }
    }
}

/// The annotations of a schema.
#[derive(Clone, Debug, Default)]
pub struct Annotations<'a> {
    /// Those that are right, in the order of the schema.
    pub headers: Vec<ParamHeader<'a>>,
    /// Those that are not: the annotation's value, and why.
    pub faults: Vec<(Value<'a>, AnnotationFault)>,
    /// The schema is larger than what is looked at: what was not seen is not judged.
    pub cut: bool,
}

/// Subschemas that are looked at. More is no schema of a tool but an attack.
const MAX_SCHEMAS: usize = 20_000;
/// Properties inside properties: each level costs a copy of the path above it.
const MAX_DEPTH: usize = 100;

/// Finds every annotation of an `inputSchema`. Iterative; data inside `const`, `default`, `enum` and `examples` is no schema.
pub fn annotations(schema: Value<'_>) -> Annotations<'_> {
    let mut out = Annotations::default();
    // Each schema with its place in the arguments; `None` where it is not reached through `properties` alone.
    let mut open: Vec<(Value<'_>, Option<Vec<Cow<'_, str>>>)> = vec![(schema, Some(Vec::new()))];
    let mut seen = 0;
    while let Some((schema, path)) = open.pop() {
        seen += 1;
        if seen > MAX_SCHEMAS || path.as_ref().is_some_and(|p| p.len() > MAX_DEPTH) {
            out.cut = true;
            return out;
        }
        if let Some(annotation) = schema.get(ANNOTATION) {
            match read(schema, annotation, path.as_deref(), &out.headers) {
                Ok(header) => out.headers.push(header),
                Err(fault) => out.faults.push((annotation, fault)),
            }
        }
        let first = open.len();
        for (key, value) in schema.members() {
            let among = |list: &[&str]| list.iter().any(|k| key.eq(k));
            if value.kind() == Kind::Object && among(ONE) {
                open.push((value, None));
            } else if value.kind() == Kind::Array && among(LIST) {
                open.extend(value.elements().map(|e| (e, None)));
            } else if value.kind() == Kind::Object && among(MAP) {
                let reached = path.as_ref().filter(|_| key.eq("properties"));
                open.extend(value.members().map(|(name, property)| {
                    let path = reached.map(|path| {
                        let mut path = path.clone();
                        path.push(name.as_str());
                        path
                    });
                    (property, path)
                }));
            }
        }
        // The stack gives back the last first; the order of the schema is wanted.
        open[first..].reverse();
    }
    out
}

fn read<'a>(
    schema: Value<'a>,
    annotation: Value<'a>,
    path: Option<&[Cow<'a, str>]>,
    before: &[ParamHeader<'a>],
) -> Result<ParamHeader<'a>, AnnotationFault> {
    let name = annotation.as_str().ok_or(AnnotationFault::NotString)?;
    if name.is_empty() {
        return Err(AnnotationFault::Empty);
    }
    if !is_token(&name) {
        return Err(AnnotationFault::NotToken);
    }
    let path = path.filter(|p| !p.is_empty()).ok_or(AnnotationFault::Place)?;
    let ty = match schema.get("type").and_then(Value::as_str).as_deref() {
        Some("string") => ParamType::String,
        Some("integer") => ParamType::Integer,
        Some("boolean") => ParamType::Boolean,
        _ => return Err(AnnotationFault::Type),
    };
    if before.iter().any(|h| h.name.eq_ignore_ascii_case(&name)) {
        return Err(AnnotationFault::Duplicate);
    }
    Ok(ParamHeader { name, path: path.to_vec(), ty })
}

impl ParamHeader<'_> {
    /// The argument that is mirrored; `None` where it is absent or null, and no header is sent.
    pub fn argument<'v>(&self, arguments: Value<'v>) -> Option<Value<'v>> {
        let value = self.path.iter().try_fold(arguments, |v, key| v.get(key))?;
        (!value.is_null()).then_some(value)
    }

    /// Says a decoded header value the same as the argument? Integers compare as numbers. An argument of another type
    /// than the schema says compares by what it is, and an array or object never.
    pub fn matches(&self, argument: Value<'_>, decoded: &str) -> bool {
        match argument.kind() {
            Kind::String => argument.str_eq(decoded),
            Kind::Bool => argument.as_bool() == decoded.parse().ok(),
            Kind::Number => match (argument.as_i64(), decoded.trim().parse::<f64>()) {
                // Both are exact up to 2^53, the largest that may be mirrored.
                (Some(n), Ok(h)) if n.abs() <= MAX_INTEGER => n as f64 == h,
                _ => argument.raw() == decoded.as_bytes(),
            },
            Kind::Null | Kind::Array | Kind::Object => false,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::wire::json::Parser;

    fn of(schema: &str) -> (Vec<String>, Vec<(String, AnnotationFault)>) {
        let mut parser = Parser::new();
        let doc = parser.parse(schema.as_bytes());
        let found = annotations(doc.root().unwrap());
        (
            found.headers.iter().map(|h| format!("{} {} {:?}", h.name, h.path.join("."), h.ty)).collect(),
            found.faults.iter().map(|(v, f)| (v.pointer(), *f)).collect(),
        )
    }

    #[test]
    fn annotations_are_found_and_judged() {
        let (headers, faults) = of(r#"{"type":"object","properties":{
            "region":{"type":"string","x-mcp-header":"Region"},
            "deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}},
            "x-mcp-header":{"type":"string"},
            "again":{"type":"boolean","x-mcp-header":"region"},
            "ratio":{"type":"number","x-mcp-header":"Ratio"},
            "many":{"type":["string","null"],"x-mcp-header":"Many"},
            "bad":{"type":"string","x-mcp-header":"a b"},
            "none":{"type":"string","x-mcp-header":""},
            "seven":{"type":"string","x-mcp-header":7},
            "list":{"type":"array","items":{"type":"string","x-mcp-header":"Item"}},
            "data":{"default":{"x-mcp-header":"Data"},"enum":[{"x-mcp-header":"Data"}]}},
            "anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}],
            "$defs":{"d":{"type":"string","x-mcp-header":"D"}}}"#);
        assert_eq!(headers, ["Region region String", "N deep.n Integer"]);
        use AnnotationFault::*;
        let expected = [
            ("/properties/again", Duplicate),
            ("/properties/ratio", Type),
            ("/properties/many", Type),
            ("/properties/bad", NotToken),
            ("/properties/none", Empty),
            ("/properties/seven", NotString),
            ("/properties/list/items", Place),
            ("/anyOf/0/properties/a", Place),
            ("/$defs/d", Place),
        ];
        assert_eq!(faults, expected.map(|(at, f)| (format!("{at}/x-mcp-header"), f)));
        assert_eq!(of(r#"{"x-mcp-header":"Root","type":"object"}"#).1[0].1, Place);
    }

    #[test]
    fn values_compare() {
        let mut parser = Parser::new();
        let doc = parser.parse(br#"{"s":"eu","n":10,"f":1e1,"b":true,"big":9007199254740993,"z":null,"o":{"i":"x"}}"#);
        let root = doc.root().unwrap();
        let header = |path: &[&'static str]| ParamHeader {
            name: "X".into(),
            path: path.iter().map(|p| Cow::Borrowed(*p)).collect(),
            ty: ParamType::String,
        };
        let matches = |path: &[&'static str], text: &str| {
            let h = header(path);
            h.argument(root).is_some_and(|a| h.matches(a, text))
        };
        assert!(matches(&["s"], "eu") && !matches(&["s"], "EU"));
        assert!(matches(&["n"], "10") && matches(&["n"], "10.0") && matches(&["f"], "10") && !matches(&["n"], "11"));
        assert!(matches(&["b"], "true") && !matches(&["b"], "True"));
        assert!(matches(&["big"], "9007199254740993") && !matches(&["big"], "9007199254740992"));
        assert!(matches(&["o", "i"], "x"));
        assert!(header(&["z"]).argument(root).is_none() && header(&["none"]).argument(root).is_none());
        assert!(!matches(&["o"], "{}"));
    }

    #[test]
    fn hostile_schemas_are_cut() {
        let deep = format!("{}{}", r#"{"not":"#.repeat(50_000), "1").into_bytes();
        let mut parser = Parser::new();
        assert!(annotations(parser.parse(&deep).root().unwrap()).cut);
        assert!(annotations(parser.parse(b"[]").root().unwrap()).headers.is_empty());
    }
}
