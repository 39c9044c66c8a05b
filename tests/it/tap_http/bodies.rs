//! What goes in comes out: heads, bodies in every framing and coding, trailers, redirects, failures.

use super::*;
use flate2::Compression;

#[test]
fn heads_pass_in_their_order_and_case() {
    let server = answering(|request| {
        let mut answer = b"HTTP/1.1 299 Quite Fine\r\nX-Last: 1\r\nmcp-SESSION-id: s\r\nContent-LENGTH: 2\r\nSet-Cookie: a\r\nset-cookie: b\r\nKeep-Alive: timeout=5\r\nx-empty:\r\n\r\n".to_vec();
        answer.extend_from_slice(if request.head.contains("X-Hop") { b"no" } else { b"ok" });
        assert_eq!(request.fields()[0], format!("HOST: {}", request.header("x-me").unwrap()));
        assert_eq!(request.fields()[2..], ["mCP-Method: tools/list", "X-Two: 1", "x-two: 2", "Content-Length: 2"]);
        answer
    });
    let tapped = Tapped::start(server);
    let request = format!(
        "POST /mcp?x=%20y HTTP/1.1\r\nHOST: {}\r\nX-Me: {server}\r\nConnection: X-Hop, keep-alive\r\nX-Hop: 1\r\nmCP-Method: tools/list\r\nX-Two: 1\r\nx-two: 2\r\nTE: gzip\r\nContent-Length: 2\r\n\r\n{{}}",
        tapped.tap.listen
    );
    let answer = tapped.ask(&request);
    assert!(answer.head.starts_with("HTTP/1.1 299 Quite Fine\r\n"), "{}", answer.head);
    let want = ["X-Last: 1", "mcp-SESSION-id: s", "Content-LENGTH: 2", "Set-Cookie: a", "set-cookie: b", "x-empty: "];
    assert_eq!(answer.fields(), want);
    assert_eq!(answer.text(), "ok");
    // The record has what came, also what ends here.
    let frames = tapped.stop();
    assert_eq!(frames[0].http.path.as_deref(), Some("/mcp?x=%20y"));
    let sent: Vec<&str> = request.lines().skip(1).take_while(|l| !l.is_empty()).collect();
    assert_eq!(frames[0].fields(), sent);
    assert_eq!(frames[1].fields()[3..], ["Set-Cookie: a", "set-cookie: b", "Keep-Alive: timeout=5", "x-empty: "]);
    assert_eq!(frames[1].http.status, Some(299));
}

#[test]
fn bodies_pass_byte_for_byte() {
    // The server sends back what it got.
    let server = answering(|request| match request.header("transfer-encoding") {
        None => reply("200 OK", "application/octet-stream", &request.body),
        Some(_) => {
            let mut answer =
                b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                    .to_vec();
            for part in request.body.chunks(1000) {
                answer.extend(format!("{:x}\r\n", part.len()).into_bytes());
                answer.extend(part);
                answer.extend(b"\r\n");
            }
            answer.extend(b"0\r\n\r\n");
            answer
        }
    });
    let tapped = Tapped::start(server);
    let all: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let odd = b"\xEF\xBB\xBF{\"a\":\xff}\r\n\0 \n".to_vec();
    let mut client = tapped.client();
    for body in [&all, &odd, &Vec::new()] {
        client.send(tapped.post("", body));
        assert_eq!(client.message().unwrap().body, *body);
        let head = format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nTransfer-Encoding: chunked\r\n\r\n", tapped.tap.listen);
        client.send(head);
        for part in body.chunks(777) {
            client.send(format!("{:X};ext=1\r\n", part.len()));
            client.send(part);
            client.send("\r\n");
        }
        client.send("0\r\n\r\n");
        assert_eq!(client.message().unwrap().body, *body);
    }
    let frames = tapped.stop();
    assert_eq!(frames.len(), 12);
    for (at, body) in [&all, &odd, &Vec::new()].into_iter().enumerate() {
        assert!(frames[at * 4..at * 4 + 4].iter().all(|f| f.payload == *body && f.http.cut.is_none()));
    }
    // One client on one connection, four frames each.
    assert!(frames.iter().all(|f| f.conn == 1));
}

#[test]
fn coded_bodies_pass_as_they_are_and_are_recorded_decoded() {
    let text = br#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_vec();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&text).unwrap();
    let gzip = gzip.finish().unwrap();
    let (coded, broken) = (gzip.clone(), b"no gzip".to_vec());
    let server = answering(move |request| {
        let coding = request.header("accept-encoding").unwrap_or_default().to_owned();
        let body = if coding == "gzip" { &coded } else { &broken };
        let coding = if coding == "x" { "x-unknown" } else { "gzip" };
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), body].concat()
    });
    let tapped = Tapped::start(server);
    assert_eq!(tapped.ask(tapped.post("Accept-Encoding: gzip\r\n", b"{}")).body, gzip);
    assert_eq!(tapped.ask(tapped.post("", b"{}")).text(), "no gzip");
    assert_eq!(tapped.ask(tapped.post("Accept-Encoding: x\r\n", b"{}")).text(), "no gzip");
    // A request may be coded too.
    tapped.ask(tapped.post("Content-Encoding: gzip\r\n", &gzip));
    let frames = tapped.stop();
    let seen: Vec<_> = frames
        .iter()
        .map(|f| (f.http.encoding.as_deref(), f.http.undecoded, String::from_utf8_lossy(&f.payload)))
        .collect();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(seen[1], (Some("gzip"), false, text.as_str().into()));
    assert_eq!(seen[3], (Some("gzip"), true, "no gzip".into()));
    assert_eq!(seen[5], (Some("x-unknown"), true, "no gzip".into()));
    assert_eq!(seen[6], (Some("gzip"), false, text.as_str().into()));
}

#[test]
fn large_bodies_stream_and_their_record_is_bounded() {
    const LEN: usize = 3 << 20;
    let server = answering(|request| reply("200 OK", "application/json", &vec![b'1'; request.body.len()]));
    let tapped = Tapped::with(&format!("http://{server}/mcp"), |_| (), |record| record.max_body = 1000);
    let answer = tapped.ask(tapped.post("", &vec![b'2'; LEN]));
    assert_eq!((answer.body.len(), answer.body.iter().all(|c| *c == b'1')), (LEN, true));
    let frames = tapped.stop();
    for frame in &frames {
        assert_eq!((frame.payload.len(), frame.http.cut), (1000, Some(LEN as u64 - 1000)));
    }
}

#[test]
fn trailers_pass_and_are_recorded() {
    let server = server(|mut wire| {
        let request = wire.message().unwrap();
        assert!(request.head.contains("te: trailers") || request.head.contains("TE: trailers"), "{}", request.head);
        assert!(request.head.contains("x-up: 1"), "{}", request.head);
        wire.send(
            "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Sum: 7\r\n\r\n",
        );
    });
    let tapped = Tapped::start(server);
    let answer = tapped.ask(format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nTE: trailers\r\nConnection: TE\r\nTrailer: X-Up\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\nX-Up: 1\r\n\r\n",
        tapped.tap.listen
    ));
    assert!(answer.head.to_lowercase().contains("x-sum: 7"), "{}", answer.head);
    let frames = tapped.stop();
    assert_eq!(frames[0].http.trailers, [("x-up".into(), "1".into())]);
    assert_eq!(frames[1].http.trailers, [("x-sum".into(), "7".into())]);
}

#[test]
fn redirects_pass() {
    let server = answering(|_| {
        b"HTTP/1.1 308 Permanent Redirect\r\nLocation: https://elsewhere.example/mcp\r\nContent-Length: 0\r\n\r\n"
            .to_vec()
    });
    let tapped = Tapped::start(server);
    let answer = tapped.ask(tapped.post("", b"{}"));
    assert_eq!((answer.status(), answer.header("location")), (308, Some("https://elsewhere.example/mcp")));
    assert_eq!(shorts(&tapped.stop()), ["> POST {}", "< 308 "]);
}

#[test]
fn a_server_that_is_not_there_is_said() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let tapped = Tapped::start(nobody);
    let mut client = tapped.client();
    for _ in 0..2 {
        // The client's connection stays usable.
        client.send(tapped.post("", b"{}"));
        let answer = client.message().unwrap();
        assert_eq!(answer.status(), 502);
        assert!(answer.text().starts_with(&format!("mcpscope: cannot reach http://{nobody}: ")), "{}", answer.text());
        assert!(answer.text().contains("refused"), "{}", answer.text());
    }
    let frames = tapped.stop();
    assert_eq!(frames.len(), 6);
    assert!(frames[1].short().starts_with("< 502 mcpscope: cannot reach"));
    assert_eq!(frames[2].http.how, Some(HttpEnd::Reset));
}

#[test]
fn a_server_that_breaks_off_is_said() {
    let server = server(|mut wire| {
        let request = wire.message().unwrap();
        if request.header("x-half").is_some() {
            wire.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"half\":");
        }
    });
    let tapped = Tapped::start(server);
    let answer = tapped.ask(tapped.post("", b"{}"));
    assert_eq!(answer.status(), 502);
    assert!(answer.text().contains("no answer from"), "{}", answer.text());
    // The client sees that its answer is not whole.
    let mut client = tapped.client();
    client.send(tapped.post("X-Half: 1\r\n", b"{}"));
    let half = client.message().unwrap();
    assert_eq!((half.status(), half.text().as_str()), (200, "{\"half\":"));
    assert!(client.ended());
    let frames = tapped.stop();
    assert_eq!(shorts(&frames[3..]), ["> POST {}", "< 200 {\"half\":", "s2c Reset"]);
    assert_eq!(frames[4].http.cut, Some(92));
}

#[test]
fn an_answer_that_ends_with_its_connection() {
    let server = server(|mut wire| {
        wire.message().unwrap();
        wire.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"a\":1}");
    });
    let tapped = Tapped::start(server);
    assert_eq!(tapped.ask(tapped.post("", b"{}")).text(), "{\"a\":1}");
    assert_eq!(shorts(&tapped.stop()), ["> POST {}", "< 200 {\"a\":1}"]);
}

#[test]
fn other_methods_and_a_waiting_client() {
    let server = answering(|request| {
        if request.head.starts_with("HEAD ") {
            return b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\nX-Head: 1\r\n\r\n".to_vec();
        }
        reply("200 OK", "text/plain", request.head.split(' ').next().unwrap().as_bytes())
    });
    let tapped = Tapped::start(server);
    let mut client = tapped.client();
    client.send(format!("HEAD /mcp HTTP/1.1\r\nHost: {}\r\n\r\n", tapped.tap.listen));
    assert_eq!(client.head().unwrap().header("content-length"), Some("50"));
    for method in ["DELETE", "OPTIONS", "QUERY"] {
        client.send(format!("{method} /mcp HTTP/1.1\r\nHost: {}\r\n\r\n", tapped.tap.listen));
        assert_eq!(client.message().unwrap().text(), method);
    }
    client.send(format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
        tapped.tap.listen
    ));
    assert_eq!(client.head().unwrap().status(), 100);
    client.send("{}");
    assert_eq!(client.message().unwrap().text(), "POST");
    assert_eq!(tapped.stop().len(), 10);
}
