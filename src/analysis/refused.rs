//! "Refused because": the likeliest reason for which a request was refused or failed, as far as the wire tells.

use crate::mcp::{Method, errors};
use crate::trace::{Outcome, Store};

/// Rules that name a reason for a refusal, in the order in which a server meets them: who may ask, the HTTP head, the
/// text, the envelope, the version, `_meta`, the life of the session, the method, its params, the tool's own schema.
const REASONS: &[&str] = &[
    "access-refused",
    "access-login-page",
    "access-token-dropped",
    "access-refusal-in-jsonrpc-error",
    "access-refusal-in-tool-result",
    "user-declined",
    "http-redirect",
    "http-redirect-followed-by-get",
    "http-session-expired-reused",
    "http-session-missing",
    "http-session-demanded",
    "http-accept",
    "http-content-type-request",
    "http-version-header-missing",
    "http-version-header-mismatch",
    "http-method-header",
    "http-name-header",
    "http-header-encoding",
    "http-param-header",
    "json-bom",
    "json-not-utf8",
    "json-syntax",
    "json-nan-literal",
    "json-trailing-data",
    "json-embedded-newline",
    "lsp-framing",
    "batch-not-allowed",
    "batch-refused",
    "batch-malformed",
    "jsonrpc-version",
    "id-null",
    "id-wrong-type",
    "id-reused-in-flight",
    "id-reused-in-session",
    "params-not-object",
    "version-wrong-era",
    "version-not-supported",
    "version-unknown",
    "meta-missing",
    "meta-missing-protocol-version",
    "meta-missing-client-capabilities",
    "meta-wrong-type",
    "meta-key-invalid",
    "init-not-first",
    "init-refused",
    "init-rejected-without-versions",
    "init-request-before-response",
    "method-wrong-direction",
    "method-not-in-revision",
    "method-unknown",
    "capability-server-undeclared",
    "capability-client-undeclared",
    "input-retry-missing-responses",
    "input-retry-same-id",
    "input-retry-state",
    "input-retry-params-changed",
    "input-response-shape",
    "cursor-invented",
    "tool-unknown",
    "tool-unknown-as-tool-error",
    "tool-arguments-not-object",
    "tool-arguments-schema",
    "prompt-call-invalid",
    "task-augment-not-allowed",
    "params-invalid",
    "resource-not-found-code",
    "protocol-error-for-bad-arguments",
    "http-header-refused-wrongly",
    "parse-error-for-valid-json",
    "tool-refused-although-valid",
    "tool-failure-as-protocol-error",
];

/// Whether a rule may name the reason for a refusal.
pub(super) fn is_reason(rule: &str) -> bool {
    REASONS.contains(&rule)
}

/// What the server said, where the caller has read it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said<'a> {
    /// `error.code`.
    pub code: Option<i64>,
    /// `error.message`.
    pub message: Option<&'a str>,
}

/// Whether somebody may ask why.
pub fn is_refused(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::ProtocolError | Outcome::ToolError | Outcome::Refused)
}

/// The findings that may be the reason, the likeliest first (indices).
pub fn reasons(store: &Store, exchange: u32) -> Vec<u32> {
    let Some(e) = store.exchanges.get(exchange as usize) else { return Vec::new() };
    if !is_refused(e.outcome) {
        return Vec::new();
    }
    let mut found: Vec<(usize, u32)> = store
        .findings_of_exchange(exchange)
        .into_iter()
        .filter_map(|i| {
            let rule = store.finding(i)?.rule;
            Some((REASONS.iter().position(|r| *r == rule)?, i))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, i)| i).collect()
}

/// The likeliest reason in one line, without knowing what the server said. `None` where nothing was refused, or the wire
/// shows no reason.
pub fn refused_because(store: &Store, exchange: u32) -> Option<String> {
    refused_because_of(store, exchange, Said::default())
}

/// The same, with the server's own words for where the rules have no reason.
pub fn refused_because_of(store: &Store, exchange: u32, said: Said<'_>) -> Option<String> {
    let reasons = reasons(store, exchange);
    if let Some(finding) = reasons.first().and_then(|i| store.finding(*i)) {
        let mut text = finding.message.to_string();
        match &finding.pointer {
            Some(pointer) if !pointer.is_empty() && !text.contains(pointer.as_ref()) => {
                text.push_str(&format!(" (at {pointer})"));
            }
            _ => {}
        }
        if let Some(expected) = finding.expected.as_deref().filter(|e| !text.contains(e)) {
            text.push_str(&format!("; expected {expected}"));
        }
        if reasons.len() > 1 {
            text.push_str(&format!(" (and {} more)", reasons.len() - 1));
        }
        return Some(text);
    }
    let e = store.exchanges.get(exchange as usize)?;
    match e.outcome {
        Outcome::Refused => {
            let status = store.http.get(&e.response)?.status?;
            Some(format!("HTTP {status} came without a JSON-RPC reply"))
        }
        Outcome::ProtocolError => by_code(store, exchange, said),
        _ => None,
    }
}

/// What a code means for this request.
fn by_code(store: &Store, exchange: u32, said: Said<'_>) -> Option<String> {
    let e = store.exchanges.get(exchange as usize)?;
    let code = said.code?;
    let revision = store.record(e.request)?.judged.revision;
    let method = store.method_of(e).and_then(Method::lookup);
    let target = store.target_of(e);
    let name = errors::name(code, revision);
    Some(match (code, method, target) {
        (-32601, _, _) => format!("the server has no method {}", store.method_of(e).unwrap_or("of that name")),
        (-32002 | -32602, Some(Method::ResourcesRead), Some(uri)) => format!("the server has no resource {uri}"),
        (-32602, Some(Method::PromptsGet), Some(prompt)) => {
            format!("the server does not take these arguments for the prompt {prompt}, or does not have it")
        }
        (-32602, Some(Method::ToolsCall), Some(tool)) => {
            format!("the server does not take these params for the tool {tool}, though its list allows them")
        }
        (-32602, Some(m), _) if m.is_paginated() => "the server does not take the cursor".to_owned(),
        _ => {
            let code = name.map_or_else(|| format!("code {code}"), |name| format!("{name} ({code})"));
            match said.message.filter(|m| !m.is_empty()) {
                Some(message) => format!("{code}: {}", message.chars().take(200).collect::<String>()),
                None => code,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::analysis::{Analyzer, Origin};
    use crate::format::native::Reader;
    use crate::rules::{self, Options};

    fn judge(lines: &[&str]) -> Store {
        let (mut store, mut reader) = (Store::new(), Reader::new());
        let mut analyzer = Analyzer::new(Options::default(), Origin::Excerpt);
        for (i, line) in lines.iter().enumerate() {
            let (dir, message) = line.split_at(3);
            let line = format!("{{\"t\":{i}.0,\"dir\":\"{dir}\",\"msg\":{message}}}\n");
            reader.feed(line.as_bytes(), &mut |item| analyzer.push(&mut store, item));
        }
        analyzer.finish(&mut store);
        store
    }

    #[test]
    fn the_order_names_only_rules_of_the_catalogue() {
        for rule in REASONS {
            assert!(rules::catalogue::entry(rule).is_some(), "{rule}");
        }
    }

    #[test]
    fn a_missing_capability_member_is_the_reason() {
        let store = judge(&[
            r#"c2s{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}"#,
            r#"s2c{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad params"}}"#,
        ]);
        let why = refused_because(&store, 0).unwrap();
        assert!(why.contains("clientCapabilities"), "{why}");
    }

    #[test]
    fn without_a_finding_the_code_speaks() {
        let store = judge(&[
            r#"c2s{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///x"}}"#,
            r#"s2c{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"gone"}}"#,
            r#"c2s{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}"#,
            r#"s2c{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#,
        ]);
        let said = Said { code: Some(-32002), message: Some("gone") };
        assert_eq!(refused_because_of(&store, 0, said).unwrap(), "the server has no resource file:///x");
        assert_eq!(refused_because(&store, 1), None);
        assert_eq!(refused_because(&store, 99), None);
    }
}
