//! Compiled tool schemas, bounded in size, depth, fan-out and time: what exceeds a bound is not judged, and the reason
//! is said. Nothing is fetched from anywhere.

mod facts;
mod quick;
mod words;
mod work;

use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, Validator};
use rustc_hash::FxHashMap;

use crate::wire::json::{Document, Value, number};

pub use facts::{Dialect, Facts, same_dialect};
pub use words::Violation;

/// Bytes of a schema that are looked at.
pub const MAX_SCHEMA_BYTES: usize = 512 << 10;
/// Subschemas of one schema.
pub const MAX_SUBSCHEMAS: u32 = 10_000;
/// Nesting of subschemas.
pub const MAX_DEPTH: u32 = 100;
/// Bytes of a value that is checked.
pub const MAX_INSTANCE_BYTES: usize = 1 << 20;
/// Violations of one value that are collected: nobody reads more.
pub const MAX_VIOLATIONS: usize = 50;
/// Steps after which a pattern with look-around or back references gives up.
const BACKTRACK_LIMIT: usize = 10_000;
/// Bytes of one compiled pattern.
const PATTERN_BYTES: usize = 1 << 20;
/// Bytes of schemas kept in compiled form; beyond, all are dropped and compiled again when needed.
const MAX_KEPT_BYTES: usize = 32 << 20;
/// Schemas kept in compiled form.
const MAX_KEPT: usize = 2048;

/// What a check says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The value fits.
    Valid,
    /// It does not, and where.
    Invalid(Vec<Violation>),
    /// Nothing can be said, and why.
    NotJudged(String),
}

/// A schema, with what was found out about it once.
pub struct Compiled {
    bytes: Box<[u8]>,
    facts: Facts,
    schema: serde_json::Value,
    quick: Option<quick::Quick>,
    validator: OnceLock<Result<Validator, Unusable>>,
}

/// Why a schema cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unusable {
    /// It breaks the rules of its dialect: where, and what. That is the server's fault.
    Invalid {
        /// JSON pointer into the schema.
        pointer: String,
        /// What is wrong there.
        why: String,
    },
    /// It is beyond what can be judged here.
    NotJudged(String),
}

/// A cache of compiled schemas, by the bytes of the schema.
#[derive(Default)]
pub struct Schemas {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    by_bytes: FxHashMap<Box<[u8]>, Arc<Compiled>>,
    /// By where the bytes are, which is quicker than hashing them: a hit is compared byte by byte.
    by_place: FxHashMap<(usize, usize), Arc<Compiled>>,
    bytes: usize,
}

impl Schemas {
    /// An empty cache.
    pub fn new() -> Schemas {
        Schemas::default()
    }

    /// The schema with these bytes, looked at and (on first use) compiled.
    pub fn get(&self, schema: &[u8]) -> Arc<Compiled> {
        let place = (schema.as_ptr() as usize, schema.len());
        // A panic elsewhere cannot leave the maps half changed: a poisoned lock is as good as any.
        let mut kept = self.kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(found) = kept.by_place.get(&place).filter(|c| *c.bytes == *schema) {
            return found.clone();
        }
        let found = match kept.by_bytes.get(schema) {
            Some(found) => found.clone(),
            None => {
                if kept.bytes + schema.len() > MAX_KEPT_BYTES || kept.by_bytes.len() >= MAX_KEPT {
                    *kept = Kept::default();
                }
                let new = Arc::new(Compiled::new(schema));
                kept.bytes += schema.len();
                kept.by_bytes.insert(schema.into(), new.clone());
                new
            }
        };
        if kept.by_place.len() >= 2 * MAX_KEPT {
            kept.by_place.clear();
        }
        kept.by_place.insert(place, found.clone());
        found
    }

    /// Checks a value against a schema.
    pub fn check(&self, schema: &[u8], instance: Value<'_>) -> Verdict {
        self.get(schema).check(instance)
    }

    /// Checks a JSON text against a schema.
    pub fn check_text(&self, schema: &[u8], instance: &str) -> Verdict {
        let document = Document::new(Box::<[u8]>::from(instance.as_bytes()));
        match document.doc().root().filter(|_| document.doc().faults().syntax.is_none()) {
            Some(root) => self.check(schema, root),
            None => Verdict::NotJudged("the value is no JSON".to_owned()),
        }
    }
}

static NULL: LazyLock<serde_json::Value> = LazyLock::new(|| serde_json::Value::Null);

impl Compiled {
    fn new(bytes: &[u8]) -> Compiled {
        let mut facts = Facts::default();
        let mut schema = NULL.clone();
        if bytes.len() > MAX_SCHEMA_BYTES {
            facts.beyond = Some(format!("the schema has {} bytes; {MAX_SCHEMA_BYTES} are looked at", bytes.len()));
        } else {
            match serde_json::from_slice(bytes) {
                Ok(value) => {
                    schema = value;
                    facts = Facts::read(&schema);
                }
                Err(e) => facts.beyond = Some(format!("the schema cannot be represented: {e}")),
            }
        }
        let old = facts.dialect != Dialect::Draft202012 && facts.dialect != Dialect::Draft7;
        let quick = if old || facts.beyond.is_some() { None } else { quick::Quick::read(&schema) };
        Compiled { bytes: bytes.into(), facts, schema, quick, validator: OnceLock::new() }
    }

    /// What was counted in it.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Why it cannot be used, if it cannot.
    pub fn unusable(&self) -> Option<&Unusable> {
        self.validator().err()
    }

    fn validator(&self) -> Result<&Validator, &Unusable> {
        self.validator.get_or_init(|| self.compile()).as_ref()
    }

    fn compile(&self) -> Result<Validator, Unusable> {
        let not_judged = |why: String| Err(Unusable::NotJudged(why));
        let facts = &self.facts;
        if let Some(why) = &facts.beyond {
            return not_judged(why.clone());
        }
        if let Dialect::Unknown(name) = &facts.dialect {
            return not_judged(format!("the dialect {name} is not supported"));
        }
        if facts.depth > MAX_DEPTH {
            return not_judged(format!("the schema is {} levels deep; {MAX_DEPTH} are judged", facts.depth));
        }
        if facts.subschemas > MAX_SUBSCHEMAS {
            let n = facts.subschemas;
            return not_judged(format!("the schema has {n} subschemas; {MAX_SUBSCHEMAS} are judged"));
        }
        if let Some((_, target)) = facts.external.first() {
            return not_judged(format!("the schema refers to {}, which is not fetched", super::show::short(target)));
        }
        if facts.endless {
            return not_judged("a reference of the schema leads back to itself without end".to_owned());
        }
        if let Some((pointer, target)) = facts.unresolved.first() {
            let why = format!("the reference {} leads nowhere", super::show::quoted(target));
            return Err(Unusable::Invalid { pointer: pointer.clone(), why });
        }
        let draft = match facts.dialect {
            Dialect::Draft4 => Draft::Draft4,
            Dialect::Draft6 => Draft::Draft6,
            Dialect::Draft7 => Draft::Draft7,
            Dialect::Draft201909 => Draft::Draft201909,
            Dialect::Draft202012 | Dialect::Unknown(_) => Draft::Draft202012,
        };
        self.build(draft)
    }

    /// It names no dialect, and is right in draft-07, which was common before a default was fixed.
    pub fn fits_draft7(&self) -> bool {
        self.facts.declared.is_none() && self.build(Draft::Draft7).is_ok()
    }

    fn build(&self, draft: Draft) -> Result<Validator, Unusable> {
        jsonschema::options()
            .with_draft(draft)
            .offline()
            .should_validate_formats(false)
            .with_pattern_options(
                PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT).size_limit(PATTERN_BYTES),
            )
            .build(&self.schema)
            .map_err(|failure| match failure.kind() {
                // Which patterns are right depends on the engine: that one is refused here proves nothing.
                ValidationErrorKind::Format { .. } => {
                    let pattern = super::show::value_of(failure.instance());
                    Unusable::NotJudged(format!("the pattern {pattern} cannot be used here"))
                }
                ValidationErrorKind::Referencing(e) => {
                    Unusable::NotJudged(format!("a reference cannot be resolved: {e}"))
                }
                _ => {
                    let found = words::violation(&failure);
                    Unusable::Invalid {
                        pointer: found.pointer,
                        why: format!("expected {}, found {}", found.expected, found.actual),
                    }
                }
            })
    }

    /// Checks a value.
    pub fn check(&self, instance: Value<'_>) -> Verdict {
        if self.quick.as_ref().is_some_and(|q| q.is_valid(instance)) {
            return Verdict::Valid;
        }
        let validator = match self.validator() {
            Ok(validator) => validator,
            Err(Unusable::NotJudged(why)) => return Verdict::NotJudged(why.clone()),
            Err(Unusable::Invalid { pointer, .. }) => {
                return Verdict::NotJudged(format!("the schema itself is not valid at {}", or_root(pointer)));
            }
        };
        if instance.raw().len() > MAX_INSTANCE_BYTES {
            let n = instance.raw().len();
            return Verdict::NotJudged(format!("the value has {n} bytes; {MAX_INSTANCE_BYTES} are judged"));
        }
        if self.facts.compares_numbers && has_long_number(instance) {
            return Verdict::NotJudged("a number has more digits than can be compared here".to_owned());
        }
        let Some(value) = instance.to_serde() else {
            return Verdict::NotJudged(
                "the value cannot be represented (a number out of range, a lone surrogate)".to_owned(),
            );
        };
        if self.facts.risky && !work::affordable(&self.schema, &value) {
            return Verdict::NotJudged("a check of this value against this schema would take too long".to_owned());
        }
        if validator.is_valid(&value) {
            return Verdict::Valid;
        }
        let mut found = Vec::new();
        let mut undecided = false;
        for failure in validator.iter_errors(&value).take(MAX_VIOLATIONS) {
            if words::is_undecided(&failure) {
                undecided = true;
            } else {
                words::push(&failure, &mut found);
            }
        }
        found.truncate(MAX_VIOLATIONS);
        match (found.is_empty(), undecided) {
            (false, _) => Verdict::Invalid(found),
            (true, _) => Verdict::NotJudged("a pattern gave up before it decided".to_owned()),
        }
    }
}

fn or_root(pointer: &str) -> &str {
    if pointer.is_empty() { "its root" } else { pointer }
}

/// Whether some number cannot be compared exactly by 64-bit arithmetic.
fn has_long_number(root: Value<'_>) -> bool {
    let doc = root.doc();
    (root.node()..root.next_node()).filter_map(|n| doc.node(n)).filter(|v| v.is_number()).any(|v| {
        let raw = v.raw();
        raw.len() > 15
            && number::Decimal::read(raw).is_none_or(|d| match d.as_i128() {
                Some(n) => i64::try_from(n).is_err() && u64::try_from(n).is_err(),
                None => d.len() > 15,
            })
    })
}

#[cfg(test)]
mod tests;
