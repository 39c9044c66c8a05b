//! Arguments against `inputSchema`, before they are sent.

use jsonschema::PatternOptions;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::bounds;

/// One thing that is wrong with the arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Where, as a JSON pointer (RFC 6901) into the arguments; empty for the arguments as a whole.
    pub pointer: String,
    /// What, in one sentence without the value itself where it may be large.
    pub message: String,
}

/// Why nothing can be said about the arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unjudged {
    /// The schema is no JSON.
    Syntax(String),
    /// The schema is not valid in its dialect, has an unknown one, or refers to a network address.
    Schema(String),
    /// Following all references would take too long.
    TooComplex,
}

impl std::fmt::Display for Unjudged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unjudged::Syntax(why) => write!(f, "the schema is not valid JSON: {why}"),
            Unjudged::Schema(why) => write!(f, "the schema cannot be used: {why}"),
            Unjudged::TooComplex => f.write_str("the schema is too complex"),
        }
    }
}

/// At most this many violations are collected: nobody reads more, and each costs time.
const MAX_VIOLATIONS: usize = 50;

/// Checks the text of arguments against the text of a schema. Nothing is fetched from anywhere.
///
/// # Errors
/// [`Unjudged`] if the schema cannot be used; the arguments are neither right nor wrong then.
pub fn check(schema: &str, arguments: &str) -> Result<Vec<Violation>, Unjudged> {
    let instance: Value = match serde_json::from_str(arguments) {
        Ok(instance) => instance,
        Err(failure) => {
            return Ok(vec![Violation { pointer: String::new(), message: format!("not valid JSON: {failure}") }]);
        }
    };
    let schema: Value = serde_json::from_str(schema).map_err(|failure| Unjudged::Syntax(failure.to_string()))?;
    if !bounds::affordable(&schema) {
        return Err(Unjudged::TooComplex);
    }
    let validator = jsonschema::options()
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(10_000).size_limit(1 << 20))
        .build(&schema)
        .map_err(|failure| Unjudged::Schema(failure.masked_with("value").to_string()))?;
    if validator.is_valid(&instance) {
        return Ok(Vec::new());
    }
    let violations = validator
        .iter_errors(&instance)
        // A pattern that gave up has not decided anything.
        .filter(|failure| !matches!(failure.kind(), ValidationErrorKind::BacktrackLimitExceeded { .. }))
        .take(MAX_VIOLATIONS)
        .map(|failure| Violation { pointer: failure.instance_path().as_str().to_owned(), message: short(&failure) })
        .collect();
    Ok(violations)
}

/// As [`check`], for callers that treat "cannot be judged" as "nothing to complain about".
pub fn validate(schema: &str, arguments: &str) -> Vec<Violation> {
    check(schema, arguments).unwrap_or_default()
}

fn short(failure: &jsonschema::ValidationError<'_>) -> String {
    let full = failure.to_string();
    if full.len() <= 200 { full } else { failure.masked_with("the value").to_string() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SCHEMA: &str = r#"{"type":"object","properties":{"unit":{"enum":["c","f"]},"days":{"type":"integer"},
        "place":{"type":"object","properties":{"lat":{"type":"number"}},"required":["lat"]}},"required":["unit"]}"#;

    #[test]
    fn each_violation_has_its_place() {
        let found = validate(SCHEMA, r#"{"unit":"k","days":"2","place":{}}"#);
        let mut places: Vec<&str> = found.iter().map(|violation| violation.pointer.as_str()).collect();
        places.sort_unstable();
        assert_eq!(places, ["/days", "/place", "/unit"]);
        assert_eq!(validate(SCHEMA, "{}")[0].pointer, "");
        assert!(validate(SCHEMA, r#"{"unit":"c"}"#).is_empty());
    }

    #[test]
    fn text_that_is_no_json_is_a_violation_and_a_bad_schema_is_none() {
        assert!(validate(SCHEMA, "{unit:1}")[0].message.contains("not valid JSON"));
        assert!(matches!(check(r#"{"type":"strin"}"#, "{}"), Err(Unjudged::Schema(_))));
        assert!(matches!(check(r#"{"$ref":"https://example.com/x.json"}"#, "{}"), Err(Unjudged::Schema(_))));
        assert!(matches!(check("{", "{}"), Err(Unjudged::Syntax(_))));
    }
}
