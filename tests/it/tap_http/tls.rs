//! TLS to the server, and HTTP/2 where it speaks that.

use super::*;
use std::convert::Infallible;
use std::path::Path;
use std::pin::Pin;
use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// An authority and a certificate of it for this machine; `None` where there is no `openssl` to make them.
fn certificates(folder: &Path) -> Option<()> {
    std::fs::write(folder.join("ext"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n").unwrap();
    let new = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
    for line in [
        format!("req -x509 {new} -keyout ca.key -out ca.pem -subj /CN=authority"),
        format!("req {new} -keyout key.pem -out request.pem -subj /CN=localhost"),
        "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out cert.pem".into(),
    ] {
        let made = Command::new("openssl").args(line.split(' ')).current_dir(folder).output();
        let Ok(made) = made else {
            eprintln!("skipped: there is no openssl");
            return None;
        };
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
    Some(())
}

/// What the server answers.
enum Answer {
    Text(Option<Bytes>),
    /// One event and no end; tells when it is dropped.
    Events(Option<Bytes>, Sender<()>),
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Answer::Text(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Answer::Events(first, _) => first.take().map_or(Poll::Pending, |e| Poll::Ready(Some(Ok(Frame::data(e))))),
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let Answer::Events(_, tell) = self {
            let _ = tell.send(());
        }
    }
}

/// A TLS server that says which version of HTTP it was asked in; `/events` is a stream without an end.
fn secure(folder: &Path, alpn: &[&str]) -> (SocketAddr, Receiver<()>) {
    let chain: Vec<_> = CertificateDer::pem_file_iter(folder.join("cert.pem")).unwrap().map(|c| c.unwrap()).collect();
    let key = PrivateKeyDer::from_pem_file(folder.join("key.pem")).unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    config.alpn_protocols = alpn.iter().map(|p| p.as_bytes().to_vec()).collect();
    let acceptor = tokio_rustls::TlsAcceptor::from(std::sync::Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (acceptor, tell) = (acceptor.clone(), tell.clone());
                tokio::spawn(async move {
                    // A client that does not trust us ends it here.
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let service = service_fn(move |request| answer(request, tell.clone()));
                    let _ = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new())
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
    });
    (address, told)
}

async fn answer(request: http::Request<Incoming>, tell: Sender<()>) -> Result<http::Response<Answer>, Infallible> {
    let response = http::Response::builder();
    if request.uri().path() == "/events" {
        let events = Answer::Events(Some(Bytes::from_static(b"data: 1\n\n")), tell);
        return Ok(response.header("content-type", "text/event-stream").body(events).unwrap());
    }
    let host = request.headers().get("host").map(|h| h.to_str().unwrap().to_owned());
    let said = format!("{:?} {} ", request.version(), host.unwrap_or_default());
    let sent = request.into_body().collect().await.unwrap().to_bytes();
    let text = [said.as_bytes(), &sent].concat();
    Ok(response.header("content-type", "text/plain").body(Answer::Text(Some(text.into()))).unwrap())
}

#[test]
fn servers_with_tls_and_either_version() {
    let folder = tempfile::tempdir().unwrap();
    if certificates(folder.path()).is_none() {
        return;
    }
    for (alpn, version) in [(&["h2", "http/1.1"][..], "HTTP/2.0"), (&["http/1.1"], "HTTP/1.1"), (&[], "HTTP/1.1")] {
        let (address, told) = secure(folder.path(), alpn);
        let url = format!("https://localhost:{}/mcp", address.port());
        let ca = folder.path().join("ca.pem");
        let tapped = Tapped::with(&url, |options| options.ca = Some(ca), |_| ());
        let answer = tapped.ask(tapped.post("X-One: 1\r\n", b"{}"));
        assert_eq!((answer.status(), answer.text()), (200, format!("{version} localhost:{} {{}}", address.port())));
        // Streams, and their end by the client, pass in both versions.
        let mut client = tapped.client();
        client.send(tapped.get("/events", ""));
        client.head().unwrap();
        assert_eq!(client.chunk().unwrap(), b"data: 1\n\n");
        drop(client);
        told.recv_timeout(PATIENCE).unwrap();
        tapped.frame("the client's end", ended(HttpEnd::Client));
        let frames = tapped.stop();
        let said = format!("< 200 {version} localhost:{} {{}}", address.port());
        assert_eq!(shorts(&frames), ["> POST {}", said.as_str(), "> GET ", "< 200 ", "~ 1", "c2s Client"]);
    }
}

#[test]
fn strangers_are_not_trusted_unless_it_is_said() {
    let folder = tempfile::tempdir().unwrap();
    if certificates(folder.path()).is_none() {
        return;
    }
    let (address, _told) = secure(folder.path(), &["h2"]);
    let url = format!("https://localhost:{}/mcp", address.port());
    let tapped = Tapped::with(&url, |_| (), |_| ());
    let answer = tapped.ask(tapped.post("", b"{}"));
    assert_eq!(answer.status(), 502);
    assert!(answer.text().contains("certificate"), "{}", answer.text());
    let tapped = Tapped::with(&url, |options| options.insecure = true, |_| ());
    assert_eq!(tapped.ask(tapped.post("", b"{}")).status(), 200);
    // A file without a certificate is said at the start.
    let mut options = Options::new(Upstream::parse(&url).unwrap());
    (options.listen, options.ca) = (Some("127.0.0.1:0".parse().unwrap()), Some(folder.path().join("ext")));
    let refused = Tap::start(options, None).err().unwrap().to_string();
    assert!(refused.contains("PEM"), "{refused}");
}
