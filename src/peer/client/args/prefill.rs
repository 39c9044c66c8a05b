//! Arguments to start from: everything that is required, with the best value the schema lets one guess.

use serde_json::{Map, Value, json};

/// Levels of nested objects and arrays that are filled in; recursive schemas end there.
const MAX_DEPTH: usize = 8;
/// Items that `minItems` may make.
const MAX_ITEMS: usize = 16;

/// Pretty JSON for a tool's arguments: the required ones first, in the order of `required`, then those that have a
/// default. A value is taken from const, default, the first example or enum; else it is an empty one of the right type,
/// format and bounds. A schema that is not understood gives `{}`.
pub fn prefill(schema: &str) -> String {
    let schema: Value = serde_json::from_str(schema).unwrap_or(Value::Null);
    let filler = Filler { root: &schema };
    let value = match filler.value(&schema, 0) {
        Value::Object(members) => Value::Object(members),
        _ => json!({}),
    };
    serde_json::to_string_pretty(&value).unwrap_or_else(|_| "{}".to_owned())
}

struct Filler<'a> {
    root: &'a Value,
}

impl Filler<'_> {
    fn value(&self, schema: &Value, depth: usize) -> Value {
        let Some(keywords) = schema.as_object() else { return Value::Null };
        if let Some(value) = given(keywords) {
            return value.clone();
        }
        if depth >= MAX_DEPTH {
            return Value::Null;
        }
        if let Some(target) = keywords.get("$ref").and_then(Value::as_str).and_then(|target| self.resolve(target)) {
            return self.value(target, depth + 1);
        }
        let parts = |key: &str| keywords.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if let Some(first) = parts("oneOf").iter().chain(parts("anyOf")).find(|part| part["type"] != "null") {
            let value = self.value(first, depth + 1);
            // A choice beside properties adds to them; one that stands alone is the value.
            if !keywords.contains_key("properties") && !value.is_null() {
                return value;
            }
        }
        match kind(keywords) {
            "object" => self.object(keywords, parts("allOf"), depth),
            "array" => {
                let count = keywords.get("minItems").and_then(Value::as_u64).unwrap_or(0);
                let count = usize::try_from(count).unwrap_or(MAX_ITEMS).min(MAX_ITEMS);
                let heads = parts("prefixItems");
                let items = keywords.get("items").unwrap_or(&Value::Null);
                (0..count).map(|index| self.value(heads.get(index).unwrap_or(items), depth + 1)).collect()
            }
            "string" => json!(string(keywords)),
            "integer" | "number" => number(keywords),
            "boolean" => json!(false),
            _ => parts("allOf").first().map_or(Value::Null, |part| self.value(part, depth + 1)),
        }
    }

    fn object(&self, keywords: &Map<String, Value>, all_of: &[Value], depth: usize) -> Value {
        let mut object = Map::new();
        let empty = Map::new();
        let properties = keywords.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        for name in keywords.get("required").and_then(Value::as_array).into_iter().flatten() {
            if let Some(name) = name.as_str() {
                let value = properties.get(name).map_or(Value::Null, |schema| self.value(schema, depth + 1));
                object.insert(name.to_owned(), value);
            }
        }
        for (name, schema) in properties {
            if let Some(default) = schema.get("default").filter(|_| !object.contains_key(name)) {
                object.insert(name.clone(), default.clone());
            }
        }
        for part in all_of {
            if let Value::Object(more) = self.value(part, depth + 1) {
                for (name, value) in more {
                    object.entry(name).or_insert(value);
                }
            }
        }
        Value::Object(object)
    }

    fn resolve(&self, target: &str) -> Option<&Value> {
        self.root.pointer(target.strip_prefix('#')?)
    }
}

/// A value that the schema itself names.
fn given(keywords: &Map<String, Value>) -> Option<&Value> {
    let first = |key: &str| keywords.get(key).and_then(Value::as_array).and_then(|all| all.first());
    keywords.get("const").or_else(|| keywords.get("default")).or_else(|| first("examples")).or_else(|| first("enum"))
}

fn kind(keywords: &Map<String, Value>) -> &str {
    match keywords.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("null")
        }
        _ if keywords.contains_key("properties") || keywords.contains_key("required") => "object",
        _ if keywords.contains_key("items") || keywords.contains_key("prefixItems") => "array",
        _ => "",
    }
}

fn string(keywords: &Map<String, Value>) -> String {
    let text = match keywords.get("format").and_then(Value::as_str) {
        Some("date") => "2026-01-31",
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("time") => "12:00:00Z",
        Some("duration") => "PT1H",
        Some("email" | "idn-email") => "name@example.com",
        Some("uri" | "iri" | "uri-reference") => "https://example.com/",
        Some("hostname" | "idn-hostname") => "example.com",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        Some("ipv4") => "127.0.0.1",
        Some("ipv6") => "::1",
        _ => "",
    };
    text.to_owned()
}

/// Zero, or the bound nearest to it.
fn number(keywords: &Map<String, Value>) -> Value {
    let bound = |key: &str| keywords.get(key).and_then(Value::as_f64);
    let integer = kind(keywords) == "integer";
    let low = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|low| low + 1.0));
    let high = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|high| high - 1.0));
    let mut value: f64 = 0.0;
    if let Some(low) = low {
        value = value.max(low);
    }
    if let Some(high) = high {
        value = value.min(high);
    }
    if integer || value.fract() == 0.0 {
        return json!(value.ceil() as i64);
    }
    json!(value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn filled(schema: Value) -> Value {
        serde_json::from_str(&prefill(&schema.to_string())).unwrap()
    }

    #[test]
    fn required_members_come_first_and_defaults_follow() {
        let text = prefill(
            r#"{"type":"object","properties":{"days":{"default":3},"city":{"type":"string"},"skip":{"type":"string"},
                "unit":{"enum":["c","f"]}},"required":["unit","city"]}"#,
        );
        assert_eq!(text, "{\n  \"unit\": \"c\",\n  \"city\": \"\",\n  \"days\": 3\n}");
    }

    #[test]
    fn nested_values_follow_types_formats_bounds_and_references() {
        let value = filled(json!({
            "$defs": { "place": { "type": "object", "properties": { "lat": { "type": "number", "minimum": 0.5 } }, "required": ["lat"] } },
            "type": "object",
            "properties": {
                "place": { "$ref": "#/$defs/place" },
                "tags": { "type": "array", "items": { "type": "string", "format": "email" }, "minItems": 2 },
                "mode": { "const": "fast" },
                "count": { "type": "integer", "minimum": 1 },
                "limit": { "type": "integer", "maximum": -3 },
                "maybe": { "anyOf": [{ "type": "null" }, { "type": "boolean" }] },
                "sample": { "type": "string", "examples": ["x", "y"] },
                "either": { "type": ["null", "string"] },
            },
            "required": ["place", "tags", "mode", "count", "limit", "maybe", "sample", "either"],
        }));
        assert_eq!(
            value,
            json!({ "place": { "lat": 0.5 }, "tags": ["name@example.com", "name@example.com"], "mode": "fast",
                "count": 1, "limit": -3, "maybe": false, "sample": "x", "either": "" })
        );
    }

    #[test]
    fn recursion_huge_arrays_and_nonsense_end() {
        let endless = json!({ "type": "object", "properties": { "next": { "$ref": "#" } }, "required": ["next"] });
        assert!(filled(endless).is_object());
        let wide = json!({ "type": "object", "properties": { "all": { "type": "array", "minItems": 1_000_000_000_u64 } }, "required": ["all"] });
        assert_eq!(filled(wide)["all"].as_array().unwrap().len(), MAX_ITEMS);
        for nonsense in ["", "true", "[]", "{\"type\":7,\"required\":\"x\"}"] {
            assert_eq!(prefill(nonsense), "{}", "{nonsense}");
        }
    }
}
