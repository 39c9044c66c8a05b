//! The way to the server: HTTP/1 or HTTP/2, with TLS where its URL says so.

use std::error::Error as _;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy::connect::{Connection as _, HttpConnector};
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio::net::TcpStream;
use tower_service::Service;

use super::body::Upload;
use super::sniff::{Sniffed, Sniffer};
use crate::error::{Failure, Result};

/// A server that takes no connection for so long is given up.
const CONNECT: Duration = Duration::from_secs(30);

/// Idle connections are closed before servers close them (Node.js and uvicorn do after 5 s): a request that meets a
/// closing connection is lost.
const IDLE: Duration = Duration::from_secs(4);

/// The client side of the proxy.
pub type Upstreams = Client<Connector, Upload>;

/// Whom to trust as the server.
#[derive(Clone, Debug, Default)]
pub struct Trust<'a> {
    /// Certificates (PEM) beside those of the system.
    pub ca: Option<&'a Path>,
    /// Anybody.
    pub insecure: bool,
}

/// Makes the client. `https`: the system's certificates are needed; reading them takes time.
///
/// # Errors
/// The file of certificates cannot be used.
pub fn client(https: bool, trust: &Trust<'_>) -> Result<Upstreams> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(Some(CONNECT));
    tcp.set_keepalive(Some(Duration::from_secs(60)));
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls(https, trust)?)
        .https_or_http()
        .enable_http1()
        .enable_http2()
        .wrap_connector(tcp);
    let mut builder = Client::builder(TokioExecutor::new());
    builder
        .http1_preserve_header_case(true)
        .http1_max_buf_size(1 << 20)
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .timer(TokioTimer::new())
        // What the proxy sends is what came, nothing more. A request is sent again only if none of it was sent.
        .set_host(false)
        .retry_canceled_requests(true);
    Ok(builder.build(Connector(connector)))
}

fn tls(https: bool, trust: &Trust<'_>) -> Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|e| Failure::new(format!("TLS cannot be set up: {e}")))?;
    if trust.insecure {
        let verifier = Arc::new(Anybody(provider));
        return Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth());
    }
    let mut roots = RootCertStore::empty();
    if https {
        // A certificate that cannot be read is one that is not trusted.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        }
    }
    if let Some(path) = trust.ca {
        let bad = |why: String| Failure::new(format!("cannot use --ca {}: {why}", path.display()));
        let before = roots.len();
        for certificate in CertificateDer::pem_file_iter(path).map_err(|e| bad(e.to_string()))? {
            let certificate = certificate.map_err(|e| bad(e.to_string()))?;
            roots.add(certificate).map_err(|e| bad(e.to_string()))?;
        }
        if roots.len() == before {
            return Err(bad("there is no certificate in it (it must be a PEM file)".into()));
        }
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Connects, and looks at what the server answers.
#[derive(Clone)]
pub struct Connector(HttpsConnector<HttpConnector>);

type Stream = Sniffed<MaybeHttpsStream<TokioIo<TcpStream>>>;
type Refused = Box<dyn std::error::Error + Send + Sync>;

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = Refused;
    type Future = Pin<Box<dyn Future<Output = std::result::Result<Stream, Refused>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<std::result::Result<(), Refused>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = self.0.call(uri);
        Box::pin(async move {
            let stream = connecting.await?;
            // HTTP/2 has no heads to look at, and no case to keep.
            let h2 = stream.connected().is_negotiated_h2();
            Ok(Sniffed::new(stream, if h2 { Sniffer::nothing() } else { Sniffer::responses() }))
        })
    }
}

/// What went wrong, from the outside in, without saying anything twice.
pub fn why(error: &Error) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut source = error.source();
    while let Some(inner) = source {
        let text = inner.to_string();
        if !texts.iter().any(|t| t.contains(&text)) {
            texts.push(text);
        }
        source = inner.source();
    }
    if texts.is_empty() { error.to_string() } else { texts.join(": ") }
}

/// `--insecure`.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
