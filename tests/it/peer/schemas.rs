//! Every message of a long conversation without faults, both sides, against the official schema of its revision.

use std::collections::HashMap;
use std::path::Path;

use jsonschema::Validator;
use mcpscope::mcp::Revision;
use serde_json::{Value, json};

use super::{PATIENCE, Setup, all};

/// The schema file of a revision and a cache of validators for its definitions.
struct Official {
    root: Value,
    definitions: &'static str,
    compiled: HashMap<String, Validator>,
}

impl Official {
    fn load(revision: Revision) -> Option<Official> {
        let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/protocol/official");
        let text = std::fs::read_to_string(Path::new(shared).join(revision.as_str()).join("schema.json")).ok()?;
        let root: Value = serde_json::from_str(&text).unwrap();
        let definitions = if root.get("$defs").is_some() { "$defs" } else { "definitions" };
        Some(Official { root, definitions, compiled: HashMap::new() })
    }

    /// The definition's name whose `method` is that constant.
    fn by_method(&self, method: &str) -> Option<String> {
        let definitions = self.root[self.definitions].as_object()?;
        let found = definitions.iter().find(|(_, schema)| schema["properties"]["method"]["const"] == *method);
        found.map(|(name, _)| name.clone())
    }

    fn check(&mut self, name: &str, value: &Value) -> Vec<String> {
        assert!(self.root[self.definitions].get(name).is_some(), "no definition {name}");
        if !self.compiled.contains_key(name) {
            let mut schema = self.root.clone();
            schema["$ref"] = json!(format!("#/{}/{name}", self.definitions));
            self.compiled.insert(name.to_owned(), jsonschema::validator_for(&schema).unwrap());
        }
        self.compiled[name].iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
    }
}

/// The result's definition for a request.
fn result_of(method: &str, value: &Value) -> &'static str {
    if value["resultType"] == "input_required" {
        return "InputRequiredResult";
    }
    match method {
        "server/discover" => "DiscoverResult",
        "initialize" => "InitializeResult",
        "tools/list" => "ListToolsResult",
        "tools/call" => "CallToolResult",
        "prompts/list" => "ListPromptsResult",
        "prompts/get" => "GetPromptResult",
        "resources/list" => "ListResourcesResult",
        "resources/templates/list" => "ListResourceTemplatesResult",
        "resources/read" => "ReadResourceResult",
        "completion/complete" => "CompleteResult",
        "subscriptions/listen" => "SubscriptionsListenResult",
        "elicitation/create" => "ElicitResult",
        "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => "EmptyResult",
        other => panic!("{other}"),
    }
}

/// Uses everything that the server of that revision offers.
pub fn talk(setup: &Setup, revision: Revision) {
    let client = &setup.client;
    let call = |name: &str, arguments: &str| {
        client.call_tool(name, arguments, PATIENCE, |_| ()).unwrap();
    };
    let ask = |method: &str, members: &[(&str, &str)]| {
        client.request(method, members).unwrap();
    };
    let (tools, _) = client.tools().unwrap();
    let listen = revision.is_modern().then(|| {
        let filter =
            r#"{"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["demo://shelf/rope"]}"#;
        client.start("subscriptions/listen", &[("notifications", filter)]).unwrap()
    });
    if !revision.is_modern() {
        ask("ping", &[]);
        ask("logging/setLevel", &[("level", "\"debug\"")]);
        ask("resources/subscribe", &[("uri", "\"demo://shelf/rope\"")]);
    }
    for tool in tools.iter().filter(|tool| tool.name != "misbehave") {
        // What the schema suggests is valid for every tool of ours.
        let mut arguments = mcpscope::peer::client::args::prefill(&tool.input_schema);
        if tool.name == "slow" {
            arguments = r#"{"ms":4,"steps":2}"#.to_owned();
        }
        call(&tool.name, &arguments);
    }
    call("change", r#"{"list":"resources"}"#);
    call("restock", r#"{"item":"rope","stock":99}"#);
    for kind in ["markdown", "rust", "python", "diff", "log"] {
        call("render", &format!(r#"{{"kind":"{kind}"}}"#));
    }
    call("weather", r#"{"city":"nowhere","unit":"celsius","place":{"lat":1,"lon":2}}"#);
    call("weather", "{}");
    call("unknown", "{}");
    for list in ["prompts/list", "resources/list", "resources/templates/list"] {
        ask(list, &[]);
    }
    ask("tools/list", &[("cursor", "\"x\"")]);
    ask("prompts/get", &[("name", "\"packing-list\""), ("arguments", r#"{"city":"Oslo"}"#)]);
    ask("prompts/get", &[("name", "\"trip-report\"")]);
    for uri in [
        "demo://docs/report.md",
        "demo://docs/route.json",
        "demo://docs/notes.txt",
        "demo://pictures/dot.png",
        "demo://shelf/rope",
        "demo://no",
    ] {
        ask("resources/read", &[("uri", &json!(uri).to_string())]);
    }
    if revision >= Revision::V2025_03_26 {
        let argument = ("argument", r#"{"name":"item","value":"l"}"#);
        ask("completion/complete", &[("ref", r#"{"type":"ref/resource","uri":"demo://shelf/{item}"}"#), argument]);
    }
    if let Some(listen) = listen {
        listen.cancel("done");
        // A second one is left open for the server to end.
        client.start("subscriptions/listen", &[("notifications", "{}")]).unwrap();
    }
    client.start("tools/call", &[("name", "\"slow\"")]).unwrap().cancel("no longer wanted");
    if !revision.is_modern() {
        ask("resources/unsubscribe", &[("uri", "\"demo://shelf/rope\"")]);
    }
}

#[test]
fn all_messages_without_faults_satisfy_the_official_schemas() {
    for (revision, speak) in all() {
        let Some(mut official) = Official::load(revision) else {
            eprintln!("skipped: ../shared/protocol/official is not here");
            return;
        };
        let setup = Setup::new(speak, &[]);
        talk(&setup, revision);
        let (c2s, s2c, status) = setup.end();
        assert_eq!(status, 0);

        let read = |lines: Vec<String>| -> Vec<Value> {
            lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let (c2s, s2c) = (read(c2s), read(s2c));
        let methods = |messages: &[Value]| -> HashMap<String, String> {
            let requests = messages.iter().filter(|message| message.get("id").is_some());
            requests.filter_map(|m| Some((m["id"].to_string(), m.get("method")?.as_str()?.to_owned()))).collect()
        };
        let (asked_by_client, asked_by_server) = (methods(&c2s), methods(&s2c));
        let mut seen = std::collections::BTreeSet::new();
        for (messages, asked) in [(&c2s, &asked_by_server), (&s2c, &asked_by_client)] {
            for message in messages {
                let whole = official.check("JSONRPCMessage", message);
                assert!(whole.is_empty(), "{revision} {message}: {whole:#?}");
                let (name, value) = match (message["method"].as_str(), message.get("result")) {
                    (Some(method), _) => {
                        seen.insert(method.to_owned());
                        let name = official.by_method(method).unwrap_or_else(|| panic!("{revision} has no {method}"));
                        (name, message.clone())
                    }
                    (None, Some(result)) => {
                        let method = &asked[&message["id"].to_string()];
                        (result_of(method, result).to_owned(), result.clone())
                    }
                    (None, None) => continue,
                };
                // Some definitions are of the request without its envelope; extra members are allowed in all of them.
                let faults = official.check(&name, &value);
                assert!(faults.is_empty(), "{revision} {name} {value}: {faults:#?}");
                if name == "InputRequiredResult" {
                    for request in value["inputRequests"].as_object().unwrap().values() {
                        let faults = official.check("ElicitRequest", request);
                        assert!(faults.is_empty(), "{request}: {faults:#?}");
                    }
                }
            }
        }
        // The conversation held what it was meant to hold.
        let mut expected = vec![
            "notifications/progress",
            "notifications/resources/list_changed",
            "notifications/resources/updated",
            "notifications/tools/list_changed",
            "notifications/cancelled",
        ];
        if revision.is_modern() {
            expected.push("notifications/subscriptions/acknowledged");
        } else {
            expected.push("notifications/message");
            if revision >= Revision::V2025_06_18 {
                expected.push("elicitation/create");
            }
        }
        for method in expected {
            assert!(seen.contains(method), "{revision}: {method} was not seen");
        }
    }
}
