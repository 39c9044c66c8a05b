//! A protected server behind the tap.

use super::*;

fn protected() -> SocketAddr {
    answering(|request| {
        let host = request.header("host").unwrap();
        if request.head.starts_with("GET /.well-known/oauth-protected-resource") {
            let body = format!(r#"{{"resource":"http://{host}/mcp","authorization_servers":["http://{host}"]}}"#);
            if request.header("accept-encoding").is_none() {
                return reply("200 OK", "application/json", body.as_bytes());
            }
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            gzip.write_all(body.as_bytes()).unwrap();
            let body = gzip.finish().unwrap();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            return [head.as_bytes(), &body].concat();
        }
        if request.header("authorization") == Some("Bearer t") {
            return reply("200 OK", "application/json", b"{}");
        }
        format!("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nWWW-Authenticate: Bearer resource_metadata=\"http://{host}/.well-known/oauth-protected-resource/mcp\"\r\nContent-Length: 0\r\n\r\n").into_bytes()
    })
}

#[test]
fn what_the_server_says_of_itself_leads_to_the_tap() {
    let server = protected();
    let tapped = Tapped::with(&format!("http://{server}/mcp"), |options| options.rewrite_oauth = true, |_| ());
    let listen = tapped.tap.listen;
    let challenge = tapped.ask(tapped.post("", b"{}"));
    let want = format!(
        "WWW-Authenticate: Bearer resource_metadata=\"http://{listen}/.well-known/oauth-protected-resource/mcp\""
    );
    assert_eq!(
        (challenge.status(), challenge.fields()[..2].to_vec()),
        (401, vec!["WWW-Authenticate: Basic", want.as_str()])
    );
    let metadata = format!(r#"{{"resource":"http://{listen}/mcp","authorization_servers":["http://{server}"]}}"#);
    for fields in ["", "Accept-Encoding: gzip\r\n"] {
        let answer = tapped.ask(tapped.get("/.well-known/oauth-protected-resource/mcp", fields));
        assert_eq!((answer.text(), answer.header("content-encoding")), (metadata.clone(), None));
    }
    assert_eq!(tapped.ask(tapped.post("Authorization: Bearer t\r\n", b"{}")).status(), 200);
    // The record has what the server said.
    let frames = tapped.stop();
    assert!(frames[1].fields()[1].contains(&server.to_string()));
    let original = format!(r#"{{"resource":"http://{server}/mcp","authorization_servers":["http://{server}"]}}"#);
    assert_eq!((frames[3].short(), frames[5].short()), (format!("< 200 {original}"), format!("< 200 {original}")));
}

#[test]
fn without_leave_nothing_is_changed() {
    let server = protected();
    let tapped = Tapped::start(server);
    assert!(tapped.ask(tapped.post("", b"{}")).head.contains(&server.to_string()));
    let answer = tapped.ask(tapped.get("/.well-known/oauth-protected-resource/mcp", ""));
    assert!(answer.text().starts_with(&format!("{{\"resource\":\"http://{server}/mcp\"")));
}
