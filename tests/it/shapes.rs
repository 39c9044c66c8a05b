//! Our shape tables against the official schemas and examples, where these lie beside the project.

#![allow(clippy::unwrap_used)]

mod official;

use std::collections::BTreeMap;

use mcpscope::mcp::methods::Kind;
use mcpscope::mcp::shape::{self, Fault, Form, Shape};
use mcpscope::mcp::{Method, Revision, errors};
use mcpscope::wire::json::Parser;
use official::{Chance, Official, folder, mutate};
use serde_json::{Value, json};

/// Instances a type, and mutations of each: a thousand a type.
const INSTANCES: u64 = 50;
const MUTATIONS: u64 = 20;

fn skip() -> bool {
    let skip = folder().is_none();
    if skip {
        eprintln!("skipped: the official schemas are not there");
    }
    skip
}

fn faults(shape: Shape, value: &Value) -> Vec<Fault> {
    let bytes = serde_json::to_vec(value).unwrap();
    let mut parser = Parser::new();
    shape.faults(parser.parse(&bytes).root().unwrap(), 50)
}

/// Name of the official definition of a method's complete result.
fn result_of(method: Method) -> &'static str {
    match method {
        Method::Initialize => "InitializeResult",
        Method::Discover => "DiscoverResult",
        Method::Listen => "SubscriptionsListenResult",
        Method::ToolsList => "ListToolsResult",
        Method::ToolsCall => "CallToolResult",
        Method::PromptsList => "ListPromptsResult",
        Method::PromptsGet => "GetPromptResult",
        Method::ResourcesList => "ListResourcesResult",
        Method::TemplatesList => "ListResourceTemplatesResult",
        Method::ResourcesRead => "ReadResourceResult",
        Method::Complete => "CompleteResult",
        Method::RootsList => "ListRootsResult",
        Method::CreateMessage => "CreateMessageResult",
        Method::Elicit => "ElicitResult",
        Method::TasksGet => "GetTaskResult",
        Method::TasksResult => "GetTaskPayloadResult",
        Method::TasksList => "ListTasksResult",
        Method::TasksCancel => "CancelTaskResult",
        _ => "Result",
    }
}

/// A type to compare: what it is called in a report, ours, and the place of the official one.
struct Pair {
    name: String,
    ours: Shape,
    part: String,
}

fn pairs(official: &Official) -> Vec<Pair> {
    let revision = official.revision;
    let mut out = Vec::new();
    for method in Method::ALL.iter().copied() {
        // What the extension defines has no official schema here.
        let inside = revision.is_modern() && method.is_input_request();
        if !method.is_in(revision) && !inside {
            continue;
        }
        let message = official.message_of(method).unwrap_or_else(|| panic!("{} in {revision}", method.name()));
        out.push(Pair {
            name: format!("params of {}", method.name()),
            ours: shape::params(method, revision).unwrap(),
            part: format!("{message}/properties/params"),
        });
        if method.kind() == Kind::Request {
            out.push(Pair {
                name: format!("result of {}", method.name()),
                ours: shape::result(method, revision, Form::Complete).unwrap(),
                part: result_of(method).to_owned(),
            });
        }
        if revision == Revision::V2025_11_25 && method.may_become_task(revision) {
            out.push(Pair {
                name: format!("task of {}", method.name()),
                ours: shape::result(method, revision, Form::Task).unwrap(),
                part: "CreateTaskResult".to_owned(),
            });
        }
    }
    if revision.is_modern() {
        out.push(Pair {
            name: "input_required".to_owned(),
            ours: shape::named("InputRequired", revision).unwrap(),
            part: "InputRequiredResult".to_owned(),
        });
    }
    out
}

/// A difference that is wanted: why, and how an instance looks without it.
struct Difference {
    why: &'static str,
    /// Removes what the difference is about; after that both sides have to agree.
    remove: fn(&mut Value, &Pair, Revision),
}

/// Calls `f` on every value, children first, with the keys above it.
fn each(v: &mut Value, path: &mut Vec<String>, f: &mut dyn FnMut(&[String], &mut Value)) {
    match v {
        Value::Object(o) => {
            for (k, e) in o.iter_mut() {
                path.push(k.clone());
                each(e, path, f);
                path.pop();
            }
        }
        Value::Array(a) => {
            for (i, e) in a.iter_mut().enumerate() {
                path.push(i.to_string());
                each(e, path, f);
                path.pop();
            }
        }
        _ => {}
    }
    f(path, v);
}

fn ends(path: &[String], end: &[&str]) -> bool {
    path.len() >= end.len() && path[path.len() - end.len()..].iter().zip(end).all(|(a, b)| *b == "*" || a == b)
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        why: "`_meta` of params: all revisions allow it on all params and say what it is, but the schemas up to 2025-06-18 \
              write it down for the base types only, and 2025-11-25 leaves it out where params are written in place",
        remove: |v, pair, revision| {
            if pair.name.starts_with("params")
                && !revision.is_modern()
                && let Value::Object(o) = v
            {
                o.shift_remove("_meta");
            }
        },
    },
    Difference {
        why: "values in the content of an elicitation answer: the schema of each revision says integer where the text and \
              the TypeScript source say number",
        remove: |v, _, _| {
            each(v, &mut Vec::new(), &mut |path, v| {
                if ends(path, &["content", "*"]) && v.is_f64() {
                    *v = json!(1);
                }
            });
        },
    },
    Difference {
        why: "settings of capabilities and extensions, and sampling metadata, are open JSON objects; the 2026-07-28 schema \
              of a JSON value forgets null and fractions",
        remove: |v, _, revision| {
            if !revision.is_modern() {
                return;
            }
            each(v, &mut Vec::new(), &mut |path, v| {
                let open = [
                    "experimental",
                    "extensions",
                    "metadata",
                    "completions",
                    "logging",
                    "context",
                    "tools",
                    "form",
                    "url",
                ];
                if path.iter().any(|p| open.contains(&p.as_str())) && (v.is_null() || v.is_f64()) {
                    *v = json!(1);
                }
            });
        },
    },
    Difference {
        why: "the tasks extension adds taskIds to the filter of a subscription",
        remove: |v, _, _| {
            if let Some(Value::Object(o)) = v.get_mut("notifications") {
                o.shift_remove("taskIds");
            }
        },
    },
];

/// Which difference explains that the two do not agree: the smallest set of them whose removal makes them agree.
fn explain(pair: &Pair, revision: Revision, validator: &jsonschema::Validator, v: &Value) -> Option<Vec<usize>> {
    let agree = |v: &Value| faults(pair.ours, v).is_empty() == validator.is_valid(v);
    let mut sets: Vec<Vec<usize>> = (1..1usize << DIFFERENCES.len())
        .map(|bits| (0..DIFFERENCES.len()).filter(|i| bits & (1 << i) != 0).collect())
        .collect();
    sets.sort_by_key(Vec::len);
    sets.into_iter().find(|set| {
        let mut copy = v.clone();
        set.iter().for_each(|i| (DIFFERENCES[*i].remove)(&mut copy, pair, revision));
        agree(&copy)
    })
}

#[test]
fn mutations_get_the_same_verdict_from_the_official_schemas() {
    if skip() {
        return;
    }
    let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
    let mut unexplained = Vec::new();
    let (mut total, mut refused, mut types) = (0, 0, 0);
    for revision in Revision::ALL {
        let official = Official::load(revision);
        for pair in pairs(&official) {
            types += 1;
            let validator = official.validator(&pair.part);
            let schema = official.at(&pair.part);
            let mut refused_here = 0;
            for seed in 0..INSTANCES {
                let mut chance = Chance::new(seed * 1_000_003 + revision as u64 * 977 + types);
                let instance = official.instance(schema, &mut chance, 0);
                for n in 0..=MUTATIONS {
                    let mut v = instance.clone();
                    // The instance itself, then with one, two or three changes.
                    for _ in 0..if n == 0 { 0 } else { 1 + (n % 8) / 3 } {
                        mutate(&mut v, &mut chance);
                    }
                    let ours = faults(pair.ours, &v);
                    let theirs = validator.is_valid(&v);
                    total += 1;
                    refused_here += u32::from(!theirs);
                    if ours.is_empty() == theirs {
                        continue;
                    }
                    match explain(&pair, revision, &validator, &v) {
                        Some(set) => set.into_iter().for_each(|i| *seen.entry(i).or_default() += 1),
                        None if unexplained.len() < 20 => unexplained.push(format!(
                            "{revision} {}: official {}, ours {ours:?}\n    {v}",
                            pair.name,
                            validator
                                .validate(&v)
                                .map_or_else(|e| format!("{} at {}", e, e.instance_path()), |()| "accepts".to_owned()),
                        )),
                        None => {}
                    }
                }
            }
            assert!(refused_here > 0 || pair.part.ends_with("Result"), "{revision} {}: nothing was refused", pair.name);
            refused += refused_here;
        }
    }
    eprintln!("{total} instances of {types} types, {refused} refused by the official schemas");
    for (i, n) in &seen {
        eprintln!("{n} times: {}", DIFFERENCES[*i].why);
    }
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
    for (i, d) in DIFFERENCES.iter().enumerate() {
        assert!(seen.contains_key(&i), "this difference never shows: {}", d.why);
    }
}

/// Our name for an official type whose examples are bare values.
fn our_name(folder: &str) -> Option<&'static str> {
    Some(match folder {
        "AudioContent" | "ImageContent" | "TextContent" | "EmbeddedResource" | "ResourceLink" => "Block",
        "ToolResultContent" | "ToolUseContent" => "SamplingBlock",
        "BlobResourceContents" | "TextResourceContents" => "Contents",
        "BooleanSchema"
        | "NumberSchema"
        | "StringSchema"
        | "TitledMultiSelectEnumSchema"
        | "TitledSingleSelectEnumSchema"
        | "UntitledMultiSelectEnumSchema"
        | "UntitledSingleSelectEnumSchema" => "Field",
        "CallToolRequestParams" => "CallParams",
        "CancelledNotificationParams" => "CancelledParams",
        "ClientCapabilities" => "ClientCapabilities",
        "ServerCapabilities" => "ServerCapabilities",
        "CompleteRequestParams" => "CompleteParams",
        "CreateMessageRequest" | "ElicitRequest" | "ListRootsRequest" => "InputRequest",
        "CreateMessageRequestParams" => "CreateMessageParams",
        "ElicitRequestFormParams" | "ElicitRequestURLParams" => "ElicitParams",
        "GetPromptRequestParams" => "PromptParams",
        "InputRequests" => "InputRequests",
        "InputResponses" => "InputResponses",
        "InputRequiredResult" => "InputRequired",
        "LoggingMessageNotificationParams" => "LogParams",
        "ModelPreferences" => "Preferences",
        "PaginatedRequestParams" => "PageParams",
        "ProgressNotificationParams" => "ProgressParams",
        "Resource" => "Resource",
        "ResourceUpdatedNotificationParams" => "UpdatedParams",
        "Root" => "Root",
        "SamplingMessage" => "SamplingMessage",
        "Tool" => "Tool",
        _ => return None,
    })
}

/// Official examples that break the official schema themselves.
const BROKEN: &[(&str, &str)] = &[
    // It lacks ttlMs and cacheScope, which the schema demands; its sibling has them.
    ("ReadResourceResultResponse/read-resource-result-response.json", "a member \"ttlMs\""),
];

#[test]
fn official_examples_have_our_shapes() {
    if skip() {
        return;
    }
    let revision = Revision::V2026_07_28;
    let official = Official::load(revision);
    let mut count = 0;
    for dir in std::fs::read_dir(folder().unwrap().join("2026-07-28/examples")).unwrap() {
        let dir = dir.unwrap();
        let ty = dir.file_name().into_string().unwrap();
        for file in std::fs::read_dir(dir.path()).unwrap() {
            let file = file.unwrap();
            let name = format!("{ty}/{}", file.file_name().into_string().unwrap());
            let value: Value = serde_json::from_slice(&std::fs::read(file.path()).unwrap()).unwrap();
            count += 1;
            let faults = if let Some(ours) = our_name(&ty) {
                faults(shape::named(ours, revision).unwrap(), &value)
            } else if let Some(method) = value["method"].as_str().and_then(Method::lookup) {
                faults(shape::params(method, revision).unwrap(), &value["params"])
            } else if value.get("error").is_some() || ty.ends_with("Error") {
                // The payload of an error stands alone, or in its response.
                let error = value.get("error").unwrap_or(&value);
                let known = errors::find(error["code"].as_i64().unwrap()).unwrap();
                assert!(known.revisions.has(revision), "{name}");
                assert!(known.data.iter().all(|m| error["data"].get(m).is_some()), "{name}");
                continue;
            } else {
                let result = value.get("result").unwrap_or(&value);
                let stem = ty.strip_suffix("Response").unwrap_or(&ty);
                let method = Method::ALL.iter().find(|m| result_of(**m) == stem && official.def(stem).is_some());
                let method = *method.unwrap_or_else(|| panic!("{name}: what is it?"));
                let bytes = serde_json::to_vec(result).unwrap();
                let mut parser = Parser::new();
                let form = shape::form(revision, false, parser.parse(&bytes).root().unwrap());
                faults(shape::result(method, revision, form).unwrap(), result)
            };
            match BROKEN.iter().find(|(n, _)| *n == name) {
                Some((_, expected)) => assert_eq!(faults[0].expected, *expected, "{name}"),
                None => assert!(faults.is_empty(), "{name}: {faults:?}"),
            }
        }
    }
    assert!(count > 100, "only {count} examples");
}

/// Faults that real software made, in the recordings beside the project: file, line, and what is wrong there. All of
/// them are true: a server that answers a question of another era with an empty result, and a conformance suite that
/// leaves out `_meta`, its version or the capabilities on purpose, and sends input responses of a wrong shape.
const REAL: &[(&str, usize, &str)] = &[
    (SSE_RETRY, 2, ": a member \"resultType\", not no such member"),
    (SSE_RETRY, 2, ": a member \"ttlMs\", not no such member"),
    (SSE_RETRY, 2, ": a member \"cacheScope\", not no such member"),
    (SSE_RETRY, 2, ": a member \"supportedVersions\", not no such member"),
    (SSE_RETRY, 2, ": a member \"capabilities\", not no such member"),
    (CONFORMANCE, 1, ": a member \"_meta\", not no such member"),
    (CONFORMANCE, 3, "/_meta: a member \"io.modelcontextprotocol/protocolVersion\", not no such member"),
    (CONFORMANCE, 5, "/_meta: a member \"io.modelcontextprotocol/clientCapabilities\", not no such member"),
    (CONFORMANCE, 162, "/inputResponses/user_name: an object, not a number"),
    (CONFORMANCE, 164, "/inputResponses: an object, not null"),
];
const SSE_RETRY: &str = "conformance-client-sse-retry-http-2025-11-25";
const CONFORMANCE: &str = "conformance-server-http-2026-07-28";

#[test]
fn real_traffic_has_our_shapes_but_for_known_faults() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/traces/raw"));
    if !folder.is_dir() {
        eprintln!("skipped: the recordings are not there");
        return;
    }
    let mut seen = Vec::new();
    let mut judged = 0;
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "jsonl")) {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let in_name = Revision::ALL.into_iter().find(|r| name.ends_with(r.as_str())).unwrap();
        // Requests by sender and id, each with its method, revision and whether it asks for a task.
        let mut open: BTreeMap<(String, String), (Method, Revision, bool)> = BTreeMap::new();
        let text = std::fs::read_to_string(file).unwrap();
        for (line, record) in (1..).zip(text.split('\n').filter(|l| !l.is_empty())) {
            let record: Value = serde_json::from_str(record).unwrap();
            let dir = record["dir"].as_str().unwrap_or_default();
            if !matches!(dir, "c2s" | "s2c") {
                continue;
            }
            let Ok(body) = serde_json::from_str::<Value>(record["raw"].as_str().unwrap_or_default()) else { continue };
            let batch = if let Value::Array(list) = body { list } else { vec![body] };
            for message in batch {
                let mut note = |faults: Vec<Fault>| {
                    judged += 1;
                    for f in faults {
                        seen.push((name.to_owned(), line, format!("{}: {}, not {}", f.pointer, f.expected, f.actual)));
                    }
                };
                if let Some(method) = message["method"].as_str().and_then(Method::lookup) {
                    let version = message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str();
                    let revision = version.and_then(Revision::parse).unwrap_or(in_name);
                    if let Some(id) = message.get("id") {
                        let task = message["params"].get("task").is_some();
                        open.insert((dir.to_owned(), id.to_string()), (method, revision, task));
                    }
                    let Some(shape) = shape::params(method, revision) else { continue };
                    match message.get("params") {
                        Some(params) => note(faults(shape, params)),
                        None if shape::params_required(method, revision) => {
                            seen.push((name.to_owned(), line, "no params".to_owned()));
                        }
                        None => {}
                    }
                } else if let Some(result) = message.get("result") {
                    let asker = if dir == "c2s" { "s2c" } else { "c2s" };
                    let Some((method, revision, task)) = open.get(&(asker.to_owned(), message["id"].to_string()))
                    else {
                        continue;
                    };
                    let bytes = serde_json::to_vec(result).unwrap();
                    let mut parser = Parser::new();
                    let form = shape::form(*revision, *task, parser.parse(&bytes).root().unwrap());
                    let Some(shape) = shape::result(*method, *revision, form) else { continue };
                    note(faults(shape, result));
                }
            }
        }
    }
    assert!(judged > 900, "only {judged} params and results");
    let known = |s: &(String, usize, String)| REAL.iter().any(|(f, l, what)| *f == s.0 && *l == s.1 && *what == s.2);
    let unknown: Vec<String> = seen.iter().filter(|s| !known(s)).map(|s| format!("{s:?}")).collect();
    assert!(unknown.is_empty(), "{judged} judged\n{}", unknown.join("\n"));
    assert_eq!(seen.len(), REAL.len(), "a known fault does not show any more");
}
