//! Which finding replaces which on the same message. Data, not code in the checks.

/// "The first replaces all of the second, pinned to the same record."
pub static REPLACES: &[(&str, &[&str])] = &[
    ("notification-answered", &["error-without-id", "error-id-lost", "response-id-missing", "response-unknown-id"]),
    ("error-code-retired", &["error-code-legacy-range"]),
    ("server-request-in-modern", &["method-wrong-direction", "method-not-in-revision", "response-unknown-id"]),
    ("client-response-in-modern", &["method-wrong-direction", "method-not-in-revision", "response-unknown-id"]),
    ("message-after-cancel", &["response-unknown-id"]),
    ("lsp-framing", &["stdio-noise", "json-syntax", "truncated-at-eof", "envelope-unrecognised", "json-trailing-data"]),
    ("json-embedded-newline", &["stdio-noise", "json-syntax", "truncated-at-eof", "envelope-unrecognised"]),
    ("json-trailing-data", &["stdio-noise", "json-syntax", "truncated-at-eof", "envelope-unrecognised"]),
    ("subscription-before-ack", &["subscription-id-missing"]),
    ("change-without-subscription", &["subscription-id-missing"]),
    ("era-fallback-after-modern-error", &["init-on-modern-connection"]),
    ("input-retry-same-id", &["id-reused-in-session"]),
    ("tool-unknown-as-tool-error", &["tool-is-error"]),
    ("tool-arguments-not-object", &["tool-arguments-schema"]),
    ("task-not-negotiated", &["result-type-unknown"]),
    ("capability-server-undeclared", &["capability-declared-not-served"]),
    ("cursor-loop", &["tool-name-duplicate"]),
    ("response-both", &["error-shape"]),
    ("sse-event-invalid", &["jsonrpc-version", "json-syntax", "envelope-unrecognised"]),
    ("access-login-page", &["json-syntax"]),
    ("http-content-type-response", &["json-syntax"]),
    (
        "http-redirect-followed-by-get",
        &[
            "http-accept",
            "http-get-status",
            "http-version-header-missing",
            "http-session-missing",
            "access-token-dropped",
            "http-get-in-modern",
        ],
    ),
    ("http-session-demanded", &["error-code-legacy-range"]),
    ("http-header-refusal-code", &["error-code-legacy-range"]),
    ("error-id-lost", &["error-without-id"]),
];

/// Rules that replace everything else on the line that they are pinned to: nothing of it could be read.
pub static REPLACE_ALL: &[&str] = &["json-syntax", "stdio-noise"];

/// The general rules, which stay silent on a message that a more specific error of these layers already explains.
pub static GENERAL: &[&str] = &["params-invalid", "result-invalid"];

/// Findings that say nothing about the shape of a message: a general rule is not silent because of them.
pub static BESIDE: &[&str] = &[
    "capability-server-undeclared",
    "capability-unannounced-notification",
    "deprecated-include-context",
    "deprecated-logging",
    "deprecated-roots",
    "deprecated-sampling",
    "init-request-before-response",
    "init-server-request-early",
    "initialized-missing",
    "version-not-supported",
    "version-unknown",
];

/// Whether a finding of rule `a` replaces one of rule `b` on the same record.
pub fn replaces(a: &str, b: &str) -> bool {
    a != b
        && (REPLACES.iter().any(|(winner, losers)| *winner == a && losers.contains(&b))
            || (REPLACE_ALL.contains(&a)
                && !REPLACES.iter().any(|(winner, losers)| *winner == b && losers.contains(&a))))
}
