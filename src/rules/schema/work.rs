//! How much work a check is, counted before it begins: validation has no limit of its own, and doubled references are
//! exponential. Each pair of schema and value is counted once and multiplied, as the validator would repeat it.

use std::collections::HashMap;

use serde_json::Value;

use super::facts::{Ids, is_fancy_pattern};

/// Evaluations of a schema against a value.
const MAX_WORK: u64 = 1_000_000;
/// Pairs that the count itself may look at.
const MAX_PAIRS: usize = 50_000;
/// A pattern that may backtrack up to its limit.
const FANCY: u64 = 10_000;
/// References followed without a step into the value.
const MAX_STEPS: usize = 500;

/// Whether a check of this value against this schema ends in reasonable time.
pub(super) fn affordable(schema: &Value, instance: &Value) -> bool {
    let ids = Ids::read(schema);
    let mut work = Work { root: schema, ids: &ids, known: HashMap::new(), pairs: 0 };
    work.of(schema, instance, 0) <= MAX_WORK
}

struct Work<'a> {
    root: &'a Value,
    ids: &'a Ids<'a>,
    known: HashMap<(*const Value, *const Value), u64>,
    pairs: usize,
}

impl<'a> Work<'a> {
    fn of(&mut self, schema: &'a Value, value: &'a Value, steps: usize) -> u64 {
        let Value::Object(map) = schema else { return 1 };
        let pair: (*const Value, *const Value) = (schema, value);
        if let Some(known) = self.known.get(&pair) {
            return *known;
        }
        self.pairs += 1;
        if self.pairs > MAX_PAIRS || steps > MAX_STEPS {
            return MAX_WORK + 1;
        }
        let mut sum: u64 = 1;
        for (key, part) in map {
            sum = sum.saturating_add(self.keyword(key, part, value, steps + 1));
            if sum > MAX_WORK {
                break;
            }
        }
        self.known.insert(pair, sum);
        sum
    }

    fn keyword(&mut self, key: &str, part: &'a Value, value: &'a Value, steps: usize) -> u64 {
        let mut sum: u64 = 0;
        match (key, part) {
            ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(target)) => {
                if let Some(schema) = self.ids.resolve(self.root, target) {
                    sum = self.of(schema, value, steps);
                }
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(list)) => {
                for schema in list {
                    sum = sum.saturating_add(self.of(schema, value, steps));
                    if sum > MAX_WORK {
                        break;
                    }
                }
            }
            ("not" | "if" | "then" | "else", schema) => sum = self.of(schema, value, steps),
            ("dependentSchemas" | "dependencies", Value::Object(map)) => {
                for schema in map.values().filter(|v| v.is_object()) {
                    sum = sum.saturating_add(self.of(schema, value, steps));
                }
            }
            ("properties", Value::Object(map)) => {
                if let Value::Object(members) = value {
                    for (name, child) in members {
                        sum = sum.saturating_add(map.get(name).map_or(1, |schema| self.of(schema, child, steps)));
                    }
                }
            }
            ("patternProperties", Value::Object(map)) => {
                if let Value::Object(members) = value {
                    for (pattern, schema) in map {
                        let one = if is_fancy_pattern(pattern) { FANCY } else { 1 };
                        for child in members.values() {
                            sum = sum.saturating_add(one).saturating_add(self.of(schema, child, steps));
                        }
                    }
                }
            }
            ("additionalProperties" | "unevaluatedProperties" | "propertyNames", schema) => {
                if let Value::Object(members) = value {
                    for child in members.values() {
                        sum = sum.saturating_add(self.of(schema, child, steps));
                    }
                }
            }
            ("items" | "additionalItems" | "contains" | "unevaluatedItems", Value::Object(_)) => {
                if let Value::Array(items) = value {
                    for child in items {
                        sum = sum.saturating_add(self.of(part, child, steps));
                    }
                }
            }
            ("items" | "prefixItems", Value::Array(list)) => {
                if let Value::Array(items) = value {
                    for (schema, child) in list.iter().zip(items) {
                        sum = sum.saturating_add(self.of(schema, child, steps));
                    }
                }
            }
            ("enum", Value::Array(list)) => sum = list.len() as u64,
            ("pattern", Value::String(pattern)) if value.is_string() => {
                sum = if is_fancy_pattern(pattern) { FANCY } else { 1 };
            }
            _ => {}
        }
        sum
    }
}
