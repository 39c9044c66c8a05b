//! `KEY=VALUE` words into JSON arguments, typed by the tool's schema.

use serde_json::{Map, Value};

use crate::error::{Failure, Result};

/// Makes an arguments object of `key=value` words. What the schema calls a string stays text as it is; for other types
/// the value is JSON if it is valid JSON, else text. `a.b=1` goes into the object `a` unless the schema has a property
/// with the dot in its name; a key given twice whose schema is an array collects its values.
///
/// # Errors
/// A word without `=`, or a key that goes into something that is no object.
pub fn typed(schema: &str, words: &[String]) -> Result<Value> {
    let schema: Value = serde_json::from_str(schema).unwrap_or(Value::Null);
    let mut arguments = Map::new();
    for word in words {
        let Some((key, text)) = word.split_once('=') else {
            return Err(Failure::new(format!("`{word}` is no argument")).hint("write KEY=VALUE, or use --json"));
        };
        let whole = property(&schema, &schema, key);
        let path: Vec<&str> = if whole.is_some() { vec![key] } else { key.split('.').collect() };
        let mut at = Some(&schema);
        for step in &path {
            at = at.and_then(|here| property(&schema, here, step));
        }
        insert(&mut arguments, &path, value_of(&schema, at, text), collects(&schema, at))
            .map_err(|()| Failure::new(format!("`{key}` was given a value before and has no members")))?;
    }
    Ok(Value::Object(arguments))
}

fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    // References to references are rare and cycles must end.
    for _ in 0..8 {
        match schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#')) {
            Some(pointer) => match root.pointer(pointer) {
                Some(target) => schema = target,
                None => break,
            },
            None => break,
        }
    }
    schema
}

fn property<'a>(root: &'a Value, schema: &'a Value, name: &str) -> Option<&'a Value> {
    resolve(root, schema).get("properties")?.get(name)
}

fn may_be(root: &Value, schema: &Value, kind: &str, depth: usize) -> bool {
    let schema = resolve(root, schema);
    let named = match schema.get("type") {
        Some(Value::String(name)) => name == kind,
        Some(Value::Array(names)) => names.iter().any(|name| name == kind),
        _ => false,
    };
    let listed = |key: &str| schema.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    named
        || kind == "string" && listed("enum").iter().any(Value::is_string)
        || depth < 4 && listed("anyOf").iter().chain(listed("oneOf")).any(|part| may_be(root, part, kind, depth + 1))
}

fn collects(root: &Value, schema: Option<&Value>) -> bool {
    schema.is_some_and(|schema| may_be(root, schema, "array", 0))
}

fn value_of(root: &Value, schema: Option<&Value>, text: &str) -> Value {
    let Some(schema) = schema else { return guess(text) };
    let read: Option<Value> = serde_json::from_str(text).ok();
    let fits = |value: &Value| match value {
        Value::Bool(_) => may_be(root, schema, "boolean", 0),
        Value::Number(_) => may_be(root, schema, "number", 0) || may_be(root, schema, "integer", 0),
        Value::Null => may_be(root, schema, "null", 0),
        Value::Array(_) => may_be(root, schema, "array", 0),
        Value::Object(_) => may_be(root, schema, "object", 0),
        Value::String(_) => false,
    };
    match read {
        Some(value) if fits(&value) => value,
        _ if may_be(root, schema, "string", 0) => Value::String(text.to_owned()),
        _ => match schema.get("items").filter(|_| collects(root, Some(schema))) {
            Some(items) => Value::Array(vec![value_of(root, Some(items), text)]),
            None => guess(text),
        },
    }
}

/// Without a schema: JSON if it is JSON.
fn guess(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn insert(into: &mut Map<String, Value>, path: &[&str], value: Value, collects: bool) -> std::result::Result<(), ()> {
    match path {
        [] => Ok(()),
        [last] => {
            match (into.get_mut(*last), value) {
                (Some(Value::Array(before)), Value::Array(more)) if collects => before.extend(more),
                (_, value) => {
                    into.insert((*last).to_owned(), value);
                }
            }
            Ok(())
        }
        [first, rest @ ..] => {
            let inner = into.entry(*first).or_insert_with(|| Value::Object(Map::new()));
            insert(inner.as_object_mut().ok_or(())?, rest, value, collects)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    const SCHEMA: &str = r##"{"properties":{"city":{"type":"string"},"days":{"type":"integer"},"on":{"type":"boolean"},
        "tags":{"type":"array","items":{"type":"string"}},"place":{"$ref":"#/$defs/p"},"x.y":{"type":"number"},
        "unit":{"enum":["1","2"]}},"$defs":{"p":{"type":"object","properties":{"lat":{"type":"number"}}}}}"##;

    fn args(words: &[&str]) -> Value {
        typed(SCHEMA, &words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_schema_decides_the_type() {
        assert_eq!(args(&["city=12", "days=12", "on=true"]), json!({ "city": "12", "days": 12, "on": true }));
        assert_eq!(args(&["days=two", "unit=1"]), json!({ "days": "two", "unit": "1" }));
        assert_eq!(args(&["unknown=[1]", "other=a=b"]), json!({ "unknown": [1], "other": "a=b" }));
    }

    #[test]
    fn dots_go_inside_and_arrays_collect() {
        assert_eq!(args(&["place.lat=1.5", "x.y=2"]), json!({ "place": { "lat": 1.5 }, "x.y": 2 }));
        assert_eq!(args(&["tags=a", "tags=b"]), json!({ "tags": ["a", "b"] }));
        assert_eq!(args(&["tags=[\"a\"]"]), json!({ "tags": ["a"] }));
    }

    #[test]
    fn words_that_cannot_be_used_are_named() {
        let wrong = typed(SCHEMA, &["city".to_owned()]).unwrap_err();
        assert!(wrong.to_string().contains("KEY=VALUE"), "{wrong}");
        assert!(typed(SCHEMA, &["city=a".to_owned(), "city.b=1".to_owned()]).is_err());
    }
}
