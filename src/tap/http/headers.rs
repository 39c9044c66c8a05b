//! Which fields go on to the next hop.

use http::header::{HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN, TE};

/// Fields that mean the connection they came on, not the message (RFC 9110 section 7.6.1). `Trailer` describes the
/// message and stays.
const HOP: [&str; 8] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// The fields that go on, in their order.
fn end_to_end(map: &HeaderMap) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
    // A field that `Connection` names means the connection too.
    let listed: Vec<String> = map
        .get_all("connection")
        .iter()
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| !name.is_empty())
        .collect();
    map.iter().filter(move |(name, _)| !HOP.contains(&name.as_str()) && !listed.iter().any(|l| l == name.as_str()))
}

/// A request's fields for the server: `Host` becomes the server's, and so does an `Origin` that is the tap's.
pub fn request(map: &HeaderMap, authority: &HeaderValue, tap: &str, server: &str) -> HeaderMap {
    let mut out = HeaderMap::with_capacity(map.len());
    for (name, value) in end_to_end(map) {
        if name == HOST {
            out.insert(HOST, authority.clone());
            continue;
        }
        if name == ORIGIN && value.as_bytes().eq_ignore_ascii_case(tap.as_bytes()) {
            // A client that dials the server says the server's.
            if let Ok(value) = HeaderValue::from_str(server) {
                out.append(ORIGIN, value);
                continue;
            }
        }
        out.append(name.clone(), value.clone());
    }
    // Trailers come through only where the client wants them.
    let wants =
        |v: &HeaderValue| v.to_str().is_ok_and(|v| v.split(',').any(|t| t.trim().eq_ignore_ascii_case("trailers")));
    if map.get_all(TE).iter().any(wants) {
        out.insert(TE, HeaderValue::from_static("trailers"));
    }
    out
}

/// A response's fields for the client.
pub fn response(map: &HeaderMap) -> HeaderMap {
    let mut out = HeaderMap::with_capacity(map.len());
    for (name, value) in end_to_end(map) {
        out.append(name.clone(), value.clone());
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_goes_on() {
        let mut map = HeaderMap::new();
        for (name, value) in [
            ("host", "127.0.0.1:9"),
            ("x-a", "1"),
            ("connection", "keep-alive, X-Hop"),
            ("keep-alive", "timeout=5"),
            ("x-hop", "1"),
            ("te", "gzip, trailers"),
            ("transfer-encoding", "chunked"),
            ("x-a", "2"),
            ("trailer", "x-t"),
            ("origin", "http://127.0.0.1:9"),
            ("x-z", ""),
        ] {
            map.append(name, HeaderValue::from_static(value));
        }
        let out = request(
            &map,
            &HeaderValue::from_static("mcp.example.com"),
            "http://127.0.0.1:9",
            "https://mcp.example.com",
        );
        let seen: Vec<_> = out.iter().map(|(n, v)| format!("{n}: {}", v.to_str().unwrap())).collect();
        let want = [
            "host: mcp.example.com",
            "x-a: 1",
            "x-a: 2",
            "trailer: x-t",
            "origin: https://mcp.example.com",
            "x-z: ",
            "te: trailers",
        ];
        assert_eq!(seen, want);
        assert_eq!(response(&map).len(), 6);
    }
}
