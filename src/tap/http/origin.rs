//! Where the server is: the URL that the user gave, and whether another one names the same origin.

use std::fmt;

use http::Uri;

use crate::error::{Failure, Result};

/// Scheme, host and port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// TLS.
    pub https: bool,
    /// Host in lower case; IPv6 in brackets.
    pub host: String,
    /// Port.
    pub port: u16,
}

impl Origin {
    /// The origin of a URL. `None`: it is no `http` or `https` URL.
    pub fn parse(url: &str) -> Option<Origin> {
        let (scheme, rest) = url.split_once("://")?;
        let https = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return None,
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let (host, port) = split_port(authority)?;
        Some(Origin { https, host, port: port.unwrap_or(if https { 443 } else { 80 }) })
    }

    /// The beginning of `url` that is this origin, as it is written there.
    pub fn prefix_of<'u>(&self, url: &'u str) -> Option<&'u str> {
        let found = Origin::parse(url)?;
        let start = url.find("://")? + 3;
        let len = url[start..].find(['/', '?', '#']).unwrap_or_else(|| url[start..].trim_end().len());
        (found == *self).then(|| &url[..start + len])
    }

    /// `host` or `host:port`, as a `Host` field has it.
    pub fn authority(&self) -> String {
        if self.port == if self.https { 443 } else { 80 } {
            self.host.clone()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.https { "https" } else { "http" }, self.authority())
    }
}

/// Host (lower case) and port of an authority without user information.
pub fn split_port(authority: &str) -> Option<(String, Option<u16>)> {
    let authority = authority.trim();
    let after_host = match authority.strip_prefix('[') {
        Some(inner) => inner.find(']')? + 2,
        None => authority.find(':').unwrap_or(authority.len()),
    };
    let (host, port) = authority.split_at_checked(after_host)?;
    let port = match port.strip_prefix(':') {
        Some("") => None,
        Some(port) => Some(port.parse().ok()?),
        None if port.is_empty() => None,
        None => return None,
    };
    let good = |c: u8| c.is_ascii_alphanumeric() || b"-._[]:%~".contains(&c);
    (!host.is_empty() && host.bytes().all(good)).then(|| (host.to_ascii_lowercase(), port))
}

/// The server's URL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Upstream {
    /// Its origin: the only one that requests go to.
    pub origin: Origin,
    /// Path and query, from the slash on.
    pub path: String,
}

impl Upstream {
    /// Reads what `--url` says.
    ///
    /// # Errors
    /// No `http` or `https` URL, or one with a password in it.
    pub fn parse(url: &str) -> Result<Upstream> {
        let bad = |what: &str| {
            Failure::new(format!("{url:?} {what}")).hint("give the server's URL, such as https://mcp.example.com/mcp")
        };
        let authority = url.split("://").nth(1).unwrap_or_default().split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            // The URL stands in the trace and in lists.
            return Err(Failure::new("a URL with a password in it is not taken")
                .hint("give the URL without it, and let the client send an Authorization header"));
        }
        let origin = Origin::parse(url).ok_or_else(|| bad("is no http or https URL"))?;
        let uri: Uri =
            url.split('#').next().unwrap_or_default().parse().map_err(|e| bad(&format!("is no URL ({e})")))?;
        let path = uri.path_and_query().map_or("/", |p| p.as_str());
        Ok(Upstream { origin, path: if path.is_empty() { "/".into() } else { path.into() } })
    }

    /// A name for lists: the host, with its port where that is not the scheme's.
    pub fn name(&self) -> String {
        self.origin.authority().replace([':', '[', ']'], "-").trim_matches('-').to_owned()
    }

    /// A port for the tap that is the same for the same URL at each start, below those that systems give to clients.
    pub fn usual_port(&self) -> u16 {
        // FNV-1a: the value must not change with the program's version.
        let hash = self
            .to_string()
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        FIRST_PORT + (hash % u64::from(PORTS)) as u16
    }
}

/// The ports that taps use.
pub const FIRST_PORT: u16 = 20_000;
/// How many they are.
pub const PORTS: u16 = 10_000;

impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn urls() {
        let url = Upstream::parse("HTTPS://MCP.Example.com/a/mcp?x=1#y").unwrap();
        assert_eq!(
            (url.to_string().as_str(), url.name().as_str()),
            ("https://mcp.example.com/a/mcp?x=1", "mcp.example.com")
        );
        assert_eq!(Upstream::parse("http://localhost:3000").unwrap().to_string(), "http://localhost:3000/");
        let v6 = Upstream::parse("http://[::1]:80/mcp").unwrap();
        assert_eq!((v6.origin.authority().as_str(), v6.name().as_str()), ("[::1]", "1"));
        for bad in
            ["", "mcp.example.com/mcp", "ftp://x/", "http:///x", "http://a b/", "http://x:99999/", "https://u:p@x/"]
        {
            assert!(Upstream::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(url.usual_port(), Upstream::parse("https://mcp.example.com:443/a/mcp?x=1").unwrap().usual_port());
        assert_ne!(url.usual_port(), v6.usual_port());
    }

    #[test]
    fn the_same_origin() {
        let origin = Origin::parse("http://localhost:80").unwrap();
        assert_eq!(origin.prefix_of("HTTP://LocalHost/x"), Some("HTTP://LocalHost"));
        assert_eq!(origin.prefix_of("http://localhost:80?y"), Some("http://localhost:80"));
        for other in ["http://localhost:81/", "https://localhost/", "http://localhost.x/", "/x", "http://u@localhost/"]
        {
            assert_eq!(origin.prefix_of(other), None, "{other}");
        }
    }
}
