//! Values against shapes: a fast pass that only says yes or no, and a slow one that says what is wrong.

use std::borrow::Cow;
use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Fault;
use super::table::{Object, Table, Type, TypeId, Union, kinds};
use crate::wire::json::{Key, Kind, Value};

/// Does the value have the shape? Allocates nothing. The recursion is as deep as the tables, which hold no cycles.
pub(super) fn accepts(table: &Table, ty: TypeId, v: Value<'_>) -> bool {
    match table.get(ty) {
        Type::Any => true,
        Type::Kinds(mask) => is_kind(*mask, v),
        Type::Count => v.is_integer() && v.as_f64().is_some_and(|n| n >= 0.0),
        Type::Fraction => v.as_f64().is_some_and(|n| (0.0..=1.0).contains(&n)),
        Type::Enum(words) => words.iter().any(|w| v.str_eq(w)),
        Type::Array(of, max) => {
            v.is_array() && max.is_none_or(|max| v.len() <= max) && v.elements().all(|e| accepts(table, *of, e))
        }
        Type::Map(of) => v.is_object() && v.members().all(|(_, e)| accepts(table, *of, e)),
        Type::Object(o) => v.is_object() && accepts_object(table, o, v),
        Type::Union(u) if v.is_object() && !u.objects.is_empty() => {
            candidates(u, v).iter().any(|ty| accepts(table, *ty, v)) || others(table, u, v)
        }
        Type::Union(u) => others(table, u, v),
    }
}

fn others(table: &Table, u: &Union, v: Value<'_>) -> bool {
    u.others.iter().any(|ty| accepts(table, *ty, v))
}

fn accepts_object(table: &Table, o: &Object, v: Value<'_>) -> bool {
    let mut seen = 0u64;
    for (key, value) in v.members() {
        match position(o, key) {
            Some(i) => {
                seen |= 1 << i;
                if !accepts(table, o.members[i].ty, value) {
                    return false;
                }
            }
            None => {
                if o.rest.is_some_and(|rest| !accepts(table, rest, value)) {
                    return false;
                }
            }
        }
    }
    seen & o.required == o.required
}

/// Which member of the table a key is.
fn position(o: &Object, key: Key<'_>) -> Option<usize> {
    let inner = key.inner();
    let plain = o.members.iter().position(|m| m.name.as_bytes() == inner);
    // Hardly any key is written with escapes.
    plain.or_else(|| {
        memchr::memchr(b'\\', inner)?;
        o.members.iter().position(|m| key.eq(m.name))
    })
}

fn is_kind(mask: u8, v: Value<'_>) -> bool {
    match v.kind() {
        Kind::Null => mask & kinds::NULL != 0,
        Kind::Bool => mask & kinds::BOOL != 0,
        Kind::String => mask & kinds::STRING != 0,
        Kind::Array => mask & kinds::ARRAY != 0,
        Kind::Object => mask & kinds::OBJECT != 0,
        Kind::Number => mask & kinds::NUMBER != 0 || (mask & kinds::INTEGER != 0 && v.is_integer()),
    }
}

/// The objects of a union that the value may be, by its tag; all of them where there is no tag.
fn candidates<'t>(u: &'t Union, v: Value<'_>) -> &'t [TypeId] {
    let Some(tag) = &u.tag else { return &u.objects };
    match v.get(tag.key) {
        None => &tag.absent,
        Some(word) => tag.cases.iter().find(|(w, _)| word.str_eq(w)).map_or(&[], |(_, ids)| ids),
    }
}

/// What is wrong at one place.
#[derive(Clone)]
enum What {
    /// The value is not of this type.
    Type(TypeId),
    /// None of these members is there; one has to be.
    Missing(Vec<&'static str>),
    /// The member that tells the kinds of an object apart is not there, or none of these words.
    Tag(Vec<&'static str>, Option<&'static str>),
    /// More elements than this.
    TooMany(usize),
}

#[derive(Clone)]
struct Raw<'a> {
    at: Value<'a>,
    what: What,
}

/// What is wrong, the most telling first, at most `limit` faults. Empty also where only an earlier one of repeated keys
/// is wrong: the last one counts, as for most parsers.
pub(super) fn explain(table: &Table, ty: TypeId, v: Value<'_>, limit: usize) -> Vec<Fault> {
    let mut out = Vec::new();
    walk(table, ty, v, limit, &mut out);
    out.iter().map(|raw| raw.fault(table)).collect()
}

fn walk<'a>(table: &Table, ty: TypeId, v: Value<'a>, limit: usize, out: &mut Vec<Raw<'a>>) {
    if out.len() >= limit {
        return;
    }
    let wrong = |out: &mut Vec<Raw<'a>>| out.push(Raw { at: v, what: What::Type(ty) });
    match table.get(ty) {
        Type::Array(of, max) if v.is_array() => {
            if let Some(max) = max.filter(|max| v.len() > *max) {
                out.push(Raw { at: v, what: What::TooMany(max) });
            }
            v.elements().for_each(|e| walk(table, *of, e, limit, out));
        }
        Type::Map(of) if v.is_object() => {
            let repeated = Repeated::of(v);
            for (_, e) in v.members() {
                if repeated.counts(e) {
                    walk(table, *of, e, limit, out);
                }
            }
        }
        Type::Object(o) if v.is_object() => walk_object(table, o, v, limit, out),
        Type::Union(u) if v.is_object() && !u.objects.is_empty() => {
            if !others(table, u, v) {
                walk_union(table, u, v, limit, out);
            }
        }
        Type::Union(u) => {
            let array = |ty: &&TypeId| v.is_array() && matches!(table.get(**ty), Type::Array(..));
            match u.others.iter().find(array) {
                _ if others(table, u, v) => {}
                Some(ty) => walk(table, *ty, v, limit, out),
                None => wrong(out),
            }
        }
        _ if accepts(table, ty, v) => {}
        _ => wrong(out),
    }
}

/// Members whose key comes again later in the object: they do not count. Hardly any document has one, so nothing is
/// collected where the parser saw none.
struct Repeated(FxHashSet<u32>);

impl Repeated {
    fn of(object: Value<'_>) -> Repeated {
        let mut earlier = FxHashSet::default();
        if object.doc().faults().duplicate_key.is_some() {
            let mut last = FxHashMap::default();
            for (key, value) in object.members() {
                if let Some(before) = last.insert(key.as_str(), value.node()) {
                    earlier.insert(before);
                }
            }
        }
        Repeated(earlier)
    }

    fn counts(&self, value: Value<'_>) -> bool {
        self.0.is_empty() || !self.0.contains(&value.node())
    }
}

fn walk_object<'a>(table: &Table, o: &Object, v: Value<'a>, limit: usize, out: &mut Vec<Raw<'a>>) {
    for (i, m) in o.members.iter().enumerate() {
        if o.required & (1 << i) != 0 && v.get(m.name).is_none() && out.len() < limit {
            out.push(Raw { at: v, what: What::Missing(vec![m.name]) });
        }
    }
    let repeated = Repeated::of(v);
    for (key, value) in v.members() {
        let ty = position(o, key).map(|i| o.members[i].ty).or(o.rest);
        if let Some(ty) = ty
            && repeated.counts(value)
        {
            walk(table, ty, value, limit, out);
        }
    }
}

/// Of the objects that the value may be, tells what is wrong with the one that it is nearest to.
fn walk_union<'a>(table: &Table, u: &Union, v: Value<'a>, limit: usize, out: &mut Vec<Raw<'a>>) {
    let list = candidates(u, v);
    if list.is_empty() {
        let Some(tag) = &u.tag else { return };
        let words = tag.cases.iter().map(|(w, _)| *w).collect();
        let at = v.get(tag.key);
        let absent = at.is_none().then_some(tag.key);
        out.push(Raw { at: at.unwrap_or(v), what: What::Tag(words, absent) });
        return;
    }
    let mut best: Option<(usize, Vec<Raw<'a>>)> = None;
    let mut missing: Vec<&'static str> = Vec::new();
    for ty in list {
        let mut faults = Vec::new();
        walk(table, *ty, v, limit - out.len(), &mut faults);
        let Some(first) = faults.first() else { return };
        // The deeper the first fault, the more of it was right; what lacks a member here is perhaps another kind.
        let depth = match &first.what {
            What::Missing(names) if first.at.node() == v.node() => {
                names.iter().for_each(|n| {
                    if !missing.contains(n) {
                        missing.push(n);
                    }
                });
                0
            }
            _ => 1 + first.at.depth() - v.depth(),
        };
        if best.as_ref().is_none_or(|(d, _)| depth > *d) {
            best = Some((depth, faults));
        }
    }
    match best {
        Some((0, _)) => out.push(Raw { at: v, what: What::Missing(missing) }),
        Some((_, faults)) => out.extend(faults),
        None => {}
    }
}

impl Raw<'_> {
    fn fault(&self, table: &Table) -> Fault {
        let (expected, actual, missing): (Cow<'static, str>, String, _) = match &self.what {
            What::Type(ty) => (describe(table, *ty), actual(table, *ty, self.at), None),
            What::Missing(names) => {
                let names: Vec<String> = names.iter().map(|n| format!("\"{n}\"")).collect();
                let text = format!("a member {}", list(&names));
                (
                    text.into(),
                    "no such member".to_owned(),
                    match &self.what {
                        What::Missing(n) if n.len() == 1 => Some(n[0]),
                        _ => None,
                    },
                )
            }
            What::Tag(words, absent) => {
                let words: Vec<String> = words.iter().map(|w| format!("\"{w}\"")).collect();
                match absent {
                    Some(key) => {
                        let text = format!("a member \"{key}\" with {}", list(&words));
                        (text.into(), "no such member".to_owned(), Some(*key))
                    }
                    None => (list(&words).into(), excerpt(self.at), None),
                }
            }
            What::TooMany(max) => (format!("at most {max} elements").into(), self.at.len().to_string(), None),
        };
        Fault { pointer: self.at.pointer(), expected, actual, missing }
    }
}

fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn describe(table: &Table, ty: TypeId) -> Cow<'static, str> {
    match table.get(ty) {
        Type::Any => "any value".into(),
        Type::Kinds(mask) => {
            let names = [
                (kinds::STRING, "a string"),
                (kinds::NUMBER, "a number"),
                (kinds::INTEGER, "an integer"),
                (kinds::BOOL, "a boolean"),
                (kinds::OBJECT, "an object"),
                (kinds::ARRAY, "an array"),
                (kinds::NULL, "null"),
            ];
            let parts: Vec<String> = names
                .iter()
                .filter(|(k, _)| mask & k != 0 && !(*k == kinds::INTEGER && mask & kinds::NUMBER != 0))
                .map(|(_, n)| (*n).to_owned())
                .collect();
            list(&parts).into()
        }
        Type::Count => "an integer of at least 0".into(),
        Type::Fraction => "a number from 0 to 1".into(),
        Type::Enum(words) => list(&words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>()).into(),
        Type::Array(..) => "an array".into(),
        Type::Map(_) | Type::Object(_) => "an object".into(),
        Type::Union(u) => {
            let mut parts: Vec<String> = Vec::new();
            for ty in u.objects.iter().chain(&u.others) {
                let text = describe(table, *ty).into_owned();
                if !parts.contains(&text) {
                    parts.push(text);
                }
            }
            list(&parts).into()
        }
    }
}

/// What is there instead. The value itself only where its kind is right and it is short.
fn actual(table: &Table, ty: TypeId, v: Value<'_>) -> String {
    let wanted = match table.get(ty) {
        Type::Enum(_) => kinds::STRING,
        Type::Count | Type::Fraction => kinds::NUMBER,
        Type::Kinds(mask) if mask & kinds::INTEGER != 0 => kinds::NUMBER,
        _ => 0,
    };
    if is_kind(wanted, v) { excerpt(v) } else { kind_name(v).to_owned() }
}

fn kind_name(v: Value<'_>) -> &'static str {
    match v.kind() {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// A scalar as written, cut; else its kind. Hostile characters are the business of whoever prints it.
fn excerpt(v: Value<'_>) -> String {
    const MAX: usize = 40;
    if v.is_array() || v.is_object() {
        return kind_name(v).to_owned();
    }
    let raw = v.raw_str();
    let mut out = String::new();
    for c in raw.chars().take(MAX) {
        let _ = out.write_char(c);
    }
    if raw.chars().nth(MAX).is_some() {
        out.push('…');
    }
    out
}
