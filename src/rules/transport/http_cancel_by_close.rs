//! `http-cancel-by-close`: the client closed the stream of a request that waits.

use crate::mcp::Method;
use crate::mcp::Revisions;
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::{Dir, HttpEnd, HttpKind};

/// See the module.
pub static RULE: Rule = Rule {
    id: "http-cancel-by-close",
    layer: Layer::Transport,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Client,
    revisions: Revisions::MODERN,
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Http(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, stream)) = cx.http_of(HttpKind::End) else { return };
    if http.how != Some(HttpEnd::Client) && cx.dir != Dir::C2s {
        return;
    }
    for exchange in &stream.exchanges {
        let Some(e) = cx.store.exchanges.get(*exchange as usize).filter(|e| e.outcome.is_open()) else { continue };
        let method = cx.store.method_of(e).unwrap_or("request");
        if method == Method::Listen.name() {
            out.say("the client closed the stream of its subscription, which ends it");
        } else {
            let about = cx.store.target_of(e).map(|t| format!(" {}", short(t))).unwrap_or_default();
            out.say(format!("the client closed the stream before the answer: {}{about} is cancelled", short(method)));
        }
    }
}
