//! Violations in words: where, what would be right, what is there. Values are cut, secrets are not shown.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use crate::rules::show;
use crate::wire::json::pointer;

/// One thing that is wrong with a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Where, as a JSON pointer into the value; of a missing member its own pointer.
    pub pointer: String,
    /// The keyword of the schema that fails.
    pub keyword: String,
    /// What would be right.
    pub expected: String,
    /// What is there.
    pub actual: String,
    /// The value is a string that holds JSON, where something else is wanted: what that JSON is.
    pub quoted: Option<&'static str>,
}

/// The failure decides nothing: a pattern gave up, or floating-point numbers were divided.
pub(super) fn is_undecided(failure: &ValidationError<'_>) -> bool {
    match failure.kind() {
        ValidationErrorKind::BacktrackLimitExceeded { .. } | ValidationErrorKind::RegexEngineFailure { .. } => true,
        ValidationErrorKind::MultipleOf { multiple_of } => multiple_of.fract() != 0.0,
        ValidationErrorKind::PropertyNames { error } => is_undecided(error),
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            context.iter().any(|errors| errors.iter().any(is_undecided))
        }
        // What failed inside of `not` is not told.
        ValidationErrorKind::Not { schema } => schema.to_string().contains("\"pattern"),
        _ => false,
    }
}

/// Adds what a failure says. Extra members are one violation each.
pub(super) fn push(failure: &ValidationError<'_>, out: &mut Vec<Violation>) {
    let unexpected = match failure.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => unexpected,
        _ => {
            out.push(violation(failure));
            return;
        }
    };
    for name in unexpected.iter().take(10) {
        let mut at = failure.instance_path().as_str().to_owned();
        pointer::push(&mut at, name);
        let actual = failure.instance().get(name).map_or_else(|| show::quoted(name), |v| shown(v, Some(name)));
        out.push(Violation {
            pointer: at,
            keyword: failure.kind().keyword().to_owned(),
            expected: "no such member".to_owned(),
            actual,
            quoted: None,
        });
    }
}

/// What a failure says.
pub(super) fn violation(failure: &ValidationError<'_>) -> Violation {
    let instance = failure.instance();
    let mut at = failure.instance_path().as_str().to_owned();
    let key = at.rsplit('/').next().map(str::to_owned);
    let mut actual = shown(instance, key.as_deref());
    match failure.kind() {
        ValidationErrorKind::Required { property } => {
            if let Some(name) = property.as_str() {
                pointer::push(&mut at, name);
            }
            actual = "missing".to_owned();
        }
        ValidationErrorKind::Type { .. } if !matches!(instance.as_ref(), Value::Null) => {
            actual = format!("{} {actual}", type_name(instance));
        }
        ValidationErrorKind::MinItems { .. } | ValidationErrorKind::MaxItems { .. } => {
            actual = format!("{} elements", instance.as_array().map_or(0, Vec::len));
        }
        ValidationErrorKind::MinLength { .. } | ValidationErrorKind::MaxLength { .. } => {
            actual = format!("{} characters", instance.as_str().map_or(0, |s| s.chars().count()));
        }
        _ => {}
    }
    Violation {
        pointer: at,
        keyword: failure.kind().keyword().to_owned(),
        expected: expected(failure.kind(), 0),
        actual,
        quoted: quoted(failure.kind(), instance),
    }
}

/// A string that holds JSON of the wanted type.
fn quoted(kind: &ValidationErrorKind, instance: &Value) -> Option<&'static str> {
    let text = instance.as_str()?.trim();
    if text.len() > 100_000 || !matches!(kind, ValidationErrorKind::Type { .. } | ValidationErrorKind::AnyOf { .. }) {
        return None;
    }
    let wanted = expected(kind, 0);
    let value: Value = serde_json::from_str(text).ok()?;
    let name = type_name(&value);
    let fits = wanted.split([' ', ',']).any(|w| w == name || w == "number" && name == "integer");
    fits.then_some(name)
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_i64() || n.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// A value, cut; a secret is not shown.
fn shown(value: &Value, key: Option<&str>) -> String {
    match value {
        Value::String(text) if crate::wire::secrets::find(text, key).is_some() => "a secret (not shown)".to_owned(),
        Value::Array(list) => format!("array of {}", list.len()),
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let names: Vec<&str> = map.keys().take(8).map(String::as_str).collect();
            show::short(&format!("object with {}", names.join(", ")))
        }
        value => show::short(&value.to_string()),
    }
}

fn expected(kind: &ValidationErrorKind, level: usize) -> String {
    use ValidationErrorKind as K;
    match kind {
        K::Type { kind: TypeKind::Single(t) } => t.to_string(),
        K::Type { kind: TypeKind::Multiple(set) } => {
            let names: Vec<String> = set.iter().map(|t| t.to_string()).collect();
            names.join(" or ")
        }
        K::Required { .. } => "the required member".to_owned(),
        K::AdditionalProperties { .. } | K::UnevaluatedProperties { .. } => "no other members".to_owned(),
        K::AdditionalItems { limit } => format!("at most {limit} elements"),
        K::UnevaluatedItems { .. } => "no other elements".to_owned(),
        K::Enum { options } => match options.as_ref() {
            Value::Array(list) => {
                let all: Vec<String> = list.iter().take(12).map(ToString::to_string).collect();
                show::short(&format!("one of {}", all.join(", ")))
            }
            other => show::short(&other.to_string()),
        },
        K::Constant { expected_value } => show::short(&expected_value.to_string()),
        K::Minimum { limit } => format!("at least {limit}"),
        K::Maximum { limit } => format!("at most {limit}"),
        K::ExclusiveMinimum { limit } => format!("more than {limit}"),
        K::ExclusiveMaximum { limit } => format!("less than {limit}"),
        K::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        K::MinItems { limit } => format!("at least {limit} elements"),
        K::MaxItems { limit } => format!("at most {limit} elements"),
        K::MinLength { limit } => format!("at least {limit} characters"),
        K::MaxLength { limit } => format!("at most {limit} characters"),
        K::MinProperties { limit } => format!("at least {limit} members"),
        K::MaxProperties { limit } => format!("at most {limit} members"),
        K::UniqueItems => "no element twice".to_owned(),
        K::Contains => "an element that fits contains".to_owned(),
        K::Pattern { pattern } => show::short(&format!("text that matches {pattern}")),
        K::Format { format } => format!("the format {format}"),
        K::FalseSchema => "nothing".to_owned(),
        K::Not { .. } => "a value that does not fit the schema in not".to_owned(),
        K::PropertyNames { error } if level < 3 => format!("names: {}", expected(error.kind(), level + 1)),
        K::OneOfMultipleValid { .. } => "a value that fits exactly one of the alternatives".to_owned(),
        K::AnyOf { context } | K::OneOfNotValid { context } if level < 3 => alternatives(context, level),
        other => other.keyword().to_owned(),
    }
}

/// What each alternative wanted, where that is short enough to read.
fn alternatives(context: &[Vec<ValidationError<'static>>], level: usize) -> String {
    let mut wanted: Vec<String> = Vec::new();
    for errors in context.iter().take(6) {
        let Some(first) = errors.first() else { continue };
        let place = first.instance_path().as_str();
        let text = match first.kind() {
            ValidationErrorKind::Required { property } => format!("a member {property}"),
            kind if errors.len() == 1 && level < 2 => expected(kind, level + 1),
            kind => kind.keyword().to_owned(),
        };
        let text = if place.is_empty() { text } else { format!("{text} at {place}") };
        if !wanted.contains(&text) {
            wanted.push(text);
        }
    }
    if wanted.is_empty() || context.len() > 6 {
        return format!("a value that fits one of {} alternatives", context.len());
    }
    show::short(&wanted.join(" or "))
}
