//! What can be counted in a schema before it is compiled: dialect, depth, subschemas, references.

use crate::mcp::subschemas::{LIST, MAP, ONE};
use serde_json::{Map, Value};

/// Which JSON Schema a schema is written in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// Draft 4.
    Draft4,
    /// Draft 6.
    Draft6,
    /// Draft 7.
    Draft7,
    /// 2019-09.
    Draft201909,
    /// 2020-12, which also holds where `$schema` is absent.
    #[default]
    Draft202012,
    /// Another one: what `$schema` says.
    Unknown(String),
}

/// What was counted in a schema.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Why it is not even looked at.
    pub(super) beyond: Option<String>,
    /// Its dialect.
    pub dialect: Dialect,
    /// `$schema` as written.
    pub declared: Option<String>,
    /// Levels of subschemas below the root.
    pub depth: u32,
    /// Number of subschemas, the root not counted.
    pub subschemas: u32,
    /// References to network addresses: pointer and target.
    pub external: Vec<(String, String)>,
    /// References that lead nowhere in the schema.
    pub unresolved: Vec<(String, String)>,
    /// A reference leads back to itself without a step into the value.
    pub endless: bool,
    /// A check may cost much more than the schema is long: it is counted before each check.
    pub(super) risky: bool,
    /// Keywords that compare numbers are used.
    pub(super) compares_numbers: bool,
}

/// Keywords whose schemas see the same value again.
const IN_PLACE: &[&str] = &["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependencies", "dependentSchemas"];
const REFS: &[&str] = &["$ref", "$dynamicRef", "$recursiveRef"];
const NUMBERS: &[&str] =
    &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "const", "enum", "uniqueItems"];

/// Cost of a schema, all references followed, above which each check is counted first.
const RISKY: u64 = 2_000;
/// References and cost are followed so deep.
const MAX_FOLLOW: usize = 300;

pub(super) fn normal(uri: &str) -> &str {
    let uri = uri.trim_end_matches('#');
    uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://")).unwrap_or(uri)
}

/// Whether two `$schema` values name the same dialect: scheme and an empty fragment do not count.
pub fn same_dialect(a: &str, b: &str) -> bool {
    normal(a.trim()) == normal(b.trim())
}

impl Facts {
    pub(super) fn read(schema: &Value) -> Facts {
        let mut facts = Facts::default();
        if let Some(declared) = schema.get("$schema").and_then(Value::as_str) {
            facts.declared = Some(declared.to_owned());
            facts.dialect = match normal(declared.trim()) {
                "json-schema.org/draft/2020-12/schema" => Dialect::Draft202012,
                "json-schema.org/draft/2019-09/schema" => Dialect::Draft201909,
                "json-schema.org/draft-07/schema" => Dialect::Draft7,
                "json-schema.org/draft-06/schema" => Dialect::Draft6,
                "json-schema.org/draft-04/schema" => Dialect::Draft4,
                other => Dialect::Unknown(super::super::show::short(other)),
            };
        }
        let ids = Ids::read(schema);
        facts.walk(schema, schema, &ids);
        if facts.depth <= super::MAX_DEPTH && facts.subschemas <= super::MAX_SUBSCHEMAS {
            let mut cost =
                Cost { root: schema, ids: &ids, known: Default::default(), open: Vec::new(), endless: false };
            let total = cost.of(schema, 0);
            facts.endless = cost.endless;
            facts.risky |= total > RISKY;
        }
        facts
    }

    /// Counts. The schema was parsed with a limit on depth, so the recursion has one too.
    fn walk(&mut self, root: &Value, schema: &Value, ids: &Ids<'_>) {
        // Pointers cost: they are made only where something is found.
        let mut open: Vec<(&Value, u32, Option<(usize, String)>)> = vec![(schema, 0, None)];
        let mut trail: Vec<(usize, String)> = vec![(usize::MAX, String::new())];
        let mut recursive = false;
        let mut combines = false;
        while let Some((schema, depth, step)) = open.pop() {
            let here = match step {
                Some(step) => {
                    trail.push(step);
                    trail.len() - 1
                }
                None => 0,
            };
            self.depth = self.depth.max(depth);
            self.subschemas += u32::from(depth > 0);
            let Value::Object(members) = schema else { continue };
            for (key, value) in members {
                let key = key.as_str();
                combines |= IN_PLACE.contains(&key);
                self.compares_numbers |= NUMBERS.contains(&key);
                if key == "pattern" || key == "patternProperties" {
                    self.risky |= is_fancy(key, value);
                }
                if REFS.contains(&key) {
                    if let Some(target) = value.as_str() {
                        recursive = true;
                        self.reference(root, target, ids, || format!("{}/{key}", pointer(&trail, here)));
                    }
                    continue;
                }
                let mut push = |value, tail: String| {
                    if open.len() < 200_000 {
                        open.push((value, depth + 1, Some((here, tail))));
                    }
                };
                match value {
                    Value::Object(_) | Value::Bool(_) if ONE.contains(&key) => push(value, format!("/{key}")),
                    Value::Array(list) if LIST.contains(&key) => {
                        for (i, v) in list.iter().enumerate() {
                            push(v, format!("/{key}/{i}"));
                        }
                    }
                    Value::Object(map) if MAP.contains(&key) => {
                        for (name, v) in map.iter().filter(|(_, v)| !v.is_array()) {
                            let mut tail = format!("/{key}");
                            crate::wire::json::pointer::push(&mut tail, name);
                            push(v, tail);
                        }
                    }
                    _ => {}
                }
            }
        }
        self.risky |= recursive && combines;
    }

    fn reference(&mut self, root: &Value, target: &str, ids: &Ids<'_>, pointer: impl Fn() -> String) {
        if ids.resolve(root, target).is_some() || self.external.len() + self.unresolved.len() >= 20 {
            return;
        }
        let base = root.get("$id").or_else(|| root.get("id")).and_then(Value::as_str).unwrap_or_default();
        let remote = |u: &str| u.starts_with("http://") || u.starts_with("https://");
        let file = target.split('#').next().unwrap_or_default();
        if normal(file).starts_with("json-schema.org/draft") {
            return; // the meta-schemas are known to every validator
        }
        if remote(file) || !file.is_empty() && !file.contains(':') && remote(base) {
            self.external.push((pointer(), target.to_owned()));
        } else {
            self.unresolved.push((pointer(), target.to_owned()));
        }
    }
}

fn pointer(trail: &[(usize, String)], at: usize) -> String {
    let mut parts = Vec::new();
    let mut at = at;
    while let Some((parent, tail)) = trail.get(at) {
        parts.push(tail.as_str());
        at = *parent;
    }
    parts.reverse();
    parts.concat()
}

/// Needs a backtracking engine: look-around or a back reference.
pub(super) fn is_fancy_pattern(pattern: &str) -> bool {
    pattern.contains("(?=")
        || pattern.contains("(?!")
        || pattern.contains("(?<")
        || pattern.as_bytes().windows(2).any(|w| w[0] == b'\\' && (matches!(w[1], b'1'..=b'9') || w[1] == b'k'))
}

fn is_fancy(key: &str, value: &Value) -> bool {
    match value {
        Value::String(p) if key == "pattern" => is_fancy_pattern(p),
        Value::Object(map) if key == "patternProperties" => map.keys().any(|p| is_fancy_pattern(p)),
        _ => false,
    }
}

/// Subschemas with a name of their own: `$id`, `$anchor`.
pub(super) struct Ids<'a> {
    names: std::collections::HashMap<&'a str, &'a Value>,
}

impl<'a> Ids<'a> {
    pub(super) fn read(root: &'a Value) -> Ids<'a> {
        let mut names = std::collections::HashMap::new();
        let mut open = vec![root];
        while let Some(value) = open.pop() {
            match value {
                Value::Object(map) => {
                    for key in ["$id", "id", "$anchor", "$dynamicAnchor"] {
                        if let Some(Value::String(name)) = map.get(key) {
                            names.entry(name.as_str()).or_insert(value);
                        }
                    }
                    open.extend(map.values());
                }
                Value::Array(list) => open.extend(list),
                _ => {}
            }
        }
        Ids { names }
    }

    /// What a reference points to inside of the schema.
    pub(super) fn resolve(&self, root: &'a Value, target: &str) -> Option<&'a Value> {
        let (file, fragment) = target.split_once('#').unwrap_or((target, ""));
        let base = match file {
            "" => root,
            file => self.named(file)?,
        };
        if fragment.is_empty() {
            return Some(base);
        }
        if fragment.starts_with('/') {
            let fragment = unescape(fragment);
            let found = base.pointer(&fragment);
            // Inside of an embedded resource the pointer counts from there; which one is not followed here.
            return found.or_else(|| {
                let mut resources = self.names.values();
                resources.find_map(|r| r.pointer(&fragment))
            });
        }
        self.names.get(fragment).or_else(|| self.names.get(format!("#{fragment}").as_str())).copied()
    }

    /// An embedded resource, by its whole name or by the end of it.
    fn named(&self, file: &str) -> Option<&'a Value> {
        if let Some(v) = self.names.get(file) {
            return Some(v);
        }
        let last = |name: &str| name.split('#').next().unwrap_or_default().rsplit('/').next().map(str::to_owned);
        let want = last(file).filter(|l| !l.is_empty())?;
        self.names.iter().find(|(n, _)| last(n).as_deref() == Some(want.as_str())).map(|(_, v)| *v)
    }
}

/// `%25` and the like in a fragment.
fn unescape(fragment: &str) -> String {
    if !fragment.contains('%') {
        return fragment.to_owned();
    }
    let bytes = fragment.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = bytes
            .get(i + 1..i + 3)
            .and_then(|h| std::str::from_utf8(h).ok())
            .and_then(|h| u8::from_str_radix(h, 16).ok());
        match hex.filter(|_| bytes[i] == b'%') {
            Some(byte) => {
                out.push(byte);
                i += 3;
            }
            None => {
                out.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The cost of a schema with all references followed; recursion is counted once.
struct Cost<'a> {
    root: &'a Value,
    ids: &'a Ids<'a>,
    known: std::collections::HashMap<*const Value, u64>,
    /// Schemas on the way here, with whether the way to the next one goes into the value.
    open: Vec<(*const Value, bool)>,
    endless: bool,
}

impl<'a> Cost<'a> {
    fn of(&mut self, schema: &'a Value, steps: usize) -> u64 {
        let at: *const Value = schema;
        if let Some(cost) = self.known.get(&at) {
            return *cost;
        }
        if let Some(begin) = self.open.iter().position(|(s, _)| *s == at) {
            self.endless |= self.open[begin..].iter().all(|(_, into)| !into);
            return 1;
        }
        let Value::Object(map) = schema else { return 1 };
        if steps > MAX_FOLLOW {
            return RISKY + 1;
        }
        self.open.push((at, false));
        let cost = self.members(map, steps);
        self.open.pop();
        self.known.insert(at, cost);
        cost
    }

    fn members(&mut self, map: &'a Map<String, Value>, steps: usize) -> u64 {
        let mut sum: u64 = 1;
        for (key, value) in map {
            let key = key.as_str();
            if let Some(last) = self.open.last_mut() {
                last.1 = !(REFS.contains(&key) || IN_PLACE.contains(&key));
            }
            let part = match value {
                Value::String(target) if REFS.contains(&key) => {
                    self.ids.resolve(self.root, target).map_or(1, |v| self.of(v, steps + 1))
                }
                Value::Array(list) if key == "enum" => list.len() as u64,
                Value::Object(_) if ONE.contains(&key) => self.of(value, steps + 1),
                Value::Array(list) if LIST.contains(&key) => {
                    list.iter().fold(0, |n: u64, v| n.saturating_add(self.of(v, steps + 1)))
                }
                Value::Object(map) if MAP.contains(&key) && key != "$defs" && key != "definitions" => {
                    map.values().fold(0, |n: u64, v| n.saturating_add(self.of(v, steps + 1)))
                }
                _ => 0,
            };
            sum = sum.saturating_add(part);
        }
        sum
    }
}
