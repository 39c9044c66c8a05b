//! `http-accept`: a request does not accept what the server may answer with.

use crate::mcp::{Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::{Http, HttpKind};

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-accept",
    layer: Layer::Transport,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::since(Revision::V2025_03_26),
    wire: Wire::Http,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::Request) else { return };
    if stream.two_endpoints {
        return;
    }
    let post = stream.is_method("POST") && stream.before.posted;
    let get = stream.is_method("GET") && stream.before.posted && !cx.revision.is_modern();
    let wanted: &[&str] = match (post, get) {
        (true, _) => &["application/json", "text/event-stream"],
        (_, true) => &["text/event-stream"],
        _ => return,
    };
    let missing: Vec<&str> = wanted.iter().copied().filter(|t| !accepts(http, t)).collect();
    if missing.is_empty() {
        return;
    }
    let method = if post { "POST" } else { "GET" };
    let actual = http.header("accept").map_or_else(|| "no Accept header".to_owned(), crate::rules::show::short);
    out.say(format!("Accept of the {method} does not list {}", missing.join(" and ")))
        .expected(wanted.join(", "))
        .actual(actual);
}

fn accepts(http: &Http<'_>, kind: &str) -> bool {
    let all = http.headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case("accept"));
    all.flat_map(|(_, v)| v.split(','))
        .any(|t| t.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(kind))
}
