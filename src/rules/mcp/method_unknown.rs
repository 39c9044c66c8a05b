//! `method-unknown`: unknown method.

use super::support::cut;
use crate::mcp::{Method, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "method-unknown",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Any,
    report: Report::Each,
    tier: 1,
    hooks: &[On::Request(check), On::Notification(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg().filter(|m| m.method.is_none()) else { return };
    let Some(name) = message.method_name() else { return };
    let draft = out.say(format!("no revision has a method \"{}\"", cut(&name)));
    draft.pointer("/method").actual(cut(&name));
    if let Some(near) = Method::nearest(&name).or_else(|| reversed(&name)) {
        draft.expected(near.name());
    }
}

/// `listTools` for `tools/list`.
fn reversed(name: &str) -> Option<Method> {
    let plain = |s: &str| {
        let letters = s.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase());
        letters.collect::<String>()
    };
    let name = plain(name);
    Method::ALL.iter().copied().find(|m| {
        let mut parts: Vec<_> = m.name().split('/').collect();
        parts.reverse();
        parts.len() == 2 && plain(&parts.concat()) == name
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_wrong_way_round() {
        assert_eq!(reversed("listTools"), Some(Method::ToolsList));
        assert_eq!(reversed("call_tools"), Some(Method::ToolsCall));
        assert_eq!(reversed("fly"), None);
    }
}
