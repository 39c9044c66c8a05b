//! `elicit-sensitive-form`: form asks for a secret.

use super::support::{cut, each_input, form, from_server};
use crate::mcp::{Method, Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "elicit-sensitive-form",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_06_18),
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(check), On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    each_input(message, |method, params| {
        let Some(schema) = form(params).filter(|_| method == Method::Elicit) else { return };
        for (key, field) in schema.get("properties").into_iter().flat_map(Value::members).take(1000) {
            // A secret is typed in: a choice or a switch is none.
            let typed =
                field.get("type").is_none_or(|t| t.str_eq("string") || t.str_eq("number") || t.str_eq("integer"));
            if !typed || field.get("enum").is_some() || field.get("oneOf").is_some() {
                continue;
            }
            let text = |name| field.get(name).and_then(Value::as_str);
            let secret = secret_in(&key.as_str(), true)
                .or_else(|| secret_in(&text("title")?, true))
                .or_else(|| secret_in(&text("description")?, false));
            if let Some(secret) = secret {
                out.say(format!("the form asks for \"{}\", which looks like {secret}", cut(&key.as_str())))
                    .at(field)
                    .expected("url mode for secrets");
            }
        }
    });
}

/// What secret a name, or a sentence about it, speaks of.
fn secret_in(text: &str, is_name: bool) -> Option<&'static str> {
    let words = words(text);
    let has = |word: &str| words.iter().any(|w| w == word);
    let pair = |a: &str, b: &str| words.windows(2).any(|w| w[0] == a && w[1] == b);
    if ["password", "passwort", "passwd", "passphrase", "passcode"].iter().any(|w| has(w)) || (is_name && has("pwd")) {
        return Some("a password");
    }
    if has("apikey") || pair("api", "key") || pair("private", "key") || pair("secret", "key") || pair("access", "key") {
        return Some("a key");
    }
    if pair("card", "number") || pair("credit", "card") || has("cvv") || has("cvc") {
        return Some("card data");
    }
    let tokens = ["access", "api", "auth", "bearer", "refresh", "session", "secret", "github", "hub", "bot"];
    let last = words.last().is_some_and(|w| w == "token");
    if tokens.iter().any(|t| pair(t, "token")) || (is_name && last) {
        return Some("a token");
    }
    (is_name && words.last().is_some_and(|w| w == "secret")).then_some("a secret")
}

/// The words of a name in any of the usual spellings, in lower case.
fn words(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut fresh = true;
    let mut lower = false;
    for c in text.chars().take(400) {
        if !c.is_alphanumeric() {
            fresh = true;
            continue;
        }
        if fresh || (lower && c.is_uppercase()) {
            out.push(String::new());
        }
        fresh = false;
        lower = c.is_lowercase();
        if let Some(word) = out.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_by_name_and_sentence() {
        for name in
            ["password", "dbPassword", "api_key", "API key", "accessToken", "token", "client_secret", "cardNumber"]
        {
            assert!(secret_in(name, true).is_some(), "{name}");
        }
        for name in ["max_tokens", "tokenCount", "token_limit", "name", "secretary", "card", "keyboard", "pin_location"]
        {
            assert!(secret_in(name, true).is_none(), "{name}");
        }
        assert!(secret_in("Your GitHub token", false).is_some());
        assert!(secret_in("How long a token lives", false).is_none());
    }
}
