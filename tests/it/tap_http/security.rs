//! What is not passed on.

use super::*;

/// A server that nobody may reach in these tests.
fn untouched() -> SocketAddr {
    answering(|request| panic!("the server was asked: {}", request.head))
}

#[track_caller]
fn refused(tapped: &Tapped, request: impl AsRef<[u8]>, status: u16, why: &str) {
    let mut client = tapped.client();
    client.send(request);
    let answer = client.message().unwrap();
    assert_eq!(answer.status(), status, "{}", answer.text());
    assert!(answer.text().contains(why), "no {why:?} in {}", answer.text());
    // Nothing that comes after it is read as a request.
    assert!(client.ended());
}

#[test]
fn strangers_are_refused_and_recorded() {
    let tapped = Tapped::start(untouched());
    let listen = tapped.tap.listen;
    let port = listen.port();
    let post = |host: &str, more: &str| format!("POST /mcp HTTP/1.1\r\n{host}{more}Content-Length: 2\r\n\r\n{{}}");
    let here = format!("Host: {listen}\r\n");
    refused(&tapped, post(&format!("Host: evil.example:{port}\r\n"), ""), 403, "DNS rebinding");
    refused(&tapped, post(&here, "Origin: http://evil.example\r\n"), 403, "Origin");
    refused(&tapped, post(&here, "Origin: null\r\n"), 403, "Origin");
    refused(&tapped, post("", ""), 400, "exactly one Host");
    refused(&tapped, format!("GET http://169.254.169.254/ HTTP/1.1\r\n{here}\r\n"), 403, "passes requests to");
    refused(&tapped, format!("CONNECT evil.example:443 HTTP/1.1\r\n{here}\r\n"), 405, "CONNECT");
    let frames = tapped.stop();
    assert_eq!(frames.len(), 12);
    assert!(frames.chunks(2).all(|f| f[0].http.kind == HttpKind::Request && f[1].http.status >= Some(400)));
}

#[test]
fn requests_with_two_readings_are_refused() {
    let tapped = Tapped::start(untouched());
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {}\r\n", tapped.tap.listen);
    let smuggled = "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    for (fields, body) in [
        ("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n", smuggled),
        ("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n", smuggled),
        ("Content-Length: 4\r\nContent-Length: 4\r\n\r\n", "{\"\"}"),
        ("Content-Length: 4\r\nContent-Length: 5\r\n\r\n", "{\"\"}"),
        ("Content-Length: +4\r\n\r\n", "{\"\"}"),
        ("Transfer-Encoding: gzip, chunked\r\n\r\n", smuggled),
        ("Transfer-Encoding : chunked\r\n\r\n", smuggled),
        ("X: 1\r\n Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n", "{\"\"}"),
    ] {
        let mut client = tapped.client();
        client.send(format!("{head}{fields}{body}"));
        let answer = client.message().unwrap();
        assert!(matches!(answer.status(), 400 | 501), "{fields}: {}", answer.head);
        assert!(client.ended(), "{fields}");
    }
}

#[test]
fn heads_have_a_largest_size() {
    let tapped = Tapped::start(untouched());
    let mut client = tapped.client();
    client.send(format!("GET /mcp HTTP/1.1\r\nHost: {}\r\nX: {}\r\n\r\n", tapped.tap.listen, "x".repeat(100_000)));
    assert_eq!(client.head().unwrap().status(), 431);
}

#[test]
fn other_machines_need_leave() {
    let url = format!("http://{}/mcp", untouched());
    let mut options = Options::new(Upstream::parse(&url).unwrap());
    options.listen = Some("0.0.0.0:0".parse().unwrap());
    let refused = Tap::start(options.clone(), None).err().unwrap().to_string();
    assert!(refused.contains("--allow-remote"), "{refused}");
    options.allow_remote = true;
    let tap = Tap::start(options, None).unwrap();
    assert!(tap.url.starts_with("http://127.0.0.1:"), "{}", tap.url);
}

#[test]
fn pages_of_this_machine_may_ask() {
    let server = answering(|request| reply("200 OK", "text/plain", request.header("origin").unwrap().as_bytes()));
    let tapped = Tapped::start(server);
    let origin = "http://localhost:6274";
    assert_eq!(tapped.ask(tapped.post(&format!("Origin: {origin}\r\n"), b"{}")).text(), origin);
    // What a client that dials the server itself would say.
    let own = format!("Origin: http://{}\r\n", tapped.tap.listen);
    assert_eq!(tapped.ask(tapped.post(&own, b"{}")).text(), format!("http://{server}"));
    assert!(tapped.stop()[2].fields().contains(&own.trim().to_owned()));
}
