#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use super::*;

fn check(schema: &str, value: &str) -> Verdict {
    Schemas::new().check_text(schema.as_bytes(), value)
}

/// Pointer, keyword, expected, actual of each violation.
fn violations(schema: &str, value: &str) -> Vec<(String, String, String, String)> {
    match check(schema, value) {
        Verdict::Invalid(all) => all.into_iter().map(|v| (v.pointer, v.keyword, v.expected, v.actual)).collect(),
        other => panic!("{other:?}"),
    }
}

fn why(schema: &str, value: &str) -> String {
    match check(schema, value) {
        Verdict::NotJudged(why) => why,
        other => panic!("{other:?}"),
    }
}

const SCHEMA: &str = r#"{"type":"object","properties":{"unit":{"enum":["c","f"]},"days":{"type":"integer","minimum":1},
    "place":{"type":"object","properties":{"lat":{"type":"number"}},"required":["lat"]},"password":{"type":"integer"}},
    "required":["unit"],"additionalProperties":false}"#;

#[test]
fn violations_say_where_and_what() {
    let found = violations(SCHEMA, r#"{"unit":"k","days":"2","place":{},"more":true}"#);
    let t = |a: &str, b: &str, c: &str, d: &str| (a.to_owned(), b.to_owned(), c.to_owned(), d.to_owned());
    for want in [
        t("/unit", "enum", "one of \"c\", \"f\"", "\"k\""),
        t("/days", "type", "integer", "string \"2\""),
        t("/place/lat", "required", "the required member", "missing"),
        t("/more", "additionalProperties", "no such member", "true"),
    ] {
        assert!(found.contains(&want), "{want:?} in {found:?}");
    }
    assert_eq!(found.len(), 4);
    assert_eq!(check(SCHEMA, r#"{"unit":"c","days":2.0}"#), Verdict::Valid);
    let secret = violations(SCHEMA, r#"{"unit":"c","password":"hunter2"}"#);
    assert!(!format!("{secret:?}").contains("hunter2"), "{secret:?}");
}

#[test]
fn strings_that_hold_json_are_told() {
    let of = |value: &str| match check(r#"{"properties":{"a":{"type":"object"},"n":{"type":"number"}}}"#, value) {
        Verdict::Invalid(all) => all[0].quoted,
        other => panic!("{other:?}"),
    };
    assert_eq!(of(r#"{"a":"{\"b\":1}"}"#), Some("object"));
    assert_eq!(of(r#"{"n":"12"}"#), Some("integer"));
    assert_eq!(of(r#"{"a":"[1]"}"#), None);
}

#[test]
fn dialects() {
    let old = r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}"#;
    assert_eq!(check(old, r#"["a"]"#), Verdict::Valid);
    assert!(matches!(check(old, "[1]"), Verdict::Invalid(_)));
    assert!(why(r#"{"items":[{"type":"string"}]}"#, "[]").contains("not valid at /items"));
    assert!(why(r#"{"$schema":"https://example.com/v9"}"#, "{}").contains("example.com/v9"));
    let d4 = r#"{"$schema":"http://json-schema.org/draft-04/schema","properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}"#;
    assert!(matches!(check(d4, r#"{"a":1}"#), Verdict::Invalid(_)));
}

#[test]
fn broken_schemas_and_references() {
    let of = |schema: &str| Schemas::new().get(schema.as_bytes()).unusable().cloned();
    for (schema, at) in [
        (r#"{"properties":{"a":{"type":"int"}}}"#, "/properties/a/type"),
        (r#"{"properties":{"a":{"required":true}}}"#, "/properties/a/required"),
        (r##"{"properties":{"a":{"$ref":"#/$defs/none"}}}"##, "/properties/a/$ref"),
    ] {
        match of(schema) {
            Some(Unusable::Invalid { pointer, .. }) => assert_eq!(pointer, at),
            other => panic!("{schema}: {other:?}"),
        }
    }
    for good in [
        r##"{"$defs":{"a b":{"type":"integer"}},"properties":{"a":{"$ref":"#/$defs/a%20b"}}}"##,
        r##"{"$id":"https://example.com/s","$defs":{"n":{"$anchor":"n","type":"integer"}},"properties":{"a":{"$ref":"#n"}}}"##,
        r##"{"$defs":{"n":{"$id":"https://example.com/n.json","type":"integer"}},"properties":{"a":{"$ref":"https://example.com/n.json"}}}"##,
        r##"{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#"}}}}"##,
    ] {
        assert_eq!(of(good), None, "{good}");
    }
    let outside = Schemas::new().get(br#"{"properties":{"a":{"$ref":"https://example.com/n.json#/x"}}}"#);
    assert_eq!(outside.facts().external[0].0, "/properties/a/$ref");
    assert!(matches!(outside.unusable(), Some(Unusable::NotJudged(w)) if w.contains("not fetched")));
    for endless in [r##"{"$ref":"#"}"##, r##"{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#"}]}}}"##]
    {
        assert!(why(endless, "{}").contains("without end"), "{endless}");
    }
}

#[test]
fn numbers_beyond_64_bits_are_not_compared() {
    assert_eq!(check(r#"{"type":"integer"}"#, "12345678901234567890123"), Verdict::Valid);
    assert!(why(r#"{"const":12345678901234567890123}"#, "12345678901234567890124").contains("digits"));
    assert!(why(r#"{"not":{"type":"string"}}"#, "1e400").contains("represented"));
    assert!(why(r#"{"type":"string","minLength":0}"#, r#""\ud800""#).contains("represented"));
    assert_eq!(check(r#"{"multipleOf":0.01}"#, "19.99"), Verdict::Valid);
    assert_eq!(check(r#"{"maximum":9223372036854775807}"#, "9223372036854775807"), Verdict::Valid);
    assert!(matches!(check(r#"{"maximum":18446744073709551614}"#, "18446744073709551615"), Verdict::Invalid(_)));
}

/// Each of these takes from minutes to ages without the bounds.
#[test]
fn hostile_schemas_cost_nothing() {
    let mut defs = String::new();
    for level in 0..40 {
        let next = level + 1;
        defs += &format!(r##""d{level}":{{"allOf":[{{"$ref":"#/$defs/d{next}"}},{{"$ref":"#/$defs/d{next}"}}]}},"##);
    }
    let doubled = format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{defs}"d40":{{"type":"object"}}}}}}"##);
    let tree = r##"{"anyOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}},{"required":["z"],"properties":{"a":{"$ref":"#"}}}],"not":{"required":["a"],"properties":{"a":{"$ref":"#"}}}}"##;
    let deep = format!("{}1{}", r#"{"a":"#.repeat(100), "}".repeat(100));
    let pattern = r#"{"items":{"type":"string","pattern":"^(?=(a+)+$)(a|aa)+b"}}"#;
    let many = format!("[{}]", vec![format!("\"{}\"", "a".repeat(60)); 3000].join(","));
    let big_enum =
        format!(r#"{{"items":{{"enum":[{}]}}}}"#, (0..50_000).map(|n| n.to_string()).collect::<Vec<_>>().join(","));
    let numbers = format!("[{}]", vec!["-1"; 50_000].join(","));
    let nested = format!("{}{}{}", r#"{"items":"#.repeat(110), "{}", "}".repeat(110));
    let wide = format!(r#"{{"allOf":[{}]}}"#, vec!["{}"; 20_000].join(","));
    let huge = format!(r#"{{"description":"{}"}}"#, "x".repeat(MAX_SCHEMA_BYTES));
    for (schema, value) in [
        (doubled.as_str(), "{}"),
        (tree, deep.as_str()),
        (pattern, many.as_str()),
        (big_enum.as_str(), numbers.as_str()),
        (nested.as_str(), "[]"),
        (wide.as_str(), "{}"),
        (huge.as_str(), "{}"),
    ] {
        let start = Instant::now();
        let said = why(schema, value);
        assert!(start.elapsed() < Duration::from_secs(3), "{said}: {:?}", start.elapsed());
    }
    assert!(why(r#"{"pattern":"^((a|aa)+)\\1b$"}"#, &format!("\"{}\"", "a".repeat(60))).contains("gave up"));
}

#[test]
fn ordinary_recursion_and_unions_are_judged() {
    let tree =
        r##"{"type":"object","properties":{"v":{"type":"integer"},"children":{"type":"array","items":{"$ref":"#"}}}}"##;
    assert_eq!(check(tree, r#"{"v":1,"children":[{"v":2,"children":[{"v":3}]}]}"#), Verdict::Valid);
    assert_eq!(violations(tree, r#"{"children":[{"children":[{"v":"x"}]}]}"#)[0].0, "/children/0/children/0/v");
    let union = r##"{"$defs":{"e":{"anyOf":[{"type":"integer"},{"type":"object","required":["op","l","r"],
        "properties":{"op":{"enum":["+","-"]},"l":{"$ref":"#/$defs/e"},"r":{"$ref":"#/$defs/e"}}}]}},"$ref":"#/$defs/e"}"##;
    assert_eq!(
        check(union, r#"{"op":"+","l":{"op":"-","l":1,"r":2},"r":{"op":"+","l":{"op":"+","l":1,"r":1},"r":3}}"#),
        Verdict::Valid
    );
    assert!(matches!(check(union, r#"{"op":"+","l":"1","r":2}"#), Verdict::Invalid(_)));
}

#[test]
fn the_cache_is_bounded_and_compares_bytes() {
    let schemas = Schemas::new();
    let mut buffer = *br#"{"type":"string"}"#;
    assert!(matches!(schemas.check_text(&buffer, "1"), Verdict::Invalid(_)));
    buffer[9..15].copy_from_slice(b"number");
    assert_eq!(schemas.check_text(&buffer, "1"), Verdict::Valid);
    for n in 0..3 * MAX_KEPT {
        schemas.get(format!(r#"{{"title":"{n}"}}"#).as_bytes());
    }
    let kept = schemas.kept.lock().unwrap();
    assert!(kept.by_bytes.len() <= MAX_KEPT && kept.by_place.len() <= 2 * MAX_KEPT);
}
