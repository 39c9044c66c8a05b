//! Lists of tools, prompts and resources as contracts: what a change means for those who use them.

use super::compare::Kind;
use crate::wire::json::Value;
use crate::wire::json::number;
use crate::wire::json::pointer::array_index;

/// What a change of a contract means.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Grade {
    /// Nothing but words for people.
    Cosmetic,
    /// Whoever got along before gets along now.
    Safe,
    /// A client that was right may be wrong now.
    Breaking,
}

impl Grade {
    /// The word in outputs.
    pub fn as_str(self) -> &'static str {
        match self {
            Grade::Cosmetic => "cosmetic",
            Grade::Safe => "safe",
            Grade::Breaking => "breaking",
        }
    }
}

/// A list that is a contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct List {
    /// The member of the result that holds it.
    pub member: &'static str,
    /// The member that tells its entries apart.
    pub identity: &'static str,
}

const LISTS: &[(&str, List)] = &[
    ("tools/list", List { member: "tools", identity: "name" }),
    ("prompts/list", List { member: "prompts", identity: "name" }),
    ("resources/list", List { member: "resources", identity: "uri" }),
    ("resources/templates/list", List { member: "resourceTemplates", identity: "uriTemplate" }),
];

impl List {
    /// The contract that a method lists.
    pub fn of(method: Option<&str>) -> Option<List> {
        LISTS.iter().find(|(m, _)| Some(*m) == method).map(|(_, list)| *list)
    }

    /// Whether a path leads to the list.
    pub fn is_at(self, path: &[String]) -> bool {
        matches!(path, [result, member] if result == "result" && member == self.member)
    }

    /// What a change below the list means; `None` outside of it.
    pub fn grade(
        self,
        path: &[String],
        kind: Kind,
        left: Option<Value<'_>>,
        right: Option<Value<'_>>,
    ) -> Option<Grade> {
        let [result, member, _, inside @ ..] = path else { return None };
        (result == "result" && member == self.member).then(|| entry(inside, kind, left, right))
    }
}

fn entry(path: &[String], kind: Kind, left: Option<Value<'_>>, right: Option<Value<'_>>) -> Grade {
    let is_true = |v: Option<Value<'_>>| v.and_then(Value::as_bool) == Some(true);
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => by_kind(kind, Grade::Safe, Grade::Breaking),
        ["inputSchema", rest @ ..] => schema(rest, kind, left, right, false),
        ["outputSchema"] => by_kind(kind, Grade::Safe, Grade::Breaking),
        ["outputSchema", rest @ ..] => schema(rest, kind, left, right, true),
        ["annotations", "readOnlyHint" | "idempotentHint"] if is_true(left) && !is_true(right) => Grade::Breaking,
        ["annotations", "destructiveHint" | "openWorldHint"] if !is_true(left) && is_true(right) => Grade::Breaking,
        // A prompt's arguments.
        ["arguments", _] => match kind {
            Kind::Added if !is_true(right.and_then(|a| a.get("required"))) => Grade::Safe,
            _ => Grade::Breaking,
        },
        ["arguments", _, "required"] => {
            if is_true(right) {
                Grade::Breaking
            } else {
                Grade::Safe
            }
        }
        ["mimeType" | "size", ..] => Grade::Safe,
        _ => Grade::Cosmetic,
    }
}

/// The grade of something that came, or that went or changed.
fn by_kind(kind: Kind, added: Grade, other: Grade) -> Grade {
    if kind == Kind::Added { added } else { other }
}

/// Changes of a schema by what they allow. What is narrower breaks those who send; what is wider breaks those who receive.
fn schema(path: &[&str], kind: Kind, left: Option<Value<'_>>, right: Option<Value<'_>>, output: bool) -> Grade {
    let narrower = if output { Grade::Safe } else { Grade::Breaking };
    let wider = if output { Grade::Breaking } else { Grade::Safe };
    let added = |yes: Grade, no: Grade| match kind {
        Kind::Added => yes,
        Kind::Removed => no,
        _ => Grade::Breaking,
    };
    if let [.., "properties" | "$defs" | "definitions" | "patternProperties", _] = path {
        return added(Grade::Safe, Grade::Breaking);
    }
    let (keyword, is_item) = match path {
        [.., keyword, last] if array_index(last).is_some() => (*keyword, true),
        [.., last] => (*last, false),
        [] => return Grade::Breaking,
    };
    let grows = || {
        let (l, r) = (left?, right?);
        Some(number::compare(r.raw(), l.raw())? == std::cmp::Ordering::Greater)
    };
    match keyword {
        "description" | "title" | "examples" | "$comment" | "$id" | "$schema" | "deprecated" | "default"
        | "x-mcp-header" => Grade::Cosmetic,
        "required" => added(narrower, wider),
        "enum" | "type" | "anyOf" | "oneOf" if is_item => added(wider, narrower),
        "type" if kind == Kind::Changed => match (left, right) {
            (Some(l), Some(r)) if is_wider(l, r) => wider,
            (Some(l), Some(r)) if is_wider(r, l) => narrower,
            _ => Grade::Breaking,
        },
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => match grows() {
            Some(true) => narrower,
            Some(false) => wider,
            None => added(narrower, wider),
        },
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => match grows() {
            Some(true) => wider,
            Some(false) => narrower,
            None => added(narrower, wider),
        },
        "additionalProperties" | "unevaluatedProperties" => {
            let closed = |v: Option<Value<'_>>| v.and_then(Value::as_bool) == Some(false);
            match (closed(left), closed(right)) {
                (true, false) => wider,
                (false, true) => narrower,
                (false, false) if left.is_none() || right.is_none() => added(narrower, wider),
                _ => Grade::Breaking,
            }
        }
        _ => added(narrower, wider),
    }
}

/// Whether the types of `b` hold all of `a` and more.
fn is_wider(a: Value<'_>, b: Value<'_>) -> bool {
    let types = |v: Value<'_>| -> Vec<String> {
        let own = v.as_str().map(|t| t.into_owned());
        own.into_iter().chain(v.elements().filter_map(|e| e.as_str().map(|t| t.into_owned()))).collect()
    };
    let (a, b) = (types(a), types(b));
    !a.is_empty() && a.iter().all(|t| b.contains(t) || (t == "integer" && b.iter().any(|t| t == "number")))
}
