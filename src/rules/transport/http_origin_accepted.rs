//! `http-origin-accepted`: a request from a foreign origin was served.

use crate::mcp::Revisions;
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-origin-accepted",
    layer: Layer::Transport,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Response) else { return };
    if http.status.is_none_or(|s| !(200..300).contains(&s)) || stream.is_method("OPTIONS") || !stream.before.posted {
        return;
    }
    let (Some(origin), Some(host)) = (stream.request_header("origin"), stream.request_header("host")) else { return };
    let origin = origin.trim();
    let Some((_, authority)) = origin.split_once("://") else { return };
    if same_host(authority, host.trim()) {
        return;
    }
    // The server names this very origin as allowed: it is on its list.
    if http.header("access-control-allow-origin").is_some_and(|a| a.trim() == origin) {
        return;
    }
    out.say(format!("a request to {} from the origin {} was served", short(host), short(origin)))
        .expected("403, unless the origin is on the server's list")
        .actual(http.status.map_or_else(String::new, |s| s.to_string()));
}

/// Whether two authorities name the same host; the port does not count, and all names of this machine are one.
fn same_host(a: &str, b: &str) -> bool {
    fn host(authority: &str) -> &str {
        let authority = authority.rsplit('@').next().unwrap_or(authority);
        match authority.strip_prefix('[') {
            Some(v6) => v6.split(']').next().unwrap_or(v6),
            None => authority.split([':', '/']).next().unwrap_or(authority),
        }
    }
    let local = |h: &str| h.eq_ignore_ascii_case("localhost") || h == "::1" || h.starts_with("127.") || h == "0.0.0.0";
    let (a, b) = (host(a), host(b));
    a.eq_ignore_ascii_case(b) || local(a) && local(b)
}
