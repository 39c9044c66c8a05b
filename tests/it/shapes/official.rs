//! The official schemas as something to compare with: definitions, instances made from them, and mutations.

use std::path::PathBuf;

use mcpscope::mcp::{Method, Revision};
use serde_json::{Map, Value, json};

/// The folder with the official schemas, if it is there.
pub fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/protocol/official"));
    folder.is_dir().then_some(folder)
}

/// A small reproducible source of chance (xorshift64*).
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// The schema of one revision.
pub struct Official {
    pub revision: Revision,
    document: Value,
    /// `$defs`, or `definitions` in the older ones.
    place: &'static str,
}

impl Official {
    pub fn load(revision: Revision) -> Official {
        let path = folder().unwrap().join(revision.as_str()).join("schema.json");
        let document: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let place = if document.get("$defs").is_some() { "$defs" } else { "definitions" };
        Official { revision, document, place }
    }

    pub fn def(&self, name: &str) -> Option<&Value> {
        self.document[self.place].get(name)
    }

    /// A schema that refers to a part of the document, such as `CallToolRequest/properties/params`.
    fn refer(&self, part: &str) -> Value {
        let mut schema = json!({"$schema": self.document["$schema"], "$ref": format!("#/{}/{part}", self.place)});
        schema[self.place] = self.document[self.place].clone();
        schema
    }

    pub fn validator(&self, part: &str) -> jsonschema::Validator {
        jsonschema::options().should_validate_formats(false).build(&self.refer(part)).unwrap()
    }

    /// The definition of the request or notification of a method.
    pub fn message_of(&self, method: Method) -> Option<String> {
        let defs = self.document[self.place].as_object()?;
        let found = defs.iter().find(|(_, d)| d["properties"]["method"]["const"] == method.name())?;
        Some(found.0.clone())
    }

    /// The schema at a part.
    pub fn at(&self, part: &str) -> &Value {
        self.document.pointer(&format!("/{}/{part}", self.place)).unwrap_or(&Value::Null)
    }

    /// Makes an instance of a schema.
    pub fn instance(&self, schema: &Value, chance: &mut Chance, depth: usize) -> Value {
        if let Some(target) = schema["$ref"].as_str() {
            let target = self.document.pointer(&target[1..]).unwrap();
            return self.instance(target, chance, depth);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(list) = schema["enum"].as_array() {
            return list[chance.below(list.len())].clone();
        }
        if let Some(list) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            return self.instance(&list[chance.below(list.len())], chance, depth);
        }
        if let Some(list) = schema["allOf"].as_array() {
            let mut all = Map::new();
            for part in list {
                if let Value::Object(more) = self.instance(part, chance, depth) {
                    all.extend(more);
                }
            }
            return Value::Object(all);
        }
        let kind = match &schema["type"] {
            Value::Array(list) => list[chance.below(list.len())].as_str(),
            Value::String(kind) => Some(kind.as_str()),
            _ => None,
        };
        match kind {
            Some("object") => self.object(schema, chance, depth),
            Some("array") => {
                let n = if depth > 8 { 0 } else { chance.below(3) };
                (0..n).map(|_| self.instance(&schema["items"], chance, depth + 1)).collect()
            }
            Some("string") => json!(["", "a", "file:///a", "2026-07-28", "7"][chance.below(5)]),
            Some("integer") => json!(chance.below(100)),
            Some("number") if schema["maximum"] == 1 => json!([0.0, 0.5, 1.0][chance.below(3)]),
            Some("number") => json!([0.0, 2.0, 7.5, 100.0][chance.below(4)]),
            Some("boolean") => json!(chance.one_in(2)),
            Some("null") => Value::Null,
            _ => [json!({"any": 1}), json!("any"), json!(7), json!([]), json!(true)][chance.below(5)].clone(),
        }
    }

    fn object(&self, schema: &Value, chance: &mut Chance, depth: usize) -> Value {
        let required = schema["required"].as_array();
        let mut out = Map::new();
        for (name, part) in schema["properties"].as_object().into_iter().flatten() {
            let needed = required.is_some_and(|r| r.iter().any(|n| n == name));
            // The deeper, the less that need not be there.
            if needed || (depth < 9 && chance.one_in(if depth < 3 { 2 } else { 4 })) {
                out.insert(name.clone(), self.instance(part, chance, depth + 1));
            }
        }
        match &schema["additionalProperties"] {
            more @ Value::Object(_) if depth < 8 => {
                for _ in 0..chance.below(3) {
                    let name = format!("k{}", chance.below(5));
                    out.insert(name, self.instance(more, chance, depth + 1));
                }
            }
            _ => {}
        }
        Value::Object(out)
    }
}

/// Pointers to all values below the root, and the root.
fn places(v: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match v {
        Value::Object(o) => {
            for (k, e) in o {
                places(e, &format!("{at}/{}", k.replace('~', "~0").replace('/', "~1")), out);
            }
        }
        Value::Array(a) => {
            for (i, e) in a.iter().enumerate() {
                places(e, &format!("{at}/{i}"), out);
            }
        }
        _ => {}
    }
}

/// Values of every JSON type, and words that some enum has.
fn other(chance: &mut Chance) -> Value {
    let all = [
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(3),
        json!(1.5),
        json!(2.0),
        json!(1e300),
        json!(""),
        json!("x"),
        json!("text"),
        json!("image"),
        json!("resource"),
        json!("string"),
        json!("number"),
        json!("array"),
        json!("object"),
        json!("user"),
        json!("error"),
        json!("accept"),
        json!("form"),
        json!("url"),
        json!("public"),
        json!("complete"),
        json!("elicitation/create"),
        json!([]),
        json!(["a"]),
        json!([1]),
        json!({}),
        json!({"a": 1}),
        json!({"type": "text", "text": ""}),
        json!({"uri": "a:b", "blob": ""}),
    ];
    all[chance.below(all.len())].clone()
}

/// Changes one thing somewhere.
pub fn mutate(v: &mut Value, chance: &mut Chance) {
    let mut all = Vec::new();
    places(v, "", &mut all);
    let place = all[chance.below(all.len())].clone();
    let donor = v.pointer(&all[chance.below(all.len())]).cloned().unwrap_or_default();
    let Some(target) = v.pointer_mut(&place) else { return };
    match chance.below(9) {
        // Drop a member or an element.
        0 | 1 => match target {
            Value::Object(o) if !o.is_empty() => {
                let key = o.keys().nth(chance.below(o.len())).cloned().unwrap_or_default();
                o.shift_remove(&key);
            }
            Value::Array(a) if !a.is_empty() => {
                let i = chance.below(a.len());
                a.remove(i);
            }
            _ => *target = Value::Null,
        },
        2 => *target = Value::Null,
        3 | 4 => *target = other(chance),
        // An extra member.
        5 => match target {
            Value::Object(o) => {
                let names = [
                    "extra", "type", "text", "blob", "_meta", "title", "name", "content", "icons", "task", "mode",
                    "taskIds",
                ];
                o.insert(names[chance.below(names.len())].to_owned(), other(chance));
            }
            _ => *target = other(chance),
        },
        // Wrong nesting.
        6 => *target = json!([target.take()]),
        7 => *target = json!({"value": target.take()}),
        _ => *target = donor,
    }
}
