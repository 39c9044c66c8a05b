//! `stderr-at-failure`: the server wrote to stderr where it did not answer.

use crate::mcp::Method;
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::NONE;
use crate::trace::why::{place, stderr_after};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;

/// See the module.
pub static RULE: Rule = Rule {
    id: "stderr-at-failure",
    layer: Layer::Transport,
    severity: Severity::Info,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Stdio,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Unanswered(check), On::End(check_end)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(open) = cx.open else { return };
    let exempt = open.dir != Dir::C2s || open.cancelled.is_some() || open.after_eof;
    if exempt || open.method == Some(Method::Listen) {
        return;
    }
    let what = format!("request {} ({}), which was never answered", open.id.text, place(cx.store, open.record));
    say(cx, out, open.record, &what);
}

/// An answer that was broken off is a failure too.
fn check_end(cx: &Cx<'_>, out: &mut Out<'_>) {
    let cut = cx.session.trouble[1].broken_off;
    if cut != NONE {
        say(cx, out, cut, &format!("the line that was broken off ({})", place(cx.store, cut)));
    }
}

/// The first line of stderr between the failure and the next message of the server.
fn say(cx: &Cx<'_>, out: &mut Out<'_>, failure: u32, what: &str) {
    let Some((line, count)) = stderr_after(cx.session, failure) else { return };
    if cx.store.fired(line, RULE.id) {
        return;
    }
    let lines = if count == 1 { "a line".to_owned() } else { format!("{count} lines") };
    out.say(format!("the server wrote {lines} to stderr after {what}")).on(line).because_of(failure);
}
