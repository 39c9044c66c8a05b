#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::analysis::{Analyzer, Origin};
use crate::format::native::Reader;
use crate::rules::Options;
use crate::trace::{Source, Store};

/// A small conversation with one of nearly everything.
const TRACE: &str = r#"{"mcpscope_trace":1,"created":"2026-11-30T12:03:00Z","tool":"t","name":"x","transport":"stdio","host":{"name":"Code","pid":1}}
{"t":0.000001,"event":"spawn","pid":2}
{"t":0.100000,"dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"1.2"}}}}
{"t":0.200000,"dir":"s2c","msg":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{},"resources":{}},"serverInfo":{"name":"Weather","version":"3"}}}}
{"t":0.300000,"dir":"c2s","msg":{"jsonrpc":"2.0","method":"notifications/initialized"}}
{"t":0.400000,"dir":"c2s","msg":{"jsonrpc":"2.0","id":2,"method":"tools/list"}}
{"t":0.410000,"dir":"s2c","msg":{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"search","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"book","inputSchema":{"type":"object"}}]}}}
{"t":1.000000,"dir":"c2s","msg":{"jsonrpc":"2.0","id":"7","method":"tools/call","params":{"name":"search","arguments":{"city":"Oslo","odd name":{"n":[1,2.50,12345678901234567890123]},"on":true,"none":null},"_meta":{"progressToken":"p1"}}}}
{"t":1.700000,"dir":"s2c","msg":{"jsonrpc":"2.0","id":"7","result":{"content":[{"type":"text","text":"{\"total\": 120, \"rows\":[{\"name\":\"Müller\"}]}"}]}}}
{"t":2.000000,"dir":"c2s","msg":{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"book","arguments":{}}}}
{"t":2.001000,"dir":"s2c","msg":{"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"text","text":"timeout after 3 s"}],"isError":true}}}
{"t":3.000000,"dir":"c2s","msg":{"jsonrpc":"2.0","id":9,"method":"prompts/get","params":{"name":"greet"}}}
{"t":3.500000,"dir":"s2c","msg":{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"no such prompt","data":{"hint":"greeting"}}}}
{"t":4.000000,"dir":"c2s","msg":{"jsonrpc":"2.0","id":10,"method":"resources/read","params":{"uri":"file:///A.txt"}}}
{"t":4.100000,"dir":"err","text":"Panic: at the disco"}
{"t":4.200000,"dir":"s2c","text":"Server listening\u2026"}
{"t":4.300000,"dir":"s2c","msg":{"jsonrpc":"2.0","id":99,"result":{}}}
{"t":64.500000,"event":"exit","status":3}
{"t":64.600000,"event":"end","frames":13}
"#;

struct Trace {
    store: Store,
    source: Source,
    header: crate::format::Header,
}

fn trace() -> Trace {
    let mut reader = Reader::new();
    let mut store = Store::new();
    let mut analyzer = Analyzer::new(Options::default(), Origin::Native);
    reader.feed(TRACE.as_bytes(), &mut |item| analyzer.push(&mut store, item));
    reader.finish(&mut |item| analyzer.push(&mut store, item));
    analyzer.finish(&mut store);
    assert_eq!(reader.fault_count(), 0);
    Trace { store, source: Source::Memory(TRACE.as_bytes().to_vec()), header: reader.header().unwrap().clone() }
}

/// Lines of the trace on which the selected rows begin.
fn lines(trace: &Trace, query: &str) -> Vec<u32> {
    let q = Query::parse(query).unwrap_or_else(|e| panic!("{query}: {e}"));
    let again = Query::parse(&q.to_string()).unwrap();
    assert_eq!(q, again, "{query} is printed as {q}");
    let marked = |row: Row| row == Row::Exchange(0);
    let mut cx =
        EvalCx::new(&trace.store, Some(&trace.source)).with_origin(Some("Code"), trace.header.created.as_deref());
    cx.marked = Some(&marked);
    let mut found = Vec::new();
    q.select(&cx, 0..usize::MAX, &mut found);
    let first = |row: Row| match row {
        Row::Exchange(e) => trace.store.exchanges[e as usize].first(),
        Row::Loose(r) => r,
    };
    found.iter().map(|i| trace.store.records[first(trace.store.rows[*i as usize]) as usize].line).collect()
}

#[test]
fn what_each_term_selects() {
    let t = trace();
    let all: Vec<u32> = lines(&t, "");
    assert_eq!(all, [2, 3, 5, 6, 8, 10, 12, 14, 15, 16, 17, 18, 19]);
    let mut wrong = Vec::new();
    for (query, want) in [
        ("method = tools/call", &[8, 10][..]),
        ("method:CALL", &[8, 10]),
        ("method ~ \"^tools/l\"", &[6]),
        ("tool = Search", &[8]),
        ("tool != search", &[10]),
        ("prompt = greet", &[12]),
        ("uri = file:///A.txt", &[14]),
        ("uri = file:///a.txt", &[]),
        ("target ~ \"^(greet|book)$\"", &[10, 12]),
        ("id = 8", &[10]),
        ("id = 7", &[]),
        ("id = \"7\"", &[8]),
        ("id > 8", &[12, 14, 17]),
        ("id ~ ^9", &[12, 17]),
        ("dir = err", &[15]),
        ("dir = s2c", &[16, 17]),
        ("conn = 1 and is:request", &[3, 6, 8, 10, 12, 14]),
        ("host = code n = 1", &[3]),
        ("client = claude-code n <= 2", &[3, 5]),
        ("client = claude-code/1.2 n = 1", &[3]),
        ("server:weath and n = 1", &[3]),
        ("revision >= 2025-06-18 and n = 3", &[6]),
        ("era = modern", &[]),
        ("era = legacy n = 3", &[6]),
        ("outcome = ok", &[3, 6, 8]),
        ("outcome = tool-error", &[10]),
        ("outcome:error", &[10, 12]),
        ("code = -32602", &[12]),
        ("code < 0", &[12]),
        ("latency >= 500ms", &[8, 12]),
        ("latency = 10ms", &[6]),
        ("latency < 0.002s", &[10]),
        ("size > 300", &[3, 8]),
        ("size >= 2M", &[]),
        ("time >= 4.2", &[16, 17, 18, 19]),
        ("time > 12:03:04", &[15, 16, 17, 18, 19]),
        ("time = 12:03:04", &[14, 15, 16, 17]),
        ("time >= 2026-11-30T12:04:00Z", &[18, 19]),
        ("time >= 2026-11-30T13:04:00+01:00", &[18, 19]),
        ("n = 5", &[10]),
        ("rule = request-unanswered", &[14]),
        ("layer = transport is:unreadable", &[16]),
        ("severity >= warning and owner = server and layer = transport and dir = s2c", &[16]),
        ("stderr ~ panic", &[15]),
        ("text:\"no such prompt\"", &[12]),
        ("text ~ \"at the \\w+$\"", &[15]),
        ("timeout", &[10]),
        ("\"müller\"", &[8]),
        ("exit", &[18]),
        ("is:request is:unanswered", &[14]),
        ("is:notification", &[5]),
        ("is:error", &[12]),
        ("is:tool-error", &[10]),
        ("is:failed", &[10, 12]),
        ("is:pending or is:cancelled or is:late or is:live", &[]),
        ("is:orphan", &[17]),
        ("is:unreadable", &[16]),
        ("is:read-only", &[8]),
        ("is:marked", &[3]),
        ("params.arguments.city ~ \"^Os\"", &[8]),
        ("params.arguments.city = oslo", &[]),
        ("params.arguments[\"odd name\"].n[1] = 2.5", &[8]),
        ("params.arguments[\"odd name\"].n[*] = 12345678901234567890123", &[8]),
        ("params.arguments[\"odd name\"].n[*] = 12345678901234567890124", &[]),
        ("params.arguments[\"odd name\"].n[2] > 12345678901234567890122", &[8]),
        ("params.arguments.on = true", &[8]),
        ("params.arguments.on = \"true\"", &[]),
        ("params.arguments.none = null", &[8]),
        ("_meta.progressToken = p1", &[8]),
        ("error.data.hint:greet", &[12]),
        ("result.content[0].text.total > 100", &[8]),
        ("result.content[*].text.rows[*].name = Müller", &[8]),
        ("params.arguments.city != Bergen", &[8]),
        ("not params.arguments.city = Oslo and method = tools/call", &[10]),
        ("params.arguments.absent != 1", &[]),
        ("(tool = search or tool = book) and not is:tool-error", &[8]),
        ("tool = search or tool = book and is:tool-error", &[8, 10]),
        ("NOT (method:i OR not is:request) AND n > 0", &[8, 10, 12, 14]),
    ] {
        let found = lines(&t, query);
        if found != want {
            wrong.push(format!("{query}: {found:?}, want {want:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let findings = lines(&t, "is:finding");
    assert!(findings.contains(&14) && findings.contains(&16), "{findings:?}");
}

#[test]
fn faults_say_where_and_what() {
    for (query, column, part, near) in [
        ("methd = x", 1, "there is no field methd", Some("method")),
        ("tool = x and outcom = ok", 14, "no field outcom", Some("outcome")),
        ("is:eror", 4, "no is:eror", Some("is:error")),
        ("is = error", 4, "colon", None),
        ("outcome = okay", 11, "never okay", Some("ok")),
        ("rule = json-sintax", 8, "no rule json-sintax", Some("json-syntax")),
        ("latency > 500", 11, "no duration", None),
        ("latency > fast", 11, "no duration", None),
        ("size > 2x", 8, "no size", None),
        ("time > noon", 8, "no time", None),
        ("n = x", 5, "number", None),
        ("tool < a", 6, "takes no <", None),
        ("tool =", 7, "value is missing", None),
        ("tool == x", 7, "second =", None),
        ("(tool = x", 10, "column 1 is not closed", None),
        ("tool = x)", 9, "without an opening", None),
        ("()", 2, "a term is missing", None),
        ("and x", 1, "without a term before", None),
        ("x or", 5, "query ends here", None),
        ("= 5", 1, "operator without a field", None),
        ("\"abc", 1, "no end", None),
        ("tool ~ \"(\"", 8, "regular expression", None),
        ("params.a[x] = 1", 10, "position", None),
        ("params.a[0 = 1", 11, "not closed", None),
        ("params. = 1", 8, "name is missing", None),
        ("params.a/b = 1", 9, "behind a dot", None),
        ("params.a < x", 12, "only numbers", None),
        ("http.header = x", 1, "no field", None),
        ("ä and tol = 1", 7, "no field tol", Some("tool")),
    ] {
        let e = Query::parse(query).err().unwrap_or_else(|| panic!("{query} is taken"));
        assert_eq!(e.column, column, "{query}: {e}");
        assert!(e.message.contains(part), "{query}: {e}");
        assert_eq!(e.nearest.as_deref(), near, "{query}: {e}");
    }
    assert!(Query::parse(&"(".repeat(100_000)).is_err());
    assert!(Query::parse(&"not ".repeat(10_000)).is_err());
    assert!(Query::parse(&format!("params{} = 1", "[0]".repeat(1000))).is_err());
}

#[test]
fn payload_is_read_only_where_it_must_be() {
    let needs = |q: &str| Query::parse(q).unwrap().needs_payload();
    assert!(!needs("method = tools/call and latency > 1s or rule:json and http.header.accept:x"));
    assert!(needs("timeout") && needs("code = 1") && needs("params.a = 1") && needs("stderr:x"));
    // Without a source nothing that needs bytes is found, and nothing fails.
    let t = trace();
    let cx = EvalCx::new(&t.store, None);
    assert!(!Query::parse("timeout").unwrap().matches_row(&cx, t.store.rows[0]));
}

#[test]
fn completion_offers_what_fits() {
    let t = trace();
    let texts = |q: &str| -> Vec<String> { complete(q, q.len(), &t.store).into_iter().map(|c| c.text).collect() };
    assert_eq!(texts("is:un"), ["unanswered", "unreadable"]);
    assert_eq!(texts("tool = "), ["book", "search"]);
    assert_eq!(texts("tool=se"), ["search"]);
    assert_eq!(texts("(tool:"), ["book", "search"]);
    assert_eq!(texts("outcome = to"), ["tool_error"]);
    assert_eq!(texts("lat"), ["latency"]);
    assert!(texts("").contains(&"method".to_owned()) && !texts("").contains(&"and".to_owned()));
    assert!(texts("is:error a").contains(&"and".to_owned()));
    assert_eq!(texts("client = "), ["claude-code"]);
    assert!(texts("\"ab").is_empty());
    let c = &complete("x tool = se y", 11, &t.store)[0];
    assert_eq!((c.start, c.end, c.text.as_str()), (9, 11, "search"));
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("search".to_owned()),
        Just("7".to_owned()),
        Just("\"7\"".to_owned()),
        Just("500ms".to_owned()),
        Just("error".to_owned()),
        Just("\"a \\\" b\\n \\\\d\"".to_owned()),
        Just("ok".to_owned()),
        "[a-zA-Z0-9/._=-]{1,6}",
        "\"[^\"\\\\]{0,6}\"",
    ]
}

fn term() -> impl Strategy<Value = String> {
    let field = proptest::sample::select(
        Field::ALL
            .iter()
            .map(|(_, n, _)| *n)
            .chain(["http.header.x-a", "params.a[0][\"b c\"][*].d", "_meta"])
            .collect::<Vec<_>>(),
    );
    let op = proptest::sample::select(Op::ALL.iter().map(|(_, s)| *s).collect::<Vec<_>>());
    let is = proptest::sample::select(Is::ALL.iter().map(|(_, w, _)| *w).collect::<Vec<_>>());
    prop_oneof![
        (field, op, word()).prop_map(|(f, op, w)| format!("{f}{}{op}{w}", if op == ":" { "" } else { " " })),
        is.prop_map(|w| format!("is:{w}")),
        word(),
    ]
}

fn query() -> impl Strategy<Value = String> {
    term().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4).prop_map(|v| format!("({})", v.join(" and "))),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(|v| format!("({})", v.join(" or "))),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(|v| v.join(" ")),
            inner.prop_map(|i| format!("not {i}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn parsing_never_panics(text in any::<String>()) {
        let _ = Query::parse(&text);
    }

    #[test]
    fn what_is_printed_reads_as_the_same(text in query()) {
        if let Ok(q) = Query::parse(&text) {
            let printed = q.to_string();
            let again = Query::parse(&printed);
            prop_assert!(again.as_ref() == Ok(&q), "{text} → {printed} → {again:?}");
        }
    }
}

#[test]
fn evaluation_of_any_query_ends() {
    use proptest::strategy::ValueTree as _;
    let t = trace();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut asked = 0;
    for _ in 0..500 {
        let text = query().new_tree(&mut runner).unwrap().current();
        if let Ok(q) = Query::parse(&text) {
            let cx = EvalCx::new(&t.store, Some(&t.source)).with_origin(Some("Code"), t.header.created.as_deref());
            let mut found = Vec::new();
            q.select(&cx, 0..t.store.rows.len(), &mut found);
            // The opposite selects the rest.
            let not = Query::parse(&format!("not ({text})")).unwrap();
            let mut rest = Vec::new();
            not.select(&cx, 0..t.store.rows.len(), &mut rest);
            assert_eq!(found.len() + rest.len(), t.store.rows.len(), "{text}");
            asked += 1;
        }
    }
    assert!(asked > 50, "{asked}");
}
