//! How dear a schema is. Validation has no limit of its own, and a chain of doubled references is exponential: 30 lines
//! of schema can keep a validator busy for a minute. Counted here before it starts.

use std::collections::HashMap;

use serde_json::Value;

/// Subschemas that one check may visit, with every reference followed.
const MAX_COST: u64 = 200_000;

/// Whether a check against this schema ends in reasonable time.
pub(super) fn affordable(schema: &Value) -> bool {
    let mut walk = Walk { root: schema, known: HashMap::new(), open: Vec::new() };
    walk.cost(schema, 0) <= MAX_COST
}

struct Walk<'a> {
    root: &'a Value,
    /// Cost of the targets of references, by reference.
    known: HashMap<&'a str, u64>,
    /// References being followed: recursion costs nothing here, it ends with the instance.
    open: Vec<&'a str>,
}

impl<'a> Walk<'a> {
    fn cost(&mut self, value: &'a Value, depth: usize) -> u64 {
        // Deeper text is refused by the JSON parser; this keeps the walk honest when it follows references.
        if depth > 512 {
            return MAX_COST + 1;
        }
        match value {
            Value::Object(members) => {
                let mut sum: u64 = 1;
                for (key, member) in members {
                    let part = match member {
                        Value::String(target) if key == "$ref" || key == "$dynamicRef" => self.follow(target, depth),
                        member => self.cost(member, depth + 1),
                    };
                    sum = sum.saturating_add(part);
                }
                sum
            }
            Value::Array(items) => {
                let mut sum: u64 = 0;
                for item in items {
                    sum = sum.saturating_add(self.cost(item, depth + 1));
                }
                sum
            }
            _ => 0,
        }
    }

    fn follow(&mut self, target: &'a str, depth: usize) -> u64 {
        if let Some(cost) = self.known.get(target) {
            return *cost;
        }
        if self.open.contains(&target) {
            return 1;
        }
        let Some(value) = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) else { return 1 };
        self.open.push(target);
        let cost = self.cost(value, depth + 1);
        self.open.pop();
        self.known.insert(target, cost);
        cost
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    #[test]
    fn doubled_references_are_too_dear_and_recursion_is_not() {
        let mut defs = serde_json::Map::new();
        for level in 0..30 {
            let next = format!("#/$defs/d{}", level + 1);
            defs.insert(format!("d{level}"), json!({ "allOf": [{ "$ref": next }, { "$ref": next }] }));
        }
        defs.insert("d30".into(), json!({ "type": "object" }));
        assert!(!affordable(&json!({ "$ref": "#/$defs/d0", "$defs": defs })));

        let tree =
            json!({ "type": "object", "properties": { "children": { "type": "array", "items": { "$ref": "#" } } } });
        assert!(affordable(&tree));
    }
}
