//! `deprecated-logging`: protocol logging is deprecated.

use super::support::shown;
use crate::mcp::{Method, Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::Dir;
use crate::wire::json::Value;

/// See the module.
pub static RULE: Rule = Rule {
    id: "deprecated-logging",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Once,
    tier: 2,
    hooks: &[On::Request(check), On::Notification(check), On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg() else { return };
    match message.dir {
        Dir::C2s => {
            if let Some(level) = message.env.params_meta().and_then(|m| m.get(meta::LOG_LEVEL)) {
                out.say(format!("the request asks for log messages from level {} on", shown(level))).at(level);
            }
        }
        _ if message.is(Method::Log) => {
            out.say("the server sends log messages");
        }
        _ => {
            let logging = discovered(cx).and_then(|c| c.get("logging"));
            if let Some(logging) = logging.filter(|l| !l.is_null()) {
                out.say("the server declares the logging capability").at(logging);
            }
        }
    }
}

/// The capabilities in a result of `server/discover`.
fn discovered<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    let result = cx.msg()?.result()?;
    cx.request().filter(|o| o.method == Some(Method::Discover))?;
    result.get("capabilities")
}
