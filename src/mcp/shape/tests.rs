#![allow(clippy::unwrap_used)]

use super::*;
use crate::wire::json::Parser;
use Revision::*;

/// `None`, or "pointer: expected, not actual".
fn fault(shape: Shape, json: &str) -> Option<String> {
    let mut parser = Parser::new();
    let doc = parser.parse(json.as_bytes());
    assert!(doc.faults().syntax.is_none(), "{json}");
    shape.check(doc.root().unwrap()).map(|f| format!("{}: {}, not {}", f.pointer, f.expected, f.actual))
}

fn p(method: Method, revision: Revision, json: &str) -> Option<String> {
    fault(params(method, revision).unwrap(), json)
}

fn r(method: Method, revision: Revision, json: &str) -> Option<String> {
    let mut parser = Parser::new();
    let doc = parser.parse(json.as_bytes());
    let form = form(revision, true, doc.root().unwrap());
    fault(result(method, revision, form).unwrap(), json)
}

#[test]
fn params_by_revision() {
    assert_eq!(p(Method::ToolsCall, V2025_06_18, r#"{"name":"a","arguments":{}}"#), None);
    assert_eq!(
        p(Method::ToolsCall, V2025_06_18, r#"{"name":"a","arguments":[]}"#).unwrap(),
        "/arguments: an object, not an array"
    );
    assert_eq!(
        p(Method::ToolsCall, V2025_06_18, r#"{"arguments":{}}"#).unwrap(),
        ": a member \"name\", not no such member"
    );
    assert_eq!(
        p(Method::ToolsCall, V2026_07_28, r#"{"name":"a"}"#).unwrap(),
        ": a member \"_meta\", not no such member"
    );
    // The example that many articles print: no client capabilities.
    assert_eq!(
        p(
            Method::ToolsList,
            V2026_07_28,
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}"#
        )
        .unwrap(),
        "/_meta: a member \"io.modelcontextprotocol/clientCapabilities\", not no such member"
    );
    assert_eq!(
        p(Method::SetLevel, V2025_11_25, r#"{"level":"warn"}"#).unwrap(),
        "/level: \"debug\", \"info\", \"notice\", \"warning\", \"error\", \"critical\", \"alert\" or \"emergency\", not \"warn\""
    );
    assert!(params(Method::SetLevel, V2026_07_28).is_none());
    assert!(p(Method::Cancelled, V2025_11_25, "{}").is_none() && p(Method::Cancelled, V2025_06_18, "{}").is_some());
    assert!(!params_required(Method::ToolsList, V2025_11_25) && params_required(Method::ToolsList, V2026_07_28));
}

#[test]
fn unions_tell_the_nearest_kind() {
    let call = |content: &str| {
        r(Method::ToolsCall, V2025_11_25, &format!(r#"{{"content":[{{"type":"text","text":""}},{content}]}}"#))
    };
    assert_eq!(call(r#"{"type":"image","data":"","mimeType":"image/png"}"#), None);
    assert_eq!(call(r#"{"type":"image","data":""}"#).unwrap(), "/content/1: a member \"mimeType\", not no such member");
    assert_eq!(
        call(r#"{"type":"img"}"#).unwrap(),
        "/content/1/type: \"text\", \"image\", \"audio\", \"resource\" or \"resource_link\", not \"img\""
    );
    assert_eq!(
        call(r#"{"text":"a"}"#).unwrap(),
        "/content/1: a member \"type\" with \"text\", \"image\", \"audio\", \"resource\" or \"resource_link\", not no such member"
    );
    assert_eq!(call(r#""text""#).unwrap(), "/content/1: an object, not a string");
    assert_eq!(
        call(r#"{"type":"resource","resource":{"uri":"a:b"}}"#).unwrap(),
        "/content/1/resource: a member \"text\" or \"blob\", not no such member"
    );
    assert_eq!(
        call(r#"{"type":"resource","resource":{"uri":"a:b","text":1}}"#).unwrap(),
        "/content/1/resource/text: a string, not a number"
    );
    // A resource link came with 2025-06-18.
    assert!(
        r(Method::ToolsCall, V2025_03_26, r#"{"content":[{"type":"resource_link","uri":"a:b","name":"n"}]}"#).is_some()
    );
}

#[test]
fn results_by_form() {
    let task = r#"{"task":{"taskId":"1","status":"working","createdAt":"","lastUpdatedAt":"","ttl":null}}"#;
    assert_eq!(r(Method::ToolsCall, V2025_11_25, task), None);
    assert!(r(Method::ToolsCall, V2025_06_18, task).is_some());
    assert_eq!(r(Method::ToolsCall, V2026_07_28, r#"{"resultType":"input_required","requestState":"x"}"#), None);
    assert_eq!(
        r(
            Method::ToolsCall,
            V2026_07_28,
            r#"{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"x":{"type":"array","items":{}}}}}}}}"#
        )
        .unwrap(),
        "/inputRequests/a/params/requestedSchema/properties/x/items: a member \"type\", not no such member"
    );
    assert_eq!(
        r(
            Method::ToolsCall,
            V2026_07_28,
            r#"{"resultType":"task","taskId":"1","status":"done","createdAt":"","lastUpdatedAt":"","ttlMs":1}"#
        )
        .unwrap(),
        "/status: \"working\", \"input_required\", \"completed\", \"failed\" or \"cancelled\", not \"done\""
    );
    assert_eq!(
        r(Method::ToolsList, V2026_07_28, r#"{"resultType":"complete","tools":[],"ttlMs":-1,"cacheScope":"public"}"#)
            .unwrap(),
        "/ttlMs: an integer of at least 0, not -1"
    );
    assert_eq!(r(Method::ToolsCall, V2026_07_28, r#"{"resultType":"vendor"}"#), None);
    assert_eq!(r(Method::Ping, V2024_11_05, r#"{"anything":1}"#), None);
}

#[test]
fn numbers_and_repeated_keys() {
    let progress =
        |text: &str| p(Method::Progress, V2025_06_18, &format!(r#"{{"progressToken":1.0,"progress":{text}}}"#));
    assert_eq!(progress("0.5"), None);
    assert_eq!(progress(r#""1""#).unwrap(), "/progress: a number, not a string");
    assert_eq!(
        p(Method::Progress, V2025_06_18, r#"{"progressToken":1.5,"progress":1}"#).unwrap(),
        "/progressToken: a string or an integer, not 1.5"
    );
    // The last of repeated keys counts.
    assert_eq!(progress(r#""1","progress":1"#), None);
    assert!(progress(r#"1,"progress":"1""#).is_some());
    assert_eq!(
        p(
            Method::Complete,
            V2025_03_26,
            r#"{"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"a","v\u0061lue":"x"}}"#
        ),
        None
    );
}

#[test]
fn all_faults() {
    let mut parser = Parser::new();
    let doc = parser.parse(br#"{"name":1,"arguments":2,"_meta":{"progressToken":null}}"#);
    let shape = params(Method::ToolsCall, V2025_11_25).unwrap();
    let pointers: Vec<_> = shape.faults(doc.root().unwrap(), 10).into_iter().map(|f| f.pointer).collect();
    assert_eq!(pointers, ["/name", "/arguments", "/_meta/progressToken"]);
    assert_eq!(shape.faults(doc.root().unwrap(), 2).len(), 2);
}

#[test]
fn large_objects_with_a_repeated_key_take_linear_time() {
    // Quadratic work would take minutes here.
    let mut json = r#"{"name":"p","arguments":{"#.to_owned();
    for i in 0..100_000 {
        json.push_str(&format!("\"k{i}\":\"v\","));
    }
    json.push_str(r#""k7":5,"k8":6,"k7":"v"}}"#);
    assert_eq!(p(Method::PromptsGet, V2025_11_25, &json).unwrap(), "/arguments/k8: a string, not a number");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    /// Whatever the value: no panic, and a fault exactly where the fast pass refuses.
    #[test]
    fn both_passes_agree(text in "[\\[\\]{}:,\"0-9a-z. ]{0,60}|(\\{(\"(type|name|text|content|_meta|params)\":(1|\"text\"|\\[\\]|null|\\{\\}),){0,6}\"uri\":\"a\"\\})") {
        let mut parser = Parser::new();
        let doc = parser.parse(text.as_bytes());
        let Some(root) = doc.root() else { return Ok(()) };
        for revision in Revision::ALL {
            for name in names(revision) {
                let shape = named(name, revision).unwrap();
                let fault = shape.check(root);
                if doc.faults().duplicate_key.is_none() {
                    proptest::prop_assert_eq!(fault.is_none(), shape.accepts(root), "{} {}", name, revision);
                }
                if let Some(fault) = fault {
                    proptest::prop_assert!(root.at(&fault.pointer).is_some(), "{} {:?}", name, fault);
                }
            }
        }
    }
}
