//! The common case, judged on the document itself: most schemas of tools are objects of plain types, and most calls are
//! right. What this says is valid is valid; anything else goes to the validator.

use serde_json::{Map, Value as Json};

use crate::wire::json::{Kind, Value};

/// Nesting that is followed.
const MAX_DEPTH: usize = 16;

/// A schema of which every keyword is understood here.
#[derive(Debug)]
pub(super) struct Quick {
    /// Bit of each JSON type that is allowed.
    types: u8,
    properties: Vec<(Box<str>, Quick)>,
    required: Vec<Box<str>>,
    /// Members that are not listed are allowed.
    open: bool,
    items: Option<Box<Quick>>,
    /// Values of a string `enum` or `const`; the value is a string then.
    words: Option<Vec<Box<str>>>,
    minimum: Option<i64>,
    maximum: Option<i64>,
}

const NULL: u8 = 1;
const BOOL: u8 = 2;
const INTEGER: u8 = 4;
const NUMBER: u8 = 8;
const STRING: u8 = 16;
const ARRAY: u8 = 32;
const OBJECT: u8 = 64;

fn type_bit(name: &Json) -> Option<u8> {
    Some(match name.as_str()? {
        "null" => NULL,
        "boolean" => BOOL,
        "integer" => INTEGER,
        "number" => NUMBER | INTEGER,
        "string" => STRING,
        "array" => ARRAY,
        "object" => OBJECT,
        _ => return None,
    })
}

/// Keywords that assert nothing about a value.
fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "$schema"
            | "$comment"
            | "title"
            | "description"
            | "default"
            | "examples"
            | "format"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
    ) || keyword.starts_with("x-")
}

impl Quick {
    /// Reads a schema; `None` where something in it is not understood here.
    pub(super) fn read(schema: &Json) -> Option<Quick> {
        Quick::level(schema, 0)
    }

    fn level(schema: &Json, depth: usize) -> Option<Quick> {
        let map = schema.as_object().filter(|_| depth < MAX_DEPTH)?;
        let mut quick = Quick {
            types: 127,
            properties: Vec::new(),
            required: Vec::new(),
            open: true,
            items: None,
            words: None,
            minimum: None,
            maximum: None,
        };
        for (keyword, value) in map {
            match keyword.as_str() {
                "type" => {
                    quick.types = match value {
                        Json::Array(list) => list.iter().try_fold(0, |bits, t| Some(bits | type_bit(t)?))?,
                        one => type_bit(one)?,
                    }
                }
                "properties" => quick.properties = properties(value.as_object()?, depth)?,
                "required" => quick.required = words(value)?,
                "additionalProperties" => quick.open = value.as_bool()?,
                "items" => quick.items = Some(Box::new(Quick::level(value, depth + 1)?)),
                "enum" => quick.words = Some(words(value)?),
                "const" => quick.words = Some(vec![value.as_str()?.into()]),
                "minimum" => quick.minimum = Some(value.as_i64()?),
                "maximum" => quick.maximum = Some(value.as_i64()?),
                other if is_annotation(other) => {}
                _ => return None,
            }
        }
        Some(quick)
    }

    /// Whether the value is surely valid.
    pub(super) fn is_valid(&self, value: Value<'_>) -> bool {
        let bit = match value.kind() {
            Kind::Null => NULL,
            Kind::Bool => BOOL,
            Kind::Number if value.is_integer() => INTEGER,
            Kind::Number => NUMBER,
            Kind::String => STRING,
            Kind::Array => ARRAY,
            Kind::Object => OBJECT,
        };
        if self.types & bit == 0 {
            return false;
        }
        if let Some(words) = &self.words {
            return words.iter().any(|w| value.str_eq(w));
        }
        match value.kind() {
            Kind::Object => self.object(value),
            Kind::Array => self.items.as_ref().is_none_or(|items| value.elements().all(|e| items.is_valid(e))),
            Kind::Number if self.minimum.is_some() || self.maximum.is_some() => value
                .as_i64()
                .is_some_and(|n| self.minimum.is_none_or(|m| n >= m) && self.maximum.is_none_or(|m| n <= m)),
            _ => true,
        }
    }

    fn object(&self, value: Value<'_>) -> bool {
        let mut found = 0u64;
        for (key, member) in value.members() {
            match self.properties.iter().position(|(name, _)| key.eq(name.as_ref())) {
                Some(i) => {
                    if !self.properties[i].1.is_valid(member) {
                        return false;
                    }
                    found |= 1u64.checked_shl(i as u32).unwrap_or(0);
                }
                None if !self.open => return false,
                None => {}
            }
        }
        self.required.iter().all(|need| {
            let place = self.properties.iter().position(|(name, _)| name == need);
            match place {
                Some(i) if i < 64 => found & (1 << i) != 0,
                _ => value.get(need).is_some(),
            }
        })
    }
}

fn properties(map: &Map<String, Json>, depth: usize) -> Option<Vec<(Box<str>, Quick)>> {
    map.iter().map(|(name, schema)| Some((name.as_str().into(), Quick::level(schema, depth + 1)?))).collect()
}

fn words(list: &Json) -> Option<Vec<Box<str>>> {
    list.as_array()?.iter().map(|w| Some(w.as_str()?.into())).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::rules::schema::{Schemas, Verdict};
    use crate::wire::json::Document;

    const SCHEMA: &str = r#"{"type":"object","properties":{"a":{"type":"integer","minimum":0,"maximum":9},
        "b":{"type":["string","null"]},"c":{"enum":["x","y"]},"d":{"type":"array","items":{"type":"number"}},
        "e":{"type":"object","properties":{"f":{"type":"boolean"}},"required":["f"],"additionalProperties":false}},
        "required":["a"]}"#;

    fn value() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            (-3i64..12).prop_map(Json::from),
            (0u8..40).prop_map(|n| Json::from(f64::from(n) / 4.0)),
            prop_oneof![Just("x"), Just("y"), Just("z"), Just("1")].prop_map(Json::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                prop::collection::vec(
                    (prop_oneof![Just("a"), Just("b"), Just("c"), Just("d"), Just("e"), Just("f")], inner),
                    0..5
                )
                .prop_map(|m| Json::Object(m.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
            ]
        })
    }

    proptest! {
        /// It never passes what the validator refuses, and refuses nothing plain that the validator passes.
        #[test]
        fn it_says_what_the_validator_says(value in value()) {
            let schema: Json = serde_json::from_str(SCHEMA).unwrap();
            let quick = Quick::read(&schema).unwrap();
            let text = value.to_string();
            let document = Document::new(text.as_bytes());
            let valid = quick.is_valid(document.doc().root().unwrap());
            let validator = jsonschema::validator_for(&schema).unwrap();
            prop_assert_eq!(valid, validator.is_valid(&value), "{}", text);
        }
    }

    #[test]
    fn what_is_not_understood_is_left_to_the_validator() {
        for schema in [
            r#"{"pattern":"a"}"#,
            r#"{"items":true}"#,
            r#"{"additionalProperties":{}}"#,
            r#"{"properties":{"a":{"anyOf":[]}}}"#,
        ] {
            assert!(Quick::read(&serde_json::from_str(schema).unwrap()).is_none(), "{schema}");
        }
        let twice = Schemas::new().check_text(SCHEMA.as_bytes(), r#"{"a":1,"a":"x"}"#);
        assert!(matches!(twice, Verdict::Invalid(_)));
    }
}
