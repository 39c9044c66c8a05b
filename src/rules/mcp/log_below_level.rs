//! `log-below-level`: log message below the requested level.

use super::support::{from_server, shown};
use crate::mcp::levels::Level;
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "log-below-level",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Notification(check)],
};

/// With more requests in flight than this, a message is not held against them all.
const CROWD: usize = 64;

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx).filter(|m| m.is(Method::Log) && !m.replay) else { return };
    let Some(value) = message.params().and_then(|p| p.get("level")) else { return };
    let Some(level) = value.as_str().as_deref().and_then(Level::parse) else { return };
    let logs = &cx.session.logs;
    let wanted = if !message.revision().is_modern() {
        logs.level
    } else if let Some(stream) = cx.stream {
        stream.exchanges.iter().find_map(|e| logs.of(*e)).flatten()
    } else {
        // On stdio nothing tells for which request a message is: the lowest level counts.
        if logs.count() > CROWD {
            return;
        }
        let mut lowest = None;
        for (_, level) in logs.asked() {
            let Some(level) = level else { return };
            lowest = Some(lowest.map_or(level, |l: Level| l.min(level)));
        }
        lowest
    };
    if let Some(wanted) = wanted.filter(|w| level < *w) {
        out.say(format!(
            "a message of level {} came; the client asked for {} and above",
            level.as_str(),
            wanted.as_str()
        ))
        .at(value)
        .expected(format!("\"{}\" or above", wanted.as_str()))
        .actual(shown(value));
    }
}
