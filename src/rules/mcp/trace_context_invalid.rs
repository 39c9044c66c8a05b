//! `trace-context-invalid`: trace context is malformed.

use super::support::shown;
use crate::mcp::{Revisions, meta};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "trace-context-invalid",
    layer: Layer::Mcp,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::MODERN,
    wire: Wire::Any,
    report: Report::Each,
    tier: 3,
    hooks: &[On::Message(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    if cx.meta_is_known() {
        return;
    }
    let Some(message) = cx.msg() else { return };
    for meta in [message.env.params_meta(), message.env.result_meta()].into_iter().flatten() {
        for (name, fits, expected) in FIELDS {
            let Some(value) = meta.get(name) else { continue };
            if value.as_str().is_none_or(|text| !fits(&text)) {
                out.say(format!("{name} is not in its W3C format")).at(value).expected(*expected).actual(shown(value));
            }
        }
    }
}

const FIELDS: &[(&str, fn(&str) -> bool, &str)] = &[
    (meta::TRACEPARENT, meta::is_traceparent, "2-32-16-2 lowercase hexadecimal digits"),
    (meta::TRACESTATE, is_tracestate, "key=value pairs, separated by commas"),
    (meta::BAGGAGE, is_baggage, "key=value pairs, separated by commas"),
];

/// A `tracestate` value (W3C Trace Context, section 3.3): at most 32 members; empty ones are allowed.
fn is_tracestate(text: &str) -> bool {
    let members = || text.split(',').map(|m| m.trim_matches([' ', '\t'])).filter(|m| !m.is_empty());
    members().count() <= 32
        && members().all(|m| {
            let Some((key, value)) = m.split_once('=') else { return false };
            let key_char = |c: u8| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'*' | b'/' | b'@');
            let key_fits = !key.is_empty() && key.len() <= 256 && key.bytes().all(key_char);
            key_fits && value.len() <= 256 && value.bytes().all(|c| matches!(c, 0x20..=0x7e) && c != b'=')
        })
}

/// A `baggage` value (W3C Baggage): members with a token, `=` and a value, and properties after semicolons.
fn is_baggage(text: &str) -> bool {
    text.split(',').map(|m| m.trim_matches([' ', '\t'])).filter(|m| !m.is_empty()).all(|m| {
        let pair = m.split(';').next().unwrap_or(m);
        let Some((key, value)) = pair.split_once('=') else { return false };
        let key = key.trim_matches([' ', '\t']);
        let token = |c: u8| c.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&c);
        !key.is_empty() && key.bytes().all(token) && value.bytes().all(|c| matches!(c, 0x20..=0x7e))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        for good in ["", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "fw529a3039@dt=FfwAAA", "a=1, b=2"] {
            assert!(is_tracestate(good), "{good}");
        }
        for bad in ["rojo", "A=1", "a=b=c", "=x"] {
            assert!(!is_tracestate(bad), "{bad}");
        }
        assert!(is_baggage("userId=alice,serverNode=DF%2028;p=1, isProduction = false"));
        assert!(!is_baggage("user id=alice") && !is_baggage("alice"));
    }
}
