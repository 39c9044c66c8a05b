//! What a rule needs of the source of a trace, beyond the messages themselves. A rule whose need is not met is left out
//! and listed as not judged.

use super::rule::{On, Rule, Wire};
use crate::trace::{Layer, Missing};

/// Rules about time.
const TIME: &[&str] =
    &["request-slow", "request-abandoned", "stderr-at-failure", "cache-stale-list-used", "input-never-retried"];

/// Rules about bytes that are not in the JSON layer.
const BYTES: &[&str] = &[
    "stdio-noise",
    "json-embedded-newline",
    "json-trailing-data",
    "lsp-framing",
    "truncated-at-eof",
    "batch-malformed",
];

/// Rules of the JSON layer that a message that was written again shows as well.
const NO_BYTES: &[&str] = &["json-too-deep", "message-oversize"];

/// Rules about who sent a message.
const DIRECTION: &[&str] =
    &["method-wrong-direction", "server-request-in-modern", "client-response-in-modern", "cancel-by-server"];

/// Rules about answers, or about what should have come before or after.
const ANSWERS: &[&str] = &[
    "response-unknown-id",
    "pagination-incomplete",
    "init-request-before-response",
    "subscription-not-acknowledged",
    "initialized-missing",
    "cancel-unknown-request",
    "progress-unknown-token",
];

/// Rules that hold for an outline of a message.
const OUTLINE: &[&str] = &[
    "request-unanswered",
    "request-slow",
    "request-abandoned",
    "response-unknown-id",
    "response-duplicate",
    "id-reused-in-flight",
    "id-reused-in-session",
    "tool-is-error",
    "method-unknown",
    "method-wrong-direction",
];

/// Why a rule cannot be judged on a source that lacks this; `None` if it can.
pub fn unmet(rule: &Rule, missing: Missing) -> Option<&'static str> {
    let listed = |list: &[&str]| list.contains(&rule.id);
    if missing.any(Missing::BODIES) && !listed(OUTLINE) {
        return Some("the source holds outlines of messages, not their bodies");
    }
    if missing.any(Missing::BYTES) && (listed(BYTES) || (rule.layer == Layer::Json && !listed(NO_BYTES))) {
        return Some("the source does not hold the bytes of the wire");
    }
    if missing.any(Missing::TIME) && listed(TIME) {
        return Some("the source holds no times");
    }
    if missing.any(Missing::DIRECTION) && listed(DIRECTION) {
        return Some("the source does not say who sent a message");
    }
    if missing.any(Missing::HTTP) && (listed(NOT_HTTP) || rule.wire == Wire::Http) {
        return Some("the source does not hold the HTTP heads");
    }
    let waits = || rule.hooks.iter().any(|on| matches!(on, On::Unanswered(_)));
    if missing.any(Missing::ANSWERS) && (listed(ANSWERS) || waits()) {
        return Some("the source holds one direction only");
    }
    None
}

/// Rules of stdio that do not hold where the traffic went over HTTP.
const NOT_HTTP: &[&str] = &["stdio-noise", "stdio-server-exited", "spawn-failed", "initialized-missing"];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_rule_that_is_named_exists() {
        for id in [TIME, BYTES, NO_BYTES, DIRECTION, ANSWERS, OUTLINE, NOT_HTTP].concat() {
            assert!(crate::rules::find(id).is_some(), "{id}");
        }
    }

    #[test]
    fn what_is_missing_decides() {
        let rule = crate::rules::find("json-duplicate-key").unwrap();
        assert_eq!(unmet(rule, Missing::NONE), None);
        assert_eq!(unmet(rule, Missing::TIME), None);
        assert!(unmet(rule, Missing::BYTES | Missing::TIME).unwrap().contains("bytes"));
        let rule = crate::rules::find("request-unanswered").unwrap();
        assert!(unmet(rule, Missing::ANSWERS).is_some());
        assert_eq!(unmet(rule, Missing::BODIES), None);
    }
}
