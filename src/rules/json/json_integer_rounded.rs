//! `json-integer-rounded`: an integer is what a double makes of one that the other side sent.

use crate::mcp::Revisions;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::session::way;
use crate::trace::why::place;
use crate::trace::{Layer, Severity};
use crate::wire::json::number::unsafe_integers;

/// See the module.
pub static RULE: Rule = Rule {
    id: "json-integer-rounded",
    layer: Layer::Json,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Message(check)],
};

/// Numbers of one message that are looked up at most.
const LOOKED_UP: usize = 256;

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg() else { return };
    if message.faults.unsafe_integer.is_none() {
        return;
    }
    let sent = &cx.session.numbers[way(message.dir.opposite())];
    for value in unsafe_integers(message.env.root).take(LOOKED_UP) {
        let digits = value.raw_str();
        if let Some((other, record)) = sent.rounded_from(&digits) {
            let there = place(cx.store, record);
            out.say(format!("{digits} is what a double makes of {other}, which the other side sent in {there}"))
                .at(value)
                .expected(other)
                .actual(digits);
            return;
        }
    }
}
