//! Streams of events: each at once, each recorded, and every way in which they end.

use super::*;
use std::sync::mpsc::{Sender, channel};

const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

/// A server whose streams the test writes: hands over each connection on which a request came.
fn streaming() -> (SocketAddr, std::sync::mpsc::Receiver<Wire>) {
    let (tx, rx) = channel();
    let tx: std::sync::Mutex<Sender<Wire>> = tx.into();
    let address = server(move |mut wire| {
        if wire.message().is_some() {
            wire.send(STREAM);
            let _ = tx.lock().unwrap().send(wire);
        }
    });
    (address, rx)
}

#[test]
fn events_arrive_before_the_stream_ends() {
    let (address, streams) = streaming();
    let tapped = Tapped::start(address);
    let mut client = tapped.client();
    client.send(tapped.post("Accept: text/event-stream\r\n", b"{\"id\":1}"));
    let mut upstream = streams.recv_timeout(PATIENCE).unwrap();
    assert_eq!(client.head().unwrap().header("content-type"), Some("text/event-stream"));
    let events = [
        ": ping\n\n",
        "event: message\nid: 4\nretry: 10\ndata: {\"a\":1}\n\n",
        "data:{\"b\":\r\ndata: 2}\r\n\r\n",
        "id: 9\ndata:\n\n",
    ];
    for event in events {
        upstream.send(chunk(event));
        // It is here although the server says nothing more.
        assert_eq!(String::from_utf8(client.chunk().unwrap()).unwrap(), event);
    }
    // Half an event goes on at once too.
    upstream.send(chunk("data: to"));
    assert_eq!(client.chunk().unwrap(), b"data: to");
    upstream.send(chunk("rn"));
    assert_eq!(client.chunk().unwrap(), b"rn");
    let live = tapped.frames();
    upstream.send("0\r\n\r\n");
    assert!(client.chunk().is_none());
    assert!(!live.iter().any(ended(HttpEnd::Eof)));
    let frames = tapped.stop();
    let want = ["> POST {\"id\":1}", "< 200 ", "~ ping", "~ {\"a\":1}", "~ {\"b\":\n2}", "~ ", "~ torn", "s2c Eof"];
    assert_eq!(shorts(&frames), want);
    assert!(frames[2].http.comment && frames[2].http.raw.is_none());
    let message = &frames[3].http;
    assert_eq!(
        (message.event.as_deref(), message.id.as_deref(), message.retry),
        (Some("message"), Some("4"), Some(10))
    );
    assert!(message.raw.is_none());
    assert_eq!(frames[4].http.raw.as_deref(), Some("data:{\"b\":\r\ndata: 2}\r\n"));
    assert_eq!(frames[6].http.raw.as_deref(), Some("data: torn"));
    assert!(frames.iter().all(|f| f.http.stream == 1));
}

#[test]
fn a_client_that_leaves_is_passed_on_at_once() {
    let (address, streams) = streaming();
    let tapped = Tapped::start(address);
    let mut client = tapped.client();
    client.send(tapped.post("", b"{}"));
    let mut upstream = streams.recv_timeout(PATIENCE).unwrap();
    client.head().unwrap();
    upstream.send(chunk("data: 1\n\n"));
    client.chunk().unwrap();
    drop(client);
    // The server sees it without having to write.
    assert!(upstream.ended());
    tapped.frame("the client's end", ended(HttpEnd::Client));
    assert_eq!(shorts(&tapped.stop()), ["> POST {}", "< 200 ", "~ 1", "c2s Client"]);
}

#[test]
fn a_client_that_leaves_before_the_answer_is_passed_on() {
    let (tx, rx) = channel();
    let tx: std::sync::Mutex<Sender<Wire>> = tx.into();
    let address = server(move |mut wire| {
        if wire.message().is_some() {
            let _ = tx.lock().unwrap().send(wire);
        }
    });
    let tapped = Tapped::start(address);
    let mut client = tapped.client();
    client.send(tapped.post("", b"{\"id\":1}"));
    let mut upstream = rx.recv_timeout(PATIENCE).unwrap();
    drop(client);
    assert!(upstream.ended());
    // One that leaves in the middle of its request.
    let mut client = tapped.client();
    client.send(format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: 100\r\n\r\n{{\"half\"", tapped.tap.listen));
    wait_until("the connection to the server", || tapped.frames().iter().any(ended(HttpEnd::Client)).then_some(()));
    drop(client);
    wait_until("the second end", || {
        (tapped.frames().iter().filter(|f| ended(HttpEnd::Client)(f)).count() == 2).then_some(())
    });
    let frames = tapped.stop();
    assert_eq!(shorts(&frames), ["> POST {\"id\":1}", "c2s Client", "> POST {\"half\"", "c2s Client"]);
    assert_eq!(frames[2].http.cut, Some(93));
}

#[test]
fn a_server_that_breaks_off_is_passed_on_at_once() {
    let (address, streams) = streaming();
    let tapped = Tapped::start(address);
    let mut client = tapped.client();
    client.send(tapped.get("/mcp", ""));
    let mut upstream = streams.recv_timeout(PATIENCE).unwrap();
    client.head().unwrap();
    upstream.send(chunk("data: 1\n\n"));
    client.chunk().unwrap();
    drop(upstream);
    assert!(client.ended());
    assert_eq!(shorts(&tapped.stop()), ["> GET ", "< 200 ", "~ 1", "s2c Reset"]);
}

#[test]
fn the_endpoint_leads_through_the_tap() {
    let server = answering(|request| {
        let host = request.header("host").unwrap();
        if request.head.starts_with("GET /sse") {
            let event = format!("event: endpoint\ndata: http://{host}/message?sessionId=1\n\n");
            let next = format!("event: message\ndata: \"http://{host}/\"\n\n");
            return format!("{STREAM}{}{}0\r\n\r\n", chunk(&event), chunk(&next)).into_bytes();
        }
        if request.head.starts_with("GET /relative") {
            return format!("{STREAM}{}0\r\n\r\n", chunk("event: endpoint\ndata: /message?sessionId=1\n\n"))
                .into_bytes();
        }
        reply("202 Accepted", "text/plain", b"Accepted")
    });
    let tapped = Tapped::with(&format!("http://{server}/sse"), |_| (), |_| ());
    let listen = tapped.tap.listen;
    let answer = tapped.ask(tapped.get("/sse", ""));
    assert_eq!(
        answer.text(),
        format!(
            "event: endpoint\ndata: http://{listen}/message?sessionId=1\n\nevent: message\ndata: \"http://{server}/\"\n\n"
        )
    );
    assert_eq!(tapped.ask(tapped.get("/relative", "")).text(), "event: endpoint\ndata: /message?sessionId=1\n\n");
    let frames = tapped.stop();
    // The record has what the server said.
    assert_eq!(frames[2].short(), format!("~ http://{server}/message?sessionId=1"));
}

#[test]
fn a_hundred_streams_at_once() {
    let (address, streams) = streaming();
    let tapped = Tapped::start(address);
    let mut clients: Vec<Wire> = (0..100)
        .map(|n| {
            let mut client = tapped.client();
            client.send(tapped.post("", format!("{{\"id\":{n}}}").as_bytes()));
            client
        })
        .collect();
    let mut servers: Vec<Wire> = (0..100).map(|_| streams.recv_timeout(PATIENCE).unwrap()).collect();
    for client in &mut clients {
        client.head().unwrap();
    }
    for round in 0..3 {
        for upstream in &mut servers {
            upstream.send(chunk(&format!("data: {round}\n\n")));
        }
        for client in &mut clients {
            assert_eq!(client.chunk().unwrap(), format!("data: {round}\n\n").into_bytes());
        }
    }
    // Half of them are left by the client, half ended by the server.
    for client in clients.drain(..50) {
        drop(client);
    }
    wait_until("fifty left", || {
        (tapped.frames().iter().filter(|f| ended(HttpEnd::Client)(f)).count() == 50).then_some(())
    });
    for upstream in &mut servers {
        upstream.send("0\r\n\r\n");
    }
    for client in &mut clients {
        assert!(client.chunk().is_none());
    }
    let frames = tapped.stop();
    assert_eq!(frames.len(), 600);
    assert_eq!(frames.iter().filter(|f| ended(HttpEnd::Eof)(f)).count(), 50);
}

#[test]
fn coded_events_are_recorded_as_they_come() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let tapped = Tapped::start(listener.local_addr().unwrap());
    let mut client = tapped.client();
    client.send(tapped.get("/mcp", "Accept-Encoding: gzip\r\n"));
    let mut upstream = Wire::new(listener.accept().unwrap().0);
    upstream.message().unwrap();
    upstream.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    for n in 0..3 {
        gzip.write_all(format!("data: {n}\n\n").as_bytes()).unwrap();
        gzip.flush().unwrap();
        let part = std::mem::take(gzip.get_mut());
        upstream.send(format!("{:x}\r\n", part.len()));
        upstream.send(&part);
        upstream.send("\r\n");
        if n == 0 {
            client.head().unwrap();
        }
        assert_eq!(client.chunk().unwrap(), part);
        tapped.frame("the event", |f| f.short() == format!("~ {n}"));
    }
    drop(upstream);
    assert!(client.ended());
    assert_eq!(shorts(&tapped.stop()).len(), 6);
}

#[test]
fn an_event_that_is_too_long_is_cut_and_the_next_is_whole() {
    let long = "x".repeat(5000);
    let answer = format!("{STREAM}{}{}0\r\n\r\n", chunk(&format!("data: {long}\n\n")), chunk("data: next\n\n"));
    let body = format!("data: {long}\n\ndata: next\n\n");
    let server = answering(move |_| answer.clone().into_bytes());
    let tapped = Tapped::with(&format!("http://{server}/mcp"), |_| (), |record| record.max_body = 1000);
    assert_eq!(tapped.ask(tapped.post("", b"{}")).text(), body);
    // One that comes whole in a piece is recorded; the bound is what is kept of one that is not whole.
    let frames = tapped.stop();
    assert_eq!(frames.last().unwrap().http.kind, HttpKind::End);
    assert!(frames.iter().any(|f| f.short() == "~ next"), "{:?}", shorts(&frames));
}
