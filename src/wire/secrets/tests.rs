#![allow(clippy::unwrap_used)]

use super::*;
use crate::wire::json::Parser;

fn kinds(text: &str) -> Vec<(&str, Kind)> {
    hits(text.as_bytes()).into_iter().map(|h| (&text[h.range.clone()], h.kind)).collect()
}

// Written in two parts, so that scanners of source code stay quiet.
fn join(a: &str, b: &str) -> String {
    format!("{a}{b}")
}

#[test]
fn known_looks_are_found() {
    for (secret, kind) in [
        (join("AKIA", "IOSFODNN7EXAMPLE"), "an AWS access key"),
        (join("ghp_", "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8"), "a GitHub token"),
        (join("sk-", "proj-a1B2c3D4e5F6g7H8i9J0"), "an API key"),
        (join("AIza", "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"), "a Google API key"),
        (join("SG.", "a1B2c3D4e5F6g7H8i9J0aa.a1B2c3D4e5F6g7H8i9J0a1B2"), "a SendGrid key"),
    ] {
        for text in [secret.clone(), format!("key: {secret}."), format!(r#"{{"a":"x\n{secret}"}}"#)] {
            let found = kinds(&text);
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!((found[0].0, found[0].1.as_str()), (secret.as_str(), kind));
        }
        assert!(kinds(&format!("QUJD{secret}")).is_empty(), "in the middle of a text it is none");
    }
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
    assert_eq!(kinds(jwt), [(jwt, Kind::Jwt)]);
    assert!(matches!(
        kinds("-----BEGIN RSA PRIVATE KEY-----\\nAAAA\\n-----END RSA PRIVATE KEY-----")[0].1,
        Kind::PrivateKey
    ));
    assert_eq!(kinds("postgres://u:pa55@db/x"), [("u:pa55", Kind::UrlCredentials)]);
    assert_eq!(kinds("connect with password=hunter2 now"), [("hunter2", Kind::Assigned)]);
    assert_eq!(kinds("Authorization: Bearer a1b2c3d4e5f6a7b8c9d0"), [("a1b2c3d4e5f6a7b8c9d0", Kind::Authorization)]);
    assert_eq!(kinds("Basic dXNlcjpwYXNz"), [("dXNlcjpwYXNz", Kind::Authorization)]);
}

#[test]
fn what_only_looks_like_one_is_left_alone() {
    for text in [
        "task-management-and-risk-assessment-tools",
        "sk-learn-pipeline-transformer-example",
        "AKIAshort",
        "eyJvZmZzZXQiOjEwfQ==",
        "eyJvZmZzZXQiOjEwfQ.and.more",
        "https://example.com/a@b:c",
        "https://user@example.com",
        "redis://:<password>@host",
        "-----BEGIN CERTIFICATE-----",
        "Basic usage of the tool",
        "Bearer token required",
        "nextPageToken=CAoQAA1234567890abcdef",
        "password=<password>",
        "token=abc",
        "npm_config_cache",
        "hf_hub_download",
        "secret_manager_client",
    ] {
        assert_eq!(kinds(text), [], "{text}");
    }
}

#[test]
fn names_tell() {
    for n in ["password", "DB_PASSWORD", "apiKey", "x-api-key", "client_secret", "accessToken", "Authorization"] {
        assert_eq!(name(n.as_bytes()), Some(Name::Strong), "{n}");
    }
    for n in ["token", "secret", "clientAccessKey"] {
        assert_eq!(name(n.as_bytes()), Some(Name::Weak), "{n}");
    }
    for n in [
        "progressToken",
        "nextPageToken",
        "maxTokens",
        "tokens",
        "key",
        "passwordPolicy",
        "secretary",
        "id",
        "tokenType",
    ] {
        assert_eq!(name(n.as_bytes()), None, "{n}");
    }
    assert_eq!(find("hunter2", Some("password")), Some(Kind::Named));
    assert_eq!(find("hello", Some("token")), None);
    assert_eq!(find("a1b2c3d4e5f6a7b8c9", Some("token")), Some(Kind::Named));
    assert_eq!(find("string", Some("password")), None);
    assert_eq!(find("${PASSWORD}", Some("password")), None);
    let mut parser = Parser::new();
    let doc =
        parser.parse(br#"{"properties":{"password":{"type":"string"}},"args":[{"password":"hunter2"},{"token":"x"}]}"#);
    let found = named(doc.root().unwrap(), 10);
    assert_eq!(found.iter().map(|v| v.pointer()).collect::<Vec<_>>(), ["/args/0/password"]);
}

#[test]
fn urls() {
    assert_eq!(in_url("/mcp?access_token=x1"), Some("access_token"));
    assert_eq!(in_url("https://u:pw@h/"), Some("user:password"));
    assert_eq!(in_url("/messages?sessionId=4f0c"), None);
    assert_eq!(in_url("/mcp?code=de"), None);
    assert_eq!(in_url("/mcp?a=token"), None);
    assert!(is_secret_header("Authorization") && !is_secret_header("accept"));
}
