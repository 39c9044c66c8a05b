//! `--rewrite-oauth`: what a protected server says about its own address, changed so that a client that dials the tap
//! believes it (RFC 9728). Whether the authorization server gives a token for the tap's address is its own affair.

use bytes::Bytes;

use super::origin::Origin;
use crate::wire::json::{Kind, Parser};

/// Where a protected resource's metadata stands (RFC 9728 section 3).
pub const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// A metadata document that is larger is passed on as it is.
pub const LARGEST: usize = 256 << 10;

/// A `WWW-Authenticate` value whose `resource_metadata` address leads to the tap.
pub fn challenge(value: &str, server: &Origin, tap: &str) -> Option<String> {
    let at = value.to_ascii_lowercase().find("resource_metadata")? + "resource_metadata".len();
    let url = value[at..].trim_start().strip_prefix('=')?.trim_start().trim_start_matches('"');
    let prefix = server.prefix_of(url.split('"').next()?)?;
    let start = value.len() - url.len();
    Some(format!("{}{tap}{}", &value[..start], &value[start + prefix.len()..]))
}

/// A protected resource's metadata that names the tap as the resource.
pub fn metadata(body: &[u8], server: &Origin, tap: &str) -> Option<Bytes> {
    let mut parser = Parser::new();
    let root = parser.parse(body).root()?;
    root.get("authorization_servers").filter(|v| v.kind() == Kind::Array)?;
    let resource = root.get("resource")?;
    let url = resource.as_str()?;
    let prefix = server.prefix_of(&url)?;
    let changed = serde_json::Value::from(format!("{tap}{}", &url[prefix.len()..])).to_string();
    let span = resource.span();
    Some([&body[..span.start], changed.as_bytes(), &body[span.end..]].concat().into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_the_addresses_of_the_server() {
        let server = Origin::parse("https://mcp.example.com").unwrap();
        let tap = "http://127.0.0.1:9";
        let change = |v: &str| challenge(v, &server, tap);
        assert_eq!(
            change(r#"Bearer error="x", resource_metadata="https://mcp.example.com/.well-known/a", scope="s""#)
                .unwrap(),
            r#"Bearer error="x", resource_metadata="http://127.0.0.1:9/.well-known/a", scope="s""#
        );
        assert_eq!(
            change("Bearer Resource_Metadata=https://MCP.example.com/x").unwrap(),
            "Bearer Resource_Metadata=http://127.0.0.1:9/x"
        );
        for other in ["Bearer", "Bearer resource_metadata", r#"Bearer resource_metadata="https://other/x""#] {
            assert_eq!(change(other), None);
        }
        let body = br#"{"a":1, "resource" : "https://mcp.example.com/mcp","authorization_servers":["https://mcp.example.com"]}"#;
        assert_eq!(
            metadata(body, &server, tap).unwrap(),
            &br#"{"a":1, "resource" : "http://127.0.0.1:9/mcp","authorization_servers":["https://mcp.example.com"]}"#[..]
        );
        for other in [
            &b"{}"[..],
            br#"{"resource":"https://mcp.example.com"}"#,
            br#"{"resource":"https://x","authorization_servers":[]}"#,
        ] {
            assert_eq!(metadata(other, &server, tap), None);
        }
    }
}
