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

static TOLD: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());

#[test]
fn without_leave_nothing_is_changed() {
    let server = protected();
    let notice = |text: &str| TOLD.lock().unwrap().push(text.to_owned());
    let tapped = Tapped::with(&format!("http://{server}/mcp"), |options| options.notice = Some(notice), |_| ());
    assert!(tapped.ask(tapped.post("", b"{}")).head.contains(&server.to_string()));
    for _ in 0..2 {
        let answer = tapped.ask(tapped.get("/.well-known/oauth-protected-resource/mcp", ""));
        assert!(answer.text().starts_with(&format!("{{\"resource\":\"http://{server}/mcp\"")));
    }
    // But it is said that clients will not like it, once.
    wait_until("a word about it", || (!TOLD.lock().unwrap().is_empty()).then_some(()));
    assert_eq!(tapped.stop().len(), 6);
    let told = TOLD.lock().unwrap();
    assert!(
        told.len() == 1 && told[0].contains("--rewrite-oauth") && told[0].contains(&server.to_string()),
        "{told:?}"
    );
}
