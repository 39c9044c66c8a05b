//! The listening side: where the tap is found, the connections of clients, and the end of it all.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};

use super::exchange::Limits;
use super::guard::Guard;
use super::origin::{FIRST_PORT, PORTS, Upstream};
use super::part::Tcp;
use super::proxy::Proxy;
use super::sniff::{Sniffed, Sniffer};
use super::upstream::{self, Trust};
use crate::error::{Failure, Result};
use crate::tap::clock::Clock;
use crate::tap::record::{MAX_BODY, Record};
use crate::tap::spool::Spool;

/// Ports that are tried beside the usual one.
const OTHERS: u16 = 64;

/// Connections of clients at once; more wait.
const MAX_CONNECTIONS: usize = 2048;

/// Largest head of a request.
const MAX_HEAD: usize = 64 << 10;

/// At the end exchanges that go on have so long to end by themselves.
const GRACE: Duration = Duration::from_millis(300);

/// So long without progress is the recorder waited for at the end.
const RECORDER: Duration = Duration::from_secs(2);

/// What the tap is to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// The server.
    pub server: Upstream,
    /// Where to listen; port 0 takes any. `None`: on this machine alone, on the port that the URL gives.
    pub listen: Option<SocketAddr>,
    /// Other machines may use it.
    pub allow_remote: bool,
    /// Certificates (PEM) that are trusted beside the system's.
    pub ca: Option<PathBuf>,
    /// The server's certificate is not looked at.
    pub insecure: bool,
    /// A client that dials the tap shall believe what the server says about its address.
    pub rewrite_oauth: bool,
    /// Is told what people should know while the tap runs, in one line.
    pub notice: Option<fn(&str)>,
}

impl Options {
    /// For a server, with nothing special.
    pub fn new(server: Upstream) -> Options {
        Options {
            server,
            listen: None,
            allow_remote: false,
            ca: None,
            insecure: false,
            rewrite_oauth: false,
            notice: None,
        }
    }
}

/// A running tap. It ends when it is dropped.
pub struct Tap {
    /// The address that it listens on.
    pub listen: SocketAddr,
    /// The URL that a client is to be given.
    pub url: String,
    /// The port that the URL gives was taken: it is another one this time.
    pub moved: bool,
    /// Where the trace is, or why nothing is recorded; `None`: nothing was to be recorded.
    pub trace: Option<std::result::Result<PathBuf, String>>,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Tap {
    /// Starts it; the listener is open when this comes back.
    ///
    /// # Errors
    /// No such address, all ports taken, an address that other machines reach without leave, a file of certificates that
    /// cannot be used.
    pub fn start(options: Options, record: Option<Record>) -> Result<Tap> {
        let broken = |e: io::Error| Failure::new(format!("cannot start the tap: {e}"));
        let (listener, moved) = bind(&options)?;
        listener.set_nonblocking(true).map_err(broken)?;
        let listen = listener.local_addr().map_err(broken)?;
        allow_many_files();
        let trust = Trust { ca: options.ca.as_deref(), insecure: options.insecure };
        let client = upstream::client(options.server.origin.https, &trust)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(broken)?;
        let max_body = record.as_ref().map_or(MAX_BODY, |r| r.max_body);
        let spool = record.map(|record| Spool::start(record, Clock::start())).transpose().map_err(broken)?;
        let trace = spool.as_ref().map(|spool| {
            let opened = spool.wait_open(Duration::from_secs(2));
            opened.cloned().unwrap_or_else(|| Err("the disk does not answer".into()))
        });
        let proxy = Arc::new(Proxy {
            client,
            server: options.server.origin.clone(),
            guard: Guard { listen, remote: options.allow_remote, server: options.server.origin.clone() },
            shared: spool.as_ref().map(|s| s.shared().clone()),
            limits: Arc::new(Limits { max_body, ..Limits::default() }),
            rewrite_oauth: options.rewrite_oauth,
            notice: options.notice,
            told: AtomicBool::new(false),
            streams: AtomicU32::new(0),
            live: Arc::new(AtomicUsize::new(0)),
        });
        let (stop, stopped) = watch::channel(false);
        let run = move || {
            runtime.block_on(serve(listener, &proxy, stopped));
            // What still goes on is cut off, and its end recorded, before the record is closed.
            drop(runtime);
            drop(proxy);
            if let Some(spool) = spool {
                spool.finish(RECORDER);
            }
        };
        let thread = thread::Builder::new().name("http".into()).spawn(run).map_err(broken)?;
        let url = format!("http://{}{}", shown(listen), options.server.path);
        Ok(Tap { listen, url, moved, trace, stop, thread: Some(thread) })
    }

    /// Ends it: streams are closed, and the record is complete when this comes back.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // A tap that has ended hears nothing.
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.end();
    }
}

/// The address that a client is to dial: one that means every address of this machine is none.
fn shown(listen: SocketAddr) -> SocketAddr {
    if listen.ip().is_unspecified() { SocketAddr::from((Ipv4Addr::LOCALHOST, listen.port())) } else { listen }
}

fn bind(options: &Options) -> Result<(TcpListener, bool)> {
    if let Some(address) = options.listen {
        if !address.ip().is_loopback() && !options.allow_remote {
            return Err(Failure::new(format!("{address} can be reached from other machines"))
                .hint("listen on 127.0.0.1, or say --allow-remote too"));
        }
        let listener = TcpListener::bind(address);
        return listener
            .map(|l| (l, false))
            .map_err(|e| Failure::new(format!("cannot listen on {address}: {e}")).hint("choose another port"));
    }
    let usual = options.server.usual_port();
    let mut last = io::Error::from(io::ErrorKind::AddrInUse);
    for n in 0..OTHERS {
        let port = FIRST_PORT + (usual - FIRST_PORT + n) % PORTS;
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => return Ok((listener, n > 0)),
            Err(e) => last = e,
        }
    }
    Err(Failure::new(format!("cannot listen on 127.0.0.1:{usual}, nor on the {OTHERS} ports after it: {last}"))
        .hint("choose one with --listen 127.0.0.1:PORT"))
}

/// Each stream needs two descriptors, and the usual limit is 1024.
fn allow_many_files() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current < limit.maximum || limit.maximum.is_none() {
        limit.current = limit.maximum;
        // Without it there is room for fewer streams.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}

async fn serve(listener: TcpListener, proxy: &Arc<Proxy>, stopped: watch::Receiver<bool>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut number = 0;
    let mut end = stopped.clone();
    let accept = async {
        loop {
            // The semaphore is never closed.
            let Ok(permit) = room.clone().acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, peer)) => {
                    number += 1;
                    let local = stream.local_addr().unwrap_or(proxy.guard.listen);
                    let tcp = Arc::new(Tcp { number, peer, local });
                    let (proxy, stopped) = (proxy.clone(), stopped.clone());
                    tokio::spawn(async move {
                        connection(stream, tcp, proxy, stopped).await;
                        drop(permit);
                    });
                }
                // A client that has left again, or no descriptor free: the others go on.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    tokio::select! {
        () = accept => {}
        _ = end.wait_for(|stop| *stop) => {}
    }
    drop(listener);
    proxy.limits.closing.store(true, Ordering::Relaxed);
    let quiet = async {
        while proxy.live.load(Ordering::Relaxed) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    // What does not end by itself is ended.
    let _ = tokio::time::timeout(GRACE, quiet).await;
}

async fn connection(stream: TcpStream, tcp: Arc<Tcp>, proxy: Arc<Proxy>, mut stopped: watch::Receiver<bool>) {
    // Small answers and single events must not wait for more.
    let _ = stream.set_nodelay(true);
    let heads = Sniffer::requests();
    let io = Sniffed::new(TokioIo::new(stream), heads.clone());
    let service = service_fn(move |request| proxy.clone().handle(tcp.clone(), heads.clone(), request));
    let connection = http1::Builder::new()
        .preserve_header_case(true)
        .auto_date_header(false)
        .max_header_size(MAX_HEAD)
        .header_read_timeout(None)
        .serve_connection(io, service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // A client that breaks off is seen in its exchange.
        _ = connection.as_mut() => return,
        _ = stopped.wait_for(|stop| *stop) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}
