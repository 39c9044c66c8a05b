//! Which client a request comes from.
//!
//! A client keeps several TCP connections open, and several clients use one tap. In the trace a connection (`conn`) is a
//! client. In this order a request belongs to:
//! 1. the client that was handed the session that it names (`Mcp-Session-Id`);
//! 2. the process at the other end of the TCP connection, where the system tells it (Linux, on this machine, as long as
//!    the connection is open); elsewhere all that has the same `User-Agent`, the newest such client first;
//! 3. within these, the client that calls itself by the same name and version (`clientInfo`); what does not say so
//!    belongs to whoever used this TCP connection last, or else to the newest client of that process.
//!
//! Two clients of one name in one process are one here: their sessions still tell them apart before 2026-07-28.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

use super::part::Tcp;

/// TCP connections and sessions that are remembered.
const MAX_REMEMBERED: usize = 4096;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Origin {
    Process(u32),
    Agent(IpAddr, String),
}

/// One client.
#[derive(Debug)]
struct Known {
    conn: u32,
    /// What it calls itself.
    info: Option<String>,
    agent: String,
}

/// What is known of the clients.
#[derive(Default, Debug)]
pub struct Clients {
    /// The number that was given last.
    last: u32,
    sessions: HashMap<String, u32>,
    tcp: HashMap<u64, (Origin, u32)>,
    /// Clients by where they are.
    known: HashMap<Origin, Vec<Known>>,
}

/// What a request says of its sender.
#[derive(Clone, Copy, Default, Debug)]
pub struct Signs<'a> {
    /// `Mcp-Session-Id`.
    pub session: Option<&'a str>,
    /// `User-Agent`.
    pub agent: Option<&'a str>,
    /// Name and version in `clientInfo`.
    pub info: Option<&'a str>,
}

impl Clients {
    /// The number of the client, and whether it is new.
    pub fn identify(&mut self, tcp: &Tcp, signs: Signs<'_>) -> (u32, bool) {
        self.identify_by(tcp, signs, |known| process_of(tcp.peer, tcp.local, known))
    }

    /// `process`: finds the process, with those that are known to look at first.
    fn identify_by(&mut self, tcp: &Tcp, signs: Signs<'_>, process: impl FnOnce(&[u32]) -> Option<u32>) -> (u32, bool) {
        if let Some(conn) = signs.session.and_then(|id| self.sessions.get(id)) {
            return (*conn, false);
        }
        let before = self.tcp.get(&tcp.number).cloned();
        let origin = before
            .as_ref()
            .map_or_else(|| self.origin(tcp, signs.agent.unwrap_or_default(), process), |(origin, _)| origin.clone());
        let known = self.known.entry(origin.clone()).or_default();
        let found = match signs.info {
            Some(info) => {
                let same = known.iter().position(|k| k.info.as_deref() == Some(info));
                same.or_else(|| known.iter().position(|k| k.info.is_none()))
            }
            None => {
                let last = before.and_then(|(_, conn)| known.iter().position(|k| k.conn == conn));
                last.or(known.len().checked_sub(1))
            }
        };
        let (conn, new) = match found {
            Some(at) => {
                let client = &mut known[at];
                if client.info.is_none() {
                    client.info = signs.info.map(str::to_owned);
                }
                (client.conn, false)
            }
            None => {
                self.last += 1;
                let (info, agent) = (signs.info.map(str::to_owned), signs.agent.unwrap_or_default().to_owned());
                known.push(Known { conn: self.last, info, agent });
                (self.last, true)
            }
        };
        bound(&mut self.tcp);
        self.tcp.insert(tcp.number, (origin, conn));
        (conn, new)
    }

    fn origin(&self, tcp: &Tcp, agent: &str, process: impl FnOnce(&[u32]) -> Option<u32>) -> Origin {
        let processes: Vec<u32> =
            self.known.keys().filter_map(|o| if let Origin::Process(pid) = o { Some(*pid) } else { None }).collect();
        if let Some(pid) = process(&processes) {
            return Origin::Process(pid);
        }
        // The connection may have been closed before we looked.
        let ip = tcp.peer.ip();
        let near = |o: &Origin| match o {
            Origin::Process(_) => ip.to_canonical().is_loopback(),
            Origin::Agent(other, _) => *other == ip,
        };
        let all = self.known.iter().filter(|(o, _)| near(o)).flat_map(|(o, all)| all.iter().map(move |k| (o, k)));
        let newest = all.filter(|(_, k)| k.agent == agent).max_by_key(|(_, k)| k.conn);
        newest.map_or_else(|| Origin::Agent(ip, agent.to_owned()), |(origin, _)| origin.clone())
    }

    /// A server has handed out a session.
    pub fn session(&mut self, id: &str, conn: u32) {
        bound(&mut self.sessions);
        self.sessions.insert(id.to_owned(), conn);
    }
}

/// Somebody who opens thousands of connections or sessions must not fill the memory.
fn bound<K, V>(map: &mut HashMap<K, V>) {
    if map.len() >= MAX_REMEMBERED {
        map.clear();
    }
}

/// The process that has the other end of a TCP connection of this machine.
#[cfg(target_os = "linux")]
fn process_of(peer: SocketAddr, local: SocketAddr, known: &[u32]) -> Option<u32> {
    use std::fs;
    let inode = ["/proc/self/net/tcp", "/proc/self/net/tcp6"].iter().find_map(|table| {
        let text = fs::read_to_string(table).ok()?;
        text.lines().skip(1).find_map(|line| {
            let mut words = line.split_ascii_whitespace().skip(1);
            let (near, far) = (address(words.next()?)?, address(words.next()?)?);
            (near == (peer.ip().to_canonical(), peer.port()) && far == (local.ip().to_canonical(), local.port()))
                .then(|| words.nth(6).map(str::to_owned))?
        })
    })?;
    let wanted = format!("socket:[{inode}]");
    // Processes of other users are closed to us.
    let has = |pid: u32| {
        fs::read_dir(format!("/proc/{pid}/fd")).is_ok_and(|files| {
            files.flatten().any(|fd| fs::read_link(fd.path()).is_ok_and(|to| to.as_os_str() == wanted.as_str()))
        })
    };
    known.iter().copied().find(|pid| has(*pid)).or_else(|| {
        let all = fs::read_dir("/proc").ok()?.flatten();
        let mut all: Vec<u32> = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        // A client has often begun a moment ago.
        all.sort_unstable_by(|a, b| b.cmp(a));
        all.into_iter().filter(|pid| !known.contains(pid)).find(|pid| has(*pid))
    })
}

#[cfg(not(target_os = "linux"))]
fn process_of(_: SocketAddr, _: SocketAddr, _: &[u32]) -> Option<u32> {
    None
}

/// An address as the kernel writes it: words of hexadecimal digits in the machine's own byte order, a colon, the port.
#[cfg(target_os = "linux")]
fn address(text: &str) -> Option<(IpAddr, u16)> {
    let (ip, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let mut bytes = Vec::with_capacity(16);
    for at in (0..ip.len()).step_by(8) {
        bytes.extend(u32::from_str_radix(ip.get(at..at + 8)?, 16).ok()?.to_ne_bytes());
    }
    let ip = match bytes.len() {
        4 => IpAddr::from(<[u8; 4]>::try_from(bytes).ok()?),
        16 => IpAddr::from(<[u8; 16]>::try_from(bytes).ok()?),
        _ => return None,
    };
    Some((ip.to_canonical(), port))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn tcp(number: u64) -> Tcp {
        let address = SocketAddr::from(([127, 0, 0, 1], 1));
        Tcp { number, peer: address, local: address }
    }

    #[test]
    fn who_is_who() {
        let mut clients = Clients::default();
        let mut ask = |n: u64, pid: Option<u32>, session, agent, info| {
            clients.identify_by(&tcp(n), Signs { session, agent, info }, |_| pid)
        };
        // One process with two TCP connections; it says its name on one of them.
        assert_eq!(ask(1, Some(7), None, Some("node"), Some("a 1")), (1, true));
        assert_eq!(ask(2, Some(7), None, Some("node"), None), (1, false));
        // Another client of that process, and one of the same name in another.
        assert_eq!(ask(2, Some(7), None, Some("node"), Some("b 1")), (2, true));
        assert_eq!(ask(2, Some(7), None, Some("node"), None), (2, false));
        assert_eq!(ask(1, Some(7), None, Some("node"), None), (1, false));
        assert_eq!(ask(3, Some(8), None, Some("node"), Some("a 1")), (3, true));
        // Without a process: by what it calls itself.
        assert_eq!(ask(4, None, None, Some("python"), None), (4, true));
        assert_eq!(ask(5, None, None, Some("python"), Some("c 1")), (4, false));
        assert_eq!(ask(6, None, None, Some("curl"), None), (5, true));
        // A process that could not be found any more: the newest client of that kind.
        assert_eq!(ask(7, None, None, Some("node"), None), (3, false));
        clients.session("s-1", 4);
        let signs = Signs { session: Some("s-1"), ..Signs::default() };
        assert_eq!(clients.identify_by(&tcp(1), signs, |_| None), (4, false));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_process_of_a_connection() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = std::net::TcpListener::bind(address) else { continue };
            let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let found = process_of(client.local_addr().unwrap(), client.peer_addr().unwrap(), &[]);
            assert_eq!(found, Some(std::process::id()), "{address}");
        }
    }
}
