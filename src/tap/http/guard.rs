//! What is not passed on: requests that a web page made a browser send here, and requests that two readers may
//! understand differently.

use std::net::{IpAddr, SocketAddr};

use http::Uri;

use super::origin::{Origin, split_port};
use super::part::Fields;

/// Why a request is refused: a status and a sentence for who sent it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// HTTP status.
    pub status: u16,
    /// Why, and what to do.
    pub why: String,
}

fn refuse<T>(status: u16, why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { status, why: why.into() })
}

/// Who may ask.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Where the tap listens.
    pub listen: SocketAddr,
    /// Requests may come from other machines (`--allow-remote`).
    pub remote: bool,
    /// The server.
    pub server: Origin,
}

impl Guard {
    /// Looks at a request.
    pub fn check(&self, method: &str, target: &Uri, headers: &Fields) -> Result<(), Refusal> {
        framing(headers)?;
        if method == "CONNECT" {
            return refuse(405, "the tap is no proxy for other servers: CONNECT is not answered");
        }
        if let Some(authority) = target.authority() {
            // A request of the kind that is sent to proxies: it must mean this tap or its server.
            let https = target.scheme_str() == Some("https");
            let meant = Origin::parse(&format!("{}://{authority}", if https { "https" } else { "http" }));
            if !meant.as_ref().is_some_and(|o| *o == self.server || (!https && self.is_tap(&o.host, o.port))) {
                return refuse(403, format!("the tap passes requests to {} only, not to {authority}", self.server));
            }
        } else if !target.path().starts_with('/') && target.path() != "*" {
            return refuse(400, "the request target is no path");
        }
        self.host(headers)?;
        self.origin(headers)
    }

    /// Against DNS rebinding: a page of `evil.example`, whose name suddenly means 127.0.0.1, still says its name here.
    fn host(&self, headers: &Fields) -> Result<(), Refusal> {
        let mut hosts = values(headers, "host");
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return refuse(400, "a request has exactly one Host header");
        };
        let Some((name, port)) = split_port(host) else { return refuse(400, "the Host header is no host") };
        // Whoever lets other machines in has names for this one that nobody here knows; see `origin` for browsers.
        if self.remote || self.is_tap(&name, port.unwrap_or(80)) {
            return Ok(());
        }
        refuse(
            403,
            format!("Host {host:?} is not this tap: it answers to {} only (DNS rebinding protection)", self.listen),
        )
    }

    fn is_tap(&self, name: &str, port: u16) -> bool {
        let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok();
        port == self.listen.port()
            && (is_local(name) || address.is_some_and(|a| a.to_canonical() == self.listen.ip().to_canonical()))
    }

    /// A browser says which page makes it send the request.
    fn origin(&self, headers: &Fields) -> Result<(), Refusal> {
        for origin in values(headers, "origin") {
            let local = Origin::parse(origin).is_some_and(|o| is_local(&o.host) || self.is_tap(&o.host, o.port));
            if !local {
                return refuse(403, format!("Origin {origin:?} may not use this tap: only pages of this machine may"));
            }
        }
        Ok(())
    }
}

/// Names that mean this machine to everybody.
fn is_local(name: &str) -> bool {
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    name == "localhost" || name.ends_with(".localhost") || address.is_ok_and(|a| a.to_canonical().is_loopback())
}

fn values<'h>(headers: &'h Fields, name: &'static str) -> impl Iterator<Item = &'h str> {
    headers.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
}

/// Two readers must not see two different requests in the same bytes (RFC 9112 section 11.2).
fn framing(headers: &Fields) -> Result<(), Refusal> {
    let lengths: Vec<&str> = values(headers, "content-length").collect();
    let codings: Vec<&str> = values(headers, "transfer-encoding").collect();
    match (lengths.as_slice(), codings.as_slice()) {
        ([_, _, ..], _) => refuse(400, "Content-Length stands there twice"),
        ([_], [_, ..]) => refuse(400, "Content-Length and Transfer-Encoding exclude each other"),
        ([one], []) if one.is_empty() || !one.bytes().all(|c| c.is_ascii_digit()) => {
            refuse(400, "Content-Length is no number")
        }
        (_, [one]) if !one.eq_ignore_ascii_case("chunked") => refuse(501, "the only Transfer-Encoding is chunked"),
        (_, [_, _, ..]) => refuse(400, "Transfer-Encoding stands there twice"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn guard(remote: bool) -> Guard {
        let listen = SocketAddr::from(([127, 0, 0, 1], 2000));
        Guard { listen, remote, server: Origin::parse("https://mcp.example.com").unwrap() }
    }

    fn ask(remote: bool, target: &str, headers: &[(&str, &str)]) -> u16 {
        let headers = headers.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        guard(remote).check("POST", &target.parse().unwrap(), &headers).map_or_else(|r| r.status, |()| 200)
    }

    #[test]
    fn hosts_and_origins() {
        for host in ["127.0.0.1:2000", "localhost:2000", "LOCALHOST:2000", "[::1]:2000", "x.localhost:2000"] {
            assert_eq!(ask(false, "/mcp", &[("Host", host)]), 200, "{host}");
        }
        for host in ["evil.example:2000", "127.0.0.1", "127.0.0.1:2001", "mcp.example.com", "localhost.evil.org:2000"] {
            assert_eq!(ask(false, "/mcp", &[("host", host)]), 403, "{host}");
            assert_eq!(ask(true, "/mcp", &[("host", host)]), 200, "{host}");
        }
        assert_eq!(ask(false, "/mcp", &[]), 400);
        assert_eq!(ask(false, "/mcp", &[("Host", "a@localhost:2000")]), 400);
        let here = ("Host", "localhost:2000");
        assert_eq!(ask(false, "/mcp", &[here, here]), 400);
        for origin in ["http://localhost:6274", "http://127.0.0.1:2000", "https://[::1]"] {
            assert_eq!(ask(false, "/mcp", &[here, ("Origin", origin)]), 200, "{origin}");
        }
        for origin in ["http://evil.example", "null", "", "http://localhost.evil.org", "https://mcp.example.com"] {
            assert_eq!(ask(true, "/mcp", &[here, ("Origin", origin)]), 403, "{origin}");
        }
    }

    #[test]
    fn targets() {
        let here = ("Host", "localhost:2000");
        assert_eq!(ask(false, "http://localhost:2000/mcp", &[here]), 200);
        assert_eq!(ask(false, "https://mcp.example.com/mcp", &[here]), 200);
        for other in ["http://mcp.example.com/mcp", "http://169.254.169.254/", "https://localhost:2000/"] {
            assert_eq!(ask(false, other, &[here]), 403, "{other}");
        }
        let headers = vec![("Host".to_owned(), "localhost:2000".to_owned())];
        assert_eq!(guard(true).check("CONNECT", &"x:443".parse().unwrap(), &headers).unwrap_err().status, 405);
    }

    #[test]
    fn two_readings() {
        let with = |more: &[(&str, &str)]| ask(false, "/mcp", &[&[("Host", "localhost:2000")], more].concat());
        assert_eq!(with(&[("Content-Length", "5")]), 200);
        assert_eq!(with(&[("Transfer-Encoding", "Chunked")]), 200);
        assert_eq!(with(&[("Content-Length", "5"), ("content-length", "5")]), 400);
        assert_eq!(with(&[("Content-Length", "5"), ("Transfer-Encoding", "chunked")]), 400);
        assert_eq!(with(&[("Content-Length", "+5")]), 400);
        assert_eq!(with(&[("Content-Length", "5, 5")]), 400);
        assert_eq!(with(&[("Transfer-Encoding", "gzip, chunked")]), 501);
    }
}
