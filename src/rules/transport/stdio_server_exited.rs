//! `stdio-server-exited`: the server closed its output while requests were open.

use super::says_nothing;
use crate::mcp::Method;
use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::NONE;
use crate::trace::session::Open;
use crate::trace::why::place;
use crate::trace::{Layer, Severity};
use crate::wire::frame::{Dir, EventKind, Side};

/// See the module.
pub static RULE: Rule = Rule {
    id: "stdio-server-exited",
    layer: Layer::Transport,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Stdio,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Event(check), On::End(check_end)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(event) = cx.event else { return };
    let s = cx.session;
    match &event.kind {
        // Before it has written a byte, the exit status decides whether it was started at all.
        EventKind::Eof { of: Dir::S2c } if s.trouble[1].eof == cx.record && !says_nothing(s) => say(cx, out, cx.record),
        EventKind::Exit { status, .. } => {
            let not_started = matches!(status, Some(126 | 127)) && says_nothing(s);
            let said = s.trouble[1].eof != NONE && !says_nothing(s);
            if !not_started && !said {
                say(cx, out, if s.trouble[1].eof == NONE { cx.record } else { s.trouble[1].eof });
            }
        }
        _ => {}
    }
}

/// Without an exit, the end of the output is all that there is.
fn check_end(cx: &Cx<'_>, out: &mut Out<'_>) {
    let s = cx.session;
    if s.trouble[1].eof != NONE && s.exit.is_none() && says_nothing(s) {
        say(cx, out, s.trouble[1].eof);
    }
}

fn say(cx: &Cx<'_>, out: &mut Out<'_>, record: u32) {
    let s = cx.session;
    let end = cx.store.record(record).map_or(cx.t, |r| r.t);
    let stopped = s.signalled.is_some_and(|t| t <= end) || s.eof[0].is_some_and(|t| t <= end);
    if stopped {
        return;
    }
    let waits = |o: &&Open| o.method != Some(Method::Listen) && !o.after_eof;
    let count = s.in_flight(Dir::C2s).filter(waits).count();
    let Some(first) = s.in_flight(Dir::C2s).find(waits) else { return };
    let (id, line) = (&first.id.text, place(cx.store, first.record));
    let which = if count == 1 {
        format!("request {id} ({line})")
    } else {
        format!("{count} requests, the first {id} ({line}),")
    };
    let were = if count == 1 { "was" } else { "were" };
    out.say(format!("the server's output ended while {which} {were} not answered")).on(record).owner(Side::Server);
}
