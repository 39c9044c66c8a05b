//! `secret-in-url`: a URL holds a credential.

use crate::mcp::Revisions;
use crate::mcp::{Method, errors};
use crate::rules::show::short;
use crate::rules::{Cx, On, Out, Owner, Report, Rule, Wire};
use crate::trace::{Layer, Severity};
use crate::wire::frame::HttpKind;
use crate::wire::json::Value;
use crate::wire::secrets;

/// See the module.
pub static RULE: Rule = Rule {
    id: "secret-in-url",
    layer: Layer::Access,
    severity: Severity::Error,
    severity_by_revision: &[],
    owner: Owner::Sender,
    revisions: Revisions::ALL,
    wire: Wire::Http,
    report: Report::Each,
    tier: 2,
    hooks: &[On::Http(request), On::Message(links)],
};

fn request(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some((http, _)) = cx.http_of(HttpKind::Request) else { return };
    if let Some(name) = http.path.as_deref().and_then(secrets::in_url) {
        out.say(format!("the request URL carries {}", short(name)))
            .expected("the Authorization header")
            .actual("not shown");
    }
}

fn links(cx: &Cx<'_>, out: &mut Out<'_>) {
    let Some(message) = cx.msg() else { return };
    let mut look = |params: Option<Value<'_>>| {
        let Some(url) = params.and_then(|p| p.get("url")) else { return };
        if let Some(name) = url.as_str().as_deref().and_then(secrets::in_url) {
            out.say(format!("the elicitation URL carries {}", short(name))).at(url).actual("not shown");
        }
    };
    if message.is(Method::Elicit) {
        look(message.params());
    }
    if let Some(requests) = message.result().and_then(|r| r.get("inputRequests")) {
        for (_, request) in requests.members() {
            look(request.get("params"));
        }
    }
    if message.env.error_code() == Some(errors::URL_ELICITATION_REQUIRED) {
        let list = message.env.error.and_then(|e| e.get("data")).and_then(|d| d.get("elicitations"));
        for elicitation in list.into_iter().flat_map(Value::elements) {
            look(Some(elicitation));
        }
    }
}
