//! What HTTP requests of one connection have to do with each other: endpoints, tokens, redirects, ended sessions.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::mcp::headers;
use crate::trace::session::Stream;
use crate::trace::session::stream::{Before, path_only, resolve, target};
use crate::wire::frame::{Http, HttpKind};

/// Paths, ids and addresses that are remembered at most; a client has one or two.
const MAX: usize = 1024;

/// An address that an `endpoint` event announced (HTTP+SSE).
#[derive(Debug)]
struct Endpoint {
    target: Box<str>,
    session: u32,
    stream: u32,
}

/// The memory of one connection.
#[derive(Default, Debug)]
pub(super) struct Web {
    posted: FxHashSet<Box<str>>,
    authorised: FxHashSet<Box<str>>,
    redirects: FxHashMap<Box<str>, u32>,
    expired: FxHashMap<Box<str>, u32>,
    endpoints: Vec<Endpoint>,
}

/// An address of authorization, not of MCP: metadata, and the endpoints of a server that hands out its own tokens.
pub(super) fn is_authorization(path: &str) -> bool {
    const ENDPOINTS: &[&str] = &["authorize", "token", "register", "revoke", "introspect"];
    path.contains("/.well-known/") || path.rsplit('/').next().is_some_and(|last| ENDPOINTS.contains(&last))
}

fn is(http: &Http<'_>, method: &str) -> bool {
    http.method.as_deref().is_some_and(|m| m.eq_ignore_ascii_case(method))
}

impl Web {
    /// What a request meets, and what it leaves behind for later ones.
    pub fn request(&mut self, http: &Http<'_>) -> (Before, bool) {
        let Some(full) = http.path.as_deref() else { return (Before::default(), false) };
        let path = path_only(full);
        let post = is(http, "POST") && !is_authorization(path);
        let announced = self.endpoints.iter().any(|e| &*e.target == target(full));
        let before = Before {
            posted: post || self.posted.contains(path),
            token: self.authorised.contains(path),
            redirect: if is(http, "GET") { self.redirects.remove(path) } else { None },
            session_over: false,
            expired: http.header(headers::SESSION_ID).and_then(|id| self.expired.get(id)).copied(),
            endpoint: match self.endpoints.last() {
                Some(e) if post && !announced => Some(e.target.clone()),
                _ => None,
            },
        };
        if post && self.posted.len() < MAX && !self.posted.contains(path) {
            self.posted.insert(path.into());
        }
        if http.header("authorization").is_some() && self.authorised.len() < MAX && !before.token {
            self.authorised.insert(path.into());
        }
        (before, post && announced)
    }

    /// What an answer says about later requests. `ends_session`: a 404 that means "no such session".
    pub fn response(&mut self, stream: &Stream, record: u32, ends_session: bool) {
        let (Some(request), Some(status)) = (stream.request.as_deref(), stream.status()) else { return };
        let Some(full) = request.path.as_deref() else { return };
        if matches!(status, 401 | 403) && request.header("authorization").is_some() {
            self.authorised.remove(path_only(full));
        }
        if matches!(status, 301..=303)
            && is(request, "POST")
            && let Some(to) = stream.response_header("location").filter(|_| self.redirects.len() < MAX)
        {
            self.redirects.insert(path_only(&resolve(full, to)).into(), record);
        }
        if let Some(id) = request.header(headers::SESSION_ID) {
            let deleted = is(request, "DELETE") && (200..300).contains(&status);
            if (ends_session || deleted) && self.expired.len() < MAX {
                self.expired.entry(id.into()).or_insert(record);
            } else if (200..300).contains(&status) {
                // It works again: the 404 was about something else.
                self.expired.remove(id);
            }
        }
    }

    /// Whether the session of that id is over.
    pub fn is_expired(&self, id: &str) -> bool {
        self.expired.contains_key(id)
    }

    /// An `endpoint` event announces where to POST.
    pub fn announce(&mut self, stream: &Stream, reference: &str) {
        let base = stream.request.as_deref().and_then(|r| r.path.as_deref()).unwrap_or("/");
        let target = resolve(base, reference).into_boxed_str();
        self.endpoints.retain(|e| e.stream != stream.number);
        if self.endpoints.len() < MAX {
            self.endpoints.push(Endpoint { target, session: stream.session, stream: stream.number });
        }
    }

    /// The stream is over: its address takes no more POSTs.
    pub fn end(&mut self, stream: u32) {
        self.endpoints.retain(|e| e.stream != stream);
    }

    /// The session whose `endpoint` event announced where this request goes.
    pub fn session_of(&self, http: &Http<'_>) -> Option<u32> {
        if http.kind != HttpKind::Request || self.endpoints.is_empty() {
            return None;
        }
        let to = target(http.path.as_deref()?);
        self.endpoints.iter().rev().find(|e| &*e.target == to).map(|e| e.session)
    }
}
