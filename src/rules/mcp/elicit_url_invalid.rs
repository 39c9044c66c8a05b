//! `elicit-url-invalid`: elicitation URL is invalid or not https.

use super::support::{cut, each_input, from_server, scheme, shown};
use crate::mcp::{Method, Revision, Revisions};
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};

/// See the module.
pub static RULE: Rule = Rule {
    id: "elicit-url-invalid",
    layer: Layer::Mcp,
    severity: Severity::Warning,
    severity_by_revision: &[],
    owner: Owner::Server,
    revisions: Revisions::since(Revision::V2025_11_25),
    wire: Wire::Any,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Request(check), On::Result(check)],
};

fn check(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = from_server(cx) else { return };
    each_input(message, |method, params| {
        let url_mode = params.and_then(|p| p.get("mode")).is_some_and(|m| m.str_eq("url"));
        let Some(value) = params.and_then(|p| p.get("url")).filter(|_| method == Method::Elicit && url_mode) else {
            return;
        };
        let Some(url) = value.as_str() else { return };
        let Some((scheme, host)) = parts(&url) else {
            out.say(format!("the url is not an absolute URL: {}", shown(value))).at(value).expected("an https URL");
            return;
        };
        let local = scheme.eq_ignore_ascii_case("http") && is_loopback(host);
        if !local && !scheme.eq_ignore_ascii_case("https") {
            out.say(format!("the user is to open a {} link", cut(scheme)))
                .at(value)
                .expected("https")
                .actual(cut(scheme));
        }
    });
}

/// Scheme and host of an absolute URL.
fn parts(url: &str) -> Option<(&str, &str)> {
    let name = scheme(url)?;
    let rest = url[name.len() + 1..].strip_prefix("//")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    (!host.is_empty() && !url.contains(char::is_whitespace)).then_some((name, host))
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.to_ascii_lowercase().ends_with(".localhost")
        || host == "::1"
        || host.starts_with("127.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        assert_eq!(parts("https://u@a.example:8/x?y"), Some(("https", "a.example")));
        assert_eq!(parts("http://[::1]:80/"), Some(("http", "::1")));
        for bad in ["/connect", "mcp.example.com", "https:", "https:///x", "https://a b/", "mailto:a@b"] {
            assert_eq!(parts(bad), None, "{bad}");
        }
        assert!(is_loopback("127.0.0.1") && is_loopback("app.localhost") && !is_loopback("128.0.0.1"));
    }
}
