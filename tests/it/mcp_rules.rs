//! Rules of the mcp layer beyond the examples of the catalogue: where they fire, and above all where they must not.

use mcpscope::analysis::{Analyzer, Origin};
use mcpscope::mcp::Revision;
use mcpscope::rules::examples::Example;
use mcpscope::rules::{Options, catalogue};
use mcpscope::trace::{Layer, Store};

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{CAPS}}"#;
const INFO: &str = r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}"#;
const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}"#;
const PAGE: &str = r#""resultType":"complete","ttlMs":60000,"cacheScope":"public""#;
const INIT: &str = r#"> {"id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;

/// `> {…}` is a message of the client, `< {…}` one of the server; any other line is a step of the catalogue's form.
/// `{META}`, `{META:…}` (with capabilities), `{INFO}`, `{PAGE}`, `{FORM}` and `SUB` stand for what the constants say.
fn steps(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (dir, rest) = match line.split_once(' ') {
            Some((">", rest)) => ("c2s", rest),
            Some(("<", rest)) => ("s2c", rest),
            _ => ("", line),
        };
        let mut rest = rest
            .replace("{META}", &META.replace("CAPS", ""))
            .replace("{INFO}", INFO)
            .replace("{PAGE}", PAGE)
            .replace("{FORM}", FORM)
            .replace("SUB", "io.modelcontextprotocol/subscriptionId");
        while let Some((before, after)) = rest.split_once("{META:") {
            let (caps, after) = after.split_once("|}").unwrap();
            rest = format!("{before}{}{after}", META.replace("CAPS", caps));
        }
        match dir {
            "" => out.push_str(&rest),
            dir => {
                let body = rest.strip_prefix('{').unwrap();
                out.push_str(&format!(r#"{{"dir":"{dir}","msg":{{"jsonrpc":"2.0",{body}}}"#));
            }
        }
        out.push('\n');
    }
    out
}

fn found(revision: Revision, text: &str) -> Vec<String> {
    let mut entry = catalogue::entry("meta-missing").unwrap().clone();
    entry.example_revision = revision;
    entry.good = steps(text);
    let example = Example::of(&entry, false).unwrap_or_else(|e| panic!("{e} in {}", entry.good));
    let mut store = Store::new();
    let mut analyzer = Analyzer::new(Options::default(), Origin::Native);
    for item in example.items() {
        analyzer.push(&mut store, item);
    }
    if example.ends {
        analyzer.finish(&mut store);
    } else {
        analyzer.settle(&mut store);
    }
    let mut all: Vec<String> = store
        .findings()
        .filter(|(_, f)| f.layer == Layer::Mcp)
        .map(|(_, f)| format!("{} {}", store.records[f.record as usize].line, f.rule))
        .collect();
    all.sort();
    all.dedup();
    all
}

#[track_caller]
fn modern(text: &str, want: &[&str]) {
    let found = found(Revision::V2026_07_28, text);
    assert_eq!(found, want, "in\n{text}");
}

#[track_caller]
fn legacy(revision: Revision, text: &str, want: &[&str]) {
    let found = found(revision, text);
    assert_eq!(found, want, "in\n{text}");
}

const V11: Revision = Revision::V2025_11_25;

#[test]
fn lists_and_pages() {
    // A page that is fetched again names the same next cursor: no loop.
    modern(
        r#"> {"id":1,"method":"tools/list","params":{{META}}}
           < {"id":1,"result":{"tools":[],"nextCursor":"a",{PAGE},{INFO}}}
           > {"id":2,"method":"tools/list","params":{{META},"cursor":"a"}}
           < {"id":2,"result":{"tools":[],"nextCursor":"b",{PAGE},{INFO}}}
           > {"id":3,"method":"tools/list","params":{{META}}}
           < {"id":3,"result":{"tools":[],"nextCursor":"a",{PAGE},{INFO}}}
           > {"id":4,"method":"tools/list","params":{{META},"cursor":"a"}}
           < {"id":4,"result":{"tools":[],{PAGE},{INFO}}}"#,
        &[],
    );
    // Back to an earlier page.
    modern(
        r#"> {"id":1,"method":"tools/list","params":{{META}}}
           < {"id":1,"result":{"tools":[],"nextCursor":"a",{PAGE},{INFO}}}
           > {"id":2,"method":"tools/list","params":{{META},"cursor":"a"}}
           < {"id":2,"result":{"tools":[],"nextCursor":"b",{PAGE},{INFO}}}
           > {"id":3,"method":"tools/list","params":{{META},"cursor":"b"}}
           < {"id":3,"result":{"tools":[],"nextCursor":"a",{PAGE},{INFO}}}"#,
        &["6 cursor-loop"],
    );
    // The cursor of another list, and null.
    modern(
        r#"> {"id":1,"method":"tools/list","params":{{META}}}
           < {"id":1,"result":{"tools":[],"nextCursor":"a",{PAGE},{INFO}}}
           > {"id":2,"method":"prompts/list","params":{{META},"cursor":"a"}}
           > {"id":3,"method":"tools/list","params":{{META},"cursor":null}}
           > {"id":4,"method":"tools/list","params":{{META},"cursor":"a"}}"#,
        &["3 cursor-invented", "4 cursor-invented"],
    );
    // Once for each change, and not while the list is being fetched.
    modern(
        r#"> {"id":"l","method":"subscriptions/listen","params":{{META},"notifications":{"toolsListChanged":true}}}
           < {"method":"notifications/subscriptions/acknowledged","params":{"_meta":{"SUB":"l"},"notifications":{"toolsListChanged":true}}}
           > {"id":1,"method":"tools/list","params":{{META}}}
           < {"id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}],{PAGE},{INFO}}}
           < {"method":"notifications/tools/list_changed","params":{"_meta":{"SUB":"l"}}}
           > {"id":2,"method":"tools/call","params":{{META},"name":"a"}}
           > {"id":3,"method":"tools/call","params":{{META},"name":"a"}}
           < {"method":"notifications/tools/list_changed","params":{"_meta":{"SUB":"l"}}}
           > {"id":4,"method":"tools/list","params":{{META}}}
           > {"id":5,"method":"tools/call","params":{{META},"name":"a"}}"#,
        &["6 cache-invalidated-list-used"],
    );
    // A ttl of 0 does not forbid to use what was just fetched.
    modern(
        r#"> {"id":1,"method":"tools/list","params":{{META}}}
           < {"id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"resultType":"complete","ttlMs":0,"cacheScope":"private",{INFO}}}
           {"dir":"c2s","at":90000,"msg":{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{META},"name":"a"}}}"#,
        &[],
    );
}

#[test]
fn capabilities() {
    let init = r#"> {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":CLIENT,"clientInfo":{"name":"c","version":"1"}}}
        < {"id":1,"result":{"protocolVersion":"2025-11-25","capabilities":SERVER,"serverInfo":{"name":"s","version":"1"}}}
        > {"method":"notifications/initialized"}
        "#;
    let with = |client: &str, server: &str, more: &str| {
        format!("{}{more}", init.replace("CLIENT", client).replace("SERVER", server))
    };
    // Listing is a harmless probe; subscribing needs more than resources.
    legacy(
        V11,
        &with(
            "{}",
            r#"{"resources":{}}"#,
            r#"> {"id":2,"method":"tools/list"}
           > {"id":3,"method":"resources/subscribe","params":{"uri":"a:b"}}
           > {"id":4,"method":"resources/read","params":{"uri":"a:b"}}"#,
        ),
        &["4 capability-server-undeclared", "5 capability-server-undeclared"],
    );
    // An empty elicitation means the form; url mode and sampling with tools are declared for themselves.
    let form = r#"{"message":"m","requestedSchema":{"type":"object","properties":{}}}"#;
    let url = r#"{"mode":"url","message":"m","url":"https://a.example/","elicitationId":"e"}"#;
    legacy(
        V11,
        &with(
            r#"{"elicitation":{},"sampling":{}}"#,
            "{}",
            &format!(
                r#"< {{"id":1,"method":"elicitation/create","params":{form}}}
               < {{"id":2,"method":"elicitation/create","params":{url}}}
               < {{"id":3,"method":"sampling/createMessage","params":{{"messages":[],"maxTokens":1}}}}
               < {{"id":4,"method":"sampling/createMessage","params":{{"messages":[],"maxTokens":1,"tools":[]}}}}"#
            ),
        ),
        &["5 capability-client-undeclared", "7 capability-client-undeclared"],
    );
    legacy(
        V11,
        &with(
            r#"{"elicitation":{"url":{}}}"#,
            "{}",
            &format!(
                r#"< {{"id":1,"method":"elicitation/create","params":{form}}}
               < {{"id":2,"method":"elicitation/create","params":{url}}}"#
            ),
        ),
        &["4 capability-client-undeclared"],
    );
    // Only the first of a kind is told.
    legacy(
        V11,
        &with(
            "{}",
            r#"{"tools":{"listChanged":false}}"#,
            r#"< {"method":"notifications/tools/list_changed"}
           < {"method":"notifications/tools/list_changed"}"#,
        ),
        &["4 capability-unannounced-notification"],
    );
    // What the request declared may not be what is said to be missing.
    modern(
        r#"> {"id":1,"method":"tools/call","params":{{META:"elicitation":{}|},"name":"a"}}
           < {"id":1,"error":{"code":-32021,"message":"m","data":{"requiredCapabilities":{"elicitation":{"form":{}}}}}}
           > {"id":2,"method":"tools/call","params":{{META:"elicitation":{}|},"name":"a"}}
           < {"id":2,"error":{"code":-32021,"message":"m","data":{"requiredCapabilities":{"elicitation":{"url":{}}}}}}"#,
        &["2 capability-error-data"],
    );
}

#[test]
fn lifecycle() {
    // ping may come at any time; the first request of work is the one that is named.
    legacy(
        V11,
        &format!(
            r#"> {{"id":0,"method":"ping"}}
               {INIT}
               > {{"id":2,"method":"ping"}}
               < {{"id":"i","result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}}}
               > {{"id":3,"method":"ping"}}
               > {{"id":4,"method":"tools/list"}}
               > {{"id":5,"method":"tools/list"}}"#
        ),
        &["6 initialized-missing"],
    );
    // A refusal that names only newer versions, or none, is no missed offer; neither is another error.
    for error in [
        r#"{"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"]}}"#,
        r#"{"code":-32603,"message":"Database is down"}"#,
        r#"{"code":-32602,"message":"Unsupported protocol version 2025-11-25"}"#,
    ] {
        legacy(V11, &format!("{INIT}\n< {{\"id\":\"i\",\"error\":{error}}}"), &[]);
    }
    legacy(
        V11,
        &format!(
            "{INIT}\n< {}",
            r#"{"id":"i","error":{"code":-32602,"message":"Unsupported protocol version (supported versions: 2025-06-18, 2025-03-26)"}}"#
        ),
        &["2 init-refused"],
    );
    // A version of the other era in initialize, and an echo of one that does not exist.
    legacy(
        V11,
        r#"> {"id":1,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
           < {"id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
           > {"method":"notifications/initialized"}"#,
        &["1 version-wrong-era", "2 init-version-downgraded"],
    );
    legacy(
        V11,
        r#"> {"id":1,"method":"initialize","params":{"protocolVersion":"1.0","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
           < {"id":1,"result":{"protocolVersion":"1.0","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#,
        &["1 version-unknown", "2 version-unknown"],
    );
    // The other side's handshake: a server that asks too early, but pings.
    legacy(
        V11,
        &format!("{INIT}\n< {}\n< {}", r#"{"id":1,"method":"ping"}"#, r#"{"id":2,"method":"roots/list"}"#),
        &["3 capability-client-undeclared", "3 init-server-request-early"],
    );
}

#[test]
fn probes_and_fallbacks() {
    // An old server that answers {} to anything is an old server.
    modern(
        &format!(
            "> {}\n< {}\n{INIT}",
            r#"{"id":1,"method":"server/discover","params":{{META}}}"#, r#"{"id":1,"result":{}}"#
        ),
        &["3 era-fallback"],
    );
    // A server that lists only handshake revisions asks for just this.
    modern(
        &format!(
            "> {}\n< {}\n{INIT}",
            r#"{"id":1,"method":"server/discover","params":{{META}}}"#,
            r#"{"id":1,"result":{"supportedVersions":["2025-11-25"],"capabilities":{},{PAGE},{INFO}}}"#
        ),
        &[],
    );
    modern(
        r#"> {"id":1,"method":"server/discover","params":{{META}}}
           < {"id":1,"error":{"code":-32022,"message":"m","data":{"supported":["2027-01-01"],"requested":"2026-07-28"}}}
           > {"id":2,"method":"tools/list","params":{{META}}}"#,
        &["3 version-not-supported"],
    );
}

#[test]
fn metadata() {
    // The request that many articles print: it names what is really missing.
    modern(
        r#"> {"id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}"#,
        &["1 meta-missing-client-capabilities"],
    );
    // A legacy client amid modern traffic.
    modern(
        r#"> {"id":1,"method":"tools/list","params":{{META}}}
           > {"id":2,"method":"tools/list","params":{"_meta":{"progressToken":2}}}
           > {"id":3,"method":"tools/list"}"#,
        &["2 meta-missing", "3 meta-missing"],
    );
    // Foreign keys are free, those of the protocol are not; an object may not be written as a string.
    modern(
        r#"> {"id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":"{}","fastmcp":{},"com.example/x":1}}}"#,
        &["1 meta-wrong-type"],
    );
    modern(
        r#"> {"id":1,"method":"tools/list","params":{{META:"extensions":{"com.example/x":{},"mine":{}}|}}}"#,
        &["1 meta-key-invalid"],
    );
    // A server that is not shown to be modern is not blamed for what only a modern one knows.
    modern(
        r#"> {"id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}
           < {"id":1,"error":{"code":-32602,"message":"no capabilities"}}
           > {"id":2,"method":"tools/list","params":{{META},"x":null}}
           < {"id":2,"result":{"tools":[],{PAGE}}}
           > {"id":3,"method":"tools/list","params":{{META}}}
           < {"id":3,"result":{"tools":[],{PAGE}}}"#,
        &["1 meta-missing-client-capabilities", "4 meta-missing-server-info"],
    );
}

#[test]
fn inputs() {
    let ask = |id: u32, state: &str| {
        format!(
            r#"< {{"id":{id},"result":{{"resultType":"input_required","inputRequests":{{"who":{{FORM}}}}{state},{{INFO}}}}}}"#
        )
    };
    let call = |id: u32, more: &str| {
        format!(
            r#"> {{"id":{id},"method":"tools/call","params":{{{{META:"elicitation":{{}}|}},"name":"a","arguments":{{"x":1,"y":2}}{more}}}}}"#
        )
    };
    let answer = r#","inputResponses":{"who":{"action":"accept","content":{"name":"Ada"}}}"#;
    // No state was given: none comes back. Members may change their order.
    modern(&[call(1, ""), ask(1, ""), call(2, answer)].join("\n"), &[]);
    let turned = call(2, answer).replace(r#"{"x":1,"y":2}"#, r#"{"y":2,"x":1}"#);
    modern(&[call(1, ""), ask(1, ""), turned].join("\n"), &[]);
    let invented = call(2, &format!(r#"{answer},"requestState":"mine""#));
    modern(&[call(1, ""), ask(1, ""), invented].join("\n"), &["3 input-retry-state"]);
    // The state of one call on another.
    let other = call(2, &format!(r#"{answer},"requestState":"s""#)).replace(r#""name":"a""#, r#""name":"b""#);
    modern(
        &[call(1, ""), ask(1, r#","requestState":"s""#), other].join("\n"),
        &["3 input-retry-params-changed", "3 input-retry-state"],
    );
    // Declined: no content, and no fault.
    let declined = call(2, r#","inputResponses":{"who":{"action":"decline"}}"#);
    modern(&[call(1, ""), ask(1, ""), declined].join("\n"), &[]);
    let with_content = call(2, r#","inputResponses":{"who":{"action":"cancel","content":{"name":"Ada"}}}"#);
    modern(&[call(1, ""), ask(1, ""), with_content].join("\n"), &["3 elicit-answer-mismatch"]);
    // Load shedding: a state and no question; the client comes back at once.
    modern(
        &[
            call(1, ""),
            r#"< {"id":1,"result":{"resultType":"input_required","requestState":"s",{INFO}}}"#.to_owned(),
            call(2, r#","requestState":"s""#),
        ]
        .join("\n"),
        &[],
    );
}

#[test]
fn elicitation_forms() {
    let ask = |field: &str| {
        format!(
            r#"< {{"id":1,"method":"elicitation/create","params":{{"message":"m","requestedSchema":{{"type":"object","properties":{{"f":{field}}}}}}}}}"#
        )
    };
    for field in [
        r#"{"type":"string","enum":["a","b"],"enumNames":["A","B"]}"#,
        r#"{"type":"string","oneOf":[{"const":"a","title":"A"}]}"#,
        r#"{"type":"array","items":{"type":"string","enum":["a"]}}"#,
        r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}"#,
        r#"{"type":"integer","minimum":1}"#,
        r#"{"type":"boolean","title":"Save the password"}"#,
    ] {
        legacy(V11, &ask(field), &[]);
    }
    for field in [r#"{"type":"object"}"#, r##"{"$ref":"#/x"}"##, r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#] {
        legacy(V11, &ask(field), &["1 elicit-schema-not-flat"]);
    }
    legacy(
        Revision::V2025_06_18,
        &ask(r#"{"type":"array","items":{"type":"string","enum":["a"]}}"#),
        &["1 elicit-schema-not-flat"],
    );
    // A fraction is a number; a choice outside the list is none.
    let answer = |value: &str| format!(r#"> {{"id":1,"result":{{"action":"accept","content":{{"f":{value}}}}}}}"#);
    legacy(V11, &format!("{}\n{}", ask(r#"{"type":"number"}"#), answer("3.5")), &[]);
    legacy(V11, &format!("{}\n{}", ask(r#"{"type":"integer"}"#), answer("3.5")), &["2 elicit-answer-mismatch"]);
    legacy(
        V11,
        &format!("{}\n{}", ask(r#"{"type":"array","items":{"type":"string","enum":["a"]}}"#), answer(r#"["a","c"]"#)),
        &["2 elicit-answer-mismatch"],
    );
}

#[test]
fn progress_and_cancellation() {
    let call = r#"> {"id":1,"method":"tools/call","params":{"_meta":{"progressToken":7},"name":"a"}}"#;
    let progress =
        |n: &str| format!(r#"< {{"method":"notifications/progress","params":{{"progressToken":7,"progress":{n}}}}}"#);
    let result = r#"< {"id":1,"result":{"content":[]}}"#;
    legacy(V11, &[call, &progress("0.1"), &progress("0.25"), result].join("\n"), &[]);
    legacy(V11, &[call, &progress("2"), &progress("1"), result].join("\n"), &["3 progress-not-increasing"]);
    // A token may be used again once its request is answered.
    let again = call.replace(r#""id":1"#, r#""id":2"#);
    legacy(V11, &[call, &progress("5"), result, &again, &progress("1")].join("\n"), &[]);
    legacy(
        V11,
        &[call, r#"< {"method":"notifications/progress","params":{"progressToken":"7","progress":1}}"#].join("\n"),
        &["2 progress-unknown-token"],
    );
    // A late answer may have crossed the cancellation; cancelling what is answered is a race too.
    let cancel = r#"> {"method":"notifications/cancelled","params":{"requestId":1}}"#;
    legacy(V11, &[call, cancel, result].join("\n"), &["3 message-after-cancel"]);
    legacy(V11, &[call, result, cancel].join("\n"), &[]);
    // With a task the token lives on.
    legacy(
        V11,
        &[
            r#"> {"id":1,"method":"tools/call","params":{"_meta":{"progressToken":7},"name":"a","task":{}}}"#,
            r#"< {"id":1,"result":{"task":{"taskId":"t","status":"working","createdAt":"2025-11-25T10:00:00Z","lastUpdatedAt":"2025-11-25T10:00:00Z","ttl":null}}}"#,
            &progress("1"),
        ]
        .join("\n"),
        &[],
    );
}

#[test]
fn subscriptions() {
    let listen = |id: &str, filter: &str| {
        format!(r#"> {{"id":{id},"method":"subscriptions/listen","params":{{{{META}},"notifications":{{{filter}}}}}}}"#)
    };
    let note = |method: &str, id: &str, more: &str| {
        format!(r#"< {{"method":"notifications/{method}","params":{{"_meta":{{"SUB":{id}}}{more}}}}}"#)
    };
    let ack =
        |id: &str, filter: &str| note("subscriptions/acknowledged", id, &format!(r#","notifications":{{{filter}}}"#));
    let tools = r#""toolsListChanged":true"#;
    let uris = r#""resourceSubscriptions":["a:/x"]"#;
    // Order counts for each subscription, not for the wire.
    modern(
        &[
            listen("1", tools),
            listen("2", uris),
            ack("2", uris),
            note("resources/updated", "2", r#","uri":"a:/x/below""#),
            ack("1", tools),
            note("tools/list_changed", "1", ""),
        ]
        .join("\n"),
        &[],
    );
    // The server ends it: with a result, with a cancellation, or with both.
    let end = r#"< {"id":1,"result":{"resultType":"complete","_meta":{"SUB":1,"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}"#;
    let cancel = r#"< {"method":"notifications/cancelled","params":{"requestId":1}}"#;
    for ends in [vec![end], vec![cancel], vec![cancel, end]] {
        modern(&[listen("1", tools), ack("1", tools), ends.join("\n")].join("\n"), &[]);
    }
    modern(
        &[
            listen("1", tools),
            ack("1", tools),
            listen("2", tools),
            ack("2", tools),
            end.to_owned(),
            note("tools/list_changed", "1", ""),
        ]
        .join("\n"),
        &["6 subscription-id-unknown"],
    );
    // Cancelled by the client, refused, or never acknowledged.
    let by_client = r#"> {"method":"notifications/cancelled","params":{"requestId":1}}"#;
    let stop = r#"{"end":true}"#;
    modern(&[&listen("1", tools), by_client, stop].join("\n"), &[]);
    modern(&[&listen("1", tools), r#"< {"id":1,"error":{"code":-32601,"message":"m"}}"#, stop].join("\n"), &[]);
    modern(&[&listen("1", tools), stop].join("\n"), &["1 subscription-not-acknowledged"]);
    // More agreed than asked for.
    modern(
        &[listen("1", tools), ack("1", r#""toolsListChanged":true,"promptsListChanged":true"#)].join("\n"),
        &["2 subscription-type-not-requested"],
    );
}

#[test]
fn errors_and_results() {
    let read = r#"> {"id":1,"method":"resources/read","params":{"uri":"a:/x"}}"#;
    let error = |code: i32, text: &str| format!(r#"< {{"id":1,"error":{{"code":{code},"message":"{text}"}}}}"#);
    legacy(V11, &format!("{read}\n{}", error(-32002, "Resource not found")), &[]);
    legacy(V11, &format!("{read}\n{}", error(0, "Resource not found")), &["2 resource-not-found-code"]);
    legacy(V11, &format!("{read}\n{}", error(-32603, "disk failure")), &[]);
    let modern_read = read.replace(r#"{"uri""#, r#"{{META},"uri""#);
    modern(&format!("{modern_read}\n{}", error(-32602, "Resource not found")), &[]);
    modern(&format!("{modern_read}\n{}", error(-32002, "Resource not found")), &[]);
    // The kind of result by what the request asked for.
    let call = |id: u32, caps: &str| {
        format!(r#"> {{"id":{id},"method":"tools/call","params":{{{{META:{caps}|}},"name":"a"}}}}"#)
    };
    let task = |id: u32| {
        format!(
            r#"< {{"id":{id},"result":{{"resultType":"task","taskId":"t","status":"working","createdAt":"2026-07-28T10:00:00Z","lastUpdatedAt":"2026-07-28T10:00:00Z","ttlMs":null,{{INFO}}}}}}"#
        )
    };
    modern(&format!("{}\n{}", call(1, r#""extensions":{"io.modelcontextprotocol/tasks":{}}"#), task(1)), &[]);
    let partial = task(1).replace(r#""task""#, r#""partial""#);
    modern(&format!("{}\n{partial}", call(1, "")), &["2 result-type-unknown"]);
    // The version of something behind the server is not that of the protocol.
    modern(
        r#"> {"id":1,"method":"tools/call","params":{{META},"name":"a"}}
           < {"id":1,"error":{"code":-32603,"message":"Unsupported API version"}}"#,
        &[],
    );
    // Several faults, and null that is not the same as absent.
    legacy(
        V11,
        r#"> {"id":1,"method":"tools/list"}
           < {"id":1,"result":{"tools":[],"nextCursor":null}}"#,
        &["2 result-invalid"],
    );
    legacy(V11, r#"> {"id":1,"method":"tools/call","params":{"name":7}}"#, &["1 params-invalid"]);
    legacy(V11, r#"> {"id":1,"method":"logging/setLevel","params":{"level":"warn"}}"#, &["1 params-invalid"]);
}

#[test]
fn methods_and_logs() {
    // What a vendor adds is told with the nearest name, and what a later revision has is not taken for an earlier one's.
    legacy(
        Revision::V2025_03_26,
        r#"< {"id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}
           > {"id":2,"method":"listTools"}
           < {"id":3,"method":"tools/call","params":{"name":"a"}}"#,
        &["1 method-not-in-revision", "2 method-unknown", "3 method-wrong-direction"],
    );
    // The level of the request whose stream it is; lowest of all on stdio.
    let log =
        |level: &str| format!(r#"< {{"method":"notifications/message","params":{{"level":"{level}","data":1}}}}"#);
    let call = |id: u32, level: &str| {
        format!(
            r#"> {{"id":{id},"method":"tools/call","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"c","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{{}},"io.modelcontextprotocol/logLevel":"{level}"}},"name":"a"}}}}"#
        )
    };
    modern(
        &[call(1, "error"), call(2, "info"), log("info"), log("debug")].join("\n"),
        &["1 deprecated-logging", "3 deprecated-logging", "4 log-below-level"],
    );
    legacy(V11, &log("debug"), &[]);
}

#[test]
fn a_trace_from_the_middle_or_with_a_gap_raises_no_doubt_about_what_it_does_not_show() {
    let text = steps(
        r#"< {"method":"notifications/progress","params":{"progressToken":7,"progress":1}}
           > {"method":"notifications/cancelled","params":{"requestId":4}}
           > {"id":9,"method":"tools/list","params":{"cursor":"x"}}
           < {"method":"notifications/resources/updated","params":{"uri":"a:b"}}
           < {"method":"notifications/message","params":{"level":"debug","data":1}}"#,
    );
    assert!(unmarked(&text, Origin::Excerpt).is_empty());
}

/// What is found in a file without life-cycle events.
fn unmarked(text: &str, origin: Origin) -> Vec<String> {
    let example = mcpscope::rules::examples::steps(text).unwrap();
    let mut store = Store::new();
    let mut analyzer = Analyzer::new(Options::default(), origin);
    example.items().for_each(|item| analyzer.push(&mut store, item));
    analyzer.finish(&mut store);
    let mcp = store.findings().filter(|(_, f)| f.layer == Layer::Mcp);
    mcp.map(|(_, f)| format!("{} {}", store.records[f.record as usize].line, f.rule)).collect()
}

#[test]
fn a_bare_file_needs_evidence_for_what_came_before_it() {
    // A page in the middle of a list, an update of a resource: a subscription or a page may lie before the file.
    let text = steps(
        r#"> {"id":9,"method":"tools/list","params":{"cursor":"x"}}
           < {"method":"notifications/resources/updated","params":{"uri":"a:b"}}
           > {"id":10,"method":"tools/call","params":{"name":"a"}}"#,
    );
    assert_eq!(unmarked(&text, Origin::Foreign), Vec::<String>::new());
    // A handshake that comes after a request without success shows that nothing came before.
    let text = steps(&format!(
        "{}\n{}\n{INIT}",
        r#"> {"id":1,"method":"tools/list"}"#, r#"< {"id":1,"error":{"code":-32600,"message":"not initialized"}}"#
    ));
    assert_eq!(unmarked(&text, Origin::Foreign), ["1 init-not-first"]);
    // The type of an id shows itself.
    let text = steps(
        r#"> {"id":1,"method":"tools/call","params":{"_meta":{"progressToken":1},"name":"a"}}
           < {"method":"notifications/progress","params":{"progressToken":"1","progress":1}}
           > {"method":"notifications/cancelled","params":{"requestId":"1"}}"#,
    );
    assert_eq!(unmarked(&text, Origin::Excerpt), ["2 progress-unknown-token", "3 cancel-unknown-request"]);
}

#[test]
fn several_clients_behind_one_address_are_not_taken_for_one() {
    // HTTP without session ids: the second client's handshake is under way while the first goes on working.
    let head = r#""http":{"method":"POST","path":"/mcp","headers":{"content-type":"application/json","accept":"application/json, text/event-stream"}}"#;
    let post = |x: u32, msg: &str| format!(r#"{{"dir":"c2s","x":{x},{head},"msg":{{"jsonrpc":"2.0",{msg}}}}}"#);
    let reply = |x: u32, msg: &str| {
        format!(
            r#"{{"dir":"s2c","x":{x},"http":{{"status":200,"headers":{{"content-type":"application/json"}}}},"msg":{{"jsonrpc":"2.0",{msg}}}}}"#
        )
    };
    let init = r#""id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#;
    let done = r#""id":0,"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;
    let text = [
        post(1, init),
        reply(1, done),
        post(2, r#""method":"notifications/initialized""#),
        post(3, init),
        post(4, r#""id":1,"method":"tools/list""#),
        reply(4, r#""id":1,"result":{"tools":[]}"#),
        reply(3, done),
        post(5, r#""id":2,"method":"tools/list","params":{"cursor":"of the first client"}"#),
        post(6, r#""method":"notifications/cancelled","params":{"requestId":1}"#),
    ]
    .join("\n");
    legacy(Revision::V2025_03_26, &text, &[]);
}
