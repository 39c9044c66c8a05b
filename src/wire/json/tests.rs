#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

/// JSON values of all kinds, some levels deep.
pub(super) fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<u64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        "\\PC{0,12}|[\\x00-\\x7f]{0,12}".prop_map(Into::into),
        Just("{\"in\": [1, {}]}".into()),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Into::into),
            proptest::collection::vec(("[a-z_/~\"\\\\]{0,3}|_meta|\\PC{0,4}", inner), 0..8)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

fn with<T>(text: &(impl AsRef<[u8]> + ?Sized), f: impl FnOnce(Doc<'_>) -> T) -> T {
    f(Parser::new().parse(text.as_ref()))
}

#[test]
fn a_message_is_read_without_loss() {
    with(r#" {"jsonrpc":"2.0","id":1.0,"params":{"a":[1,2.50,"x\ny"],"b":null,"c":true,"e":{},"f":[]}} "#, |doc| {
        let root = doc.root().unwrap();
        assert_eq!(doc.faults(), &Faults { max_depth: 3, ..Faults::default() });
        assert_eq!(root.kind(), Kind::Object);
        assert_eq!(root.len(), 3);
        let params = root.get("params").unwrap();
        assert_eq!(params.at("/a/1").unwrap().raw(), b"2.50");
        assert_eq!(params.at("/a/2").unwrap().as_str().unwrap(), "x\ny");
        assert!(params.at("/a/2").unwrap().str_eq("x\ny"));
        assert_eq!(params.at("/a/2").unwrap().pointer(), "/params/a/2");
        assert_eq!(root.path(&["params", "c"]).unwrap().as_bool(), Some(true));
        assert_eq!(params.get("e").unwrap().len(), 0);
        assert!(params.get("f").unwrap().is_array());
        assert_eq!(root.get("id").unwrap().as_i64(), Some(1));
        assert_eq!(
            params.members().map(|(k, _)| k.as_str().into_owned()).collect::<Vec<_>>(),
            ["a", "b", "c", "e", "f"]
        );
        assert_eq!(params.get("f").unwrap().position(), Some(4));
    });
}

#[test]
fn escaped_and_repeated_keys() {
    with(r#"{"\u0069d":1,"id":2,"x":{"id":3}}"#, |doc| {
        assert_eq!(doc.faults().duplicate_key, Some(13));
        assert_eq!(doc.root().unwrap().get("id").unwrap().as_i64(), Some(2));
    });
}

#[test]
fn torn_text_is_kept_as_far_as_it_goes() {
    let text = r#"{"id":7,"params":{"name":"abc\"d","list":[1,{"k":"torn"#;
    for end in 0..=text.len() {
        with(&text[..end], |doc| {
            let fault = doc.faults().syntax.clone().unwrap();
            assert!(fault.eof && doc.faults().incomplete, "{end}: {fault:?}");
            for node in 0..doc.len() as u32 {
                if let Some(v) = doc.node(node) {
                    assert!(v.span().end <= end);
                    assert!(doc.root().unwrap().at(&v.pointer()).is_some());
                }
            }
        });
    }
    with(text, |doc| {
        let root = doc.root().unwrap();
        assert_eq!(root.get("id").unwrap().as_i64(), Some(7));
        let torn = root.at("/params/list/1/k").unwrap();
        assert_eq!(torn.as_str().unwrap(), "torn");
        assert!(torn.is_open() && root.is_open());
    });
}

/// Faults that make a text no JSON text.
fn is_valid(doc: Doc<'_>) -> bool {
    let f = doc.faults();
    f.syntax.is_none() && !f.trailing && !f.bom && f.nan.is_none() && f.invalid_utf8.is_none()
}

/// What holds of every document, whatever the bytes.
fn check(doc: Doc<'_>, len: usize) {
    let faults = doc.faults();
    assert!(doc.end() <= len);
    assert_eq!(doc.bytes().len(), len);
    assert_eq!(doc.root().is_none(), doc.is_empty());
    assert!(doc.root().is_some() || faults.syntax.is_some());
    assert!(!faults.incomplete || faults.syntax.is_some());
    let places =
        [faults.invalid_utf8, faults.lone_surrogate, faults.nan, faults.duplicate_key, faults.replacement_char];
    assert!(places.into_iter().flatten().all(|at| at < len));
    assert!(faults.syntax.as_ref().is_none_or(|f| f.offset <= len && f.eof == (f.offset == len)), "{faults:?}");
    let mut depth = 0;
    for node in 0..doc.len() as u32 {
        let value = doc.node(node).unwrap();
        let span = value.span();
        assert!(span.start < span.end && span.end <= doc.end(), "{value:?}");
        assert!(value.next_node() > node && value.next_node() as usize <= doc.len());
        depth = depth.max(value.depth() + usize::from(value.kind().is_container()));
        if let Some(parent) = value.parent() {
            assert!(parent.span().start < span.start && span.end <= parent.span().end);
            assert!(value.next_node() <= parent.next_node());
            assert_eq!(parent.is_object(), value.key().is_some());
            assert_eq!(parent.children().nth(value.position().unwrap()).map(Value::node), Some(node));
        } else {
            assert_eq!(node, 0);
        }
        if let Some(key) = value.key() {
            assert!(key.span().end < span.start && key.raw().starts_with(b"\"") && key.raw().ends_with(b"\""));
            assert_eq!(key, *key.as_str());
        }
        assert_eq!(value.len(), value.children().count());
        assert_eq!(doc.at_offset(span.start).map(Value::node), Some(node));
        if let Some(text) = value.as_str() {
            assert!(value.str_eq(&text));
        }
    }
    assert_eq!(faults.max_depth as usize, depth);
}

/// Our reading as a `serde_json::Value`, by the cursors alone.
fn convert(value: Value<'_>) -> serde_json::Value {
    match value.kind() {
        Kind::Null => serde_json::Value::Null,
        Kind::Bool => value.as_bool().unwrap().into(),
        Kind::Number => {
            let plain = !value.raw().iter().any(|b| matches!(b, b'.' | b'e' | b'E'));
            match (value.as_i64(), value.as_u64()) {
                (Some(0), _) if value.raw().starts_with(b"-") => (-0.0).into(),
                (Some(n), _) if plain => n.into(),
                (_, Some(n)) if plain => n.into(),
                _ => value.as_f64().unwrap().into(),
            }
        }
        Kind::String => value.as_str().unwrap().into(),
        Kind::Array => value.elements().map(convert).collect(),
        Kind::Object => {
            serde_json::Value::Object(value.members().map(|(k, v)| (k.as_str().into_owned(), convert(v))).collect())
        }
    }
}

/// Text that is nearly JSON: tokens in any order.
const SOUP: &str = r#"([\[\]{},: \n]|"a"|"\\u00[6z]1"|"\\ud83d(\\ude00)?"|"\\x"|\\|"|"[a-c]":|1|0[1.]|-?1\.5(e[+-]?9)?|1e|-|-?Infinity|NaN|true|nul|null|\u{FEFF}|\u{FFFD}|\t|/){0,24}"#;

fn raw_accepts(bytes: &[u8]) -> bool {
    serde_json::from_slice::<&serde_json::value::RawValue>(bytes).is_ok()
}

proptest! {
    #[test]
    fn valid_json_reads_as_serde_json_reads_it(value in any_json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        with(&text, |doc| {
            check(doc, text.len());
            assert!(is_valid(doc), "{:?}", doc.faults());
            assert_eq!(doc.faults().duplicate_key, None);
            // Its own parse rounds some floating-point numbers: what it reads again is the measure.
            let again: serde_json::Value = serde_json::from_str(&text).unwrap();
            let root = doc.root().unwrap();
            assert_eq!(root.to_serde().as_ref(), Some(&again));
            let ours = convert(root);
            assert!(near(&ours, &again), "{ours} {again}");
            for node in 0..doc.len() as u32 {
                let value = doc.node(node).unwrap();
                assert_eq!(root.at(&value.pointer()).map(Value::node), Some(node));
            }
        });
    }

    #[test]
    fn the_same_texts_are_json_for_serde_json(text in SOUP) {
        with(&text, |doc| {
            check(doc, text.len());
            assert_eq!(is_valid(doc), raw_accepts(text.as_bytes()), "{text:?} {:?}", doc.faults());
        });
    }

    #[test]
    fn edited_json_too(value in any_json(), edits in proptest::collection::vec((any::<usize>(), any::<u8>(), 0u8..3), 1..4)) {
        let mut text = value.to_string().into_bytes();
        for (at, byte, how) in edits {
            let at = at % (text.len() + 1);
            match how {
                0 => text.insert(at, byte),
                1 if at < text.len() => _ = text.remove(at),
                _ if at < text.len() => text[at] = byte,
                _ => {}
            }
        }
        with(&text, |doc| {
            check(doc, text.len());
            assert_eq!(is_valid(doc), raw_accepts(&text), "{:?} {:?}", String::from_utf8_lossy(&text), doc.faults());
        });
    }

    #[test]
    fn any_bytes(text in proptest::collection::vec(any::<u8>(), 0..200)) {
        with(&text, |doc| check(doc, text.len()));
    }

    #[test]
    fn repeated_keys_are_found(keys in proptest::collection::vec(r"[a-f]{1,2}|\\u006[1-6]|[a-z]{3}", 0..60)) {
        let text = format!("{{{}}}", keys.iter().map(|k| format!("\"{k}\":0")).collect::<Vec<_>>().join(","));
        let names: Vec<String> = keys.iter().map(|k| serde_json::from_str(&format!("\"{k}\"")).unwrap()).collect();
        let repeated = (0..names.len()).find(|i| names[..*i].contains(&names[*i]));
        let want = repeated.map(|i| 1 + keys[..i].iter().map(|k| k.len() + 5).sum::<usize>());
        with(&text, |doc| assert_eq!(doc.faults().duplicate_key, want));
    }
}

/// Equal, but for the last digit of floating-point numbers.
fn near(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (a, b) {
        (Number(x), Number(y)) if x != y => {
            let (x, y) = (x.as_f64().unwrap(), y.as_f64().unwrap());
            (x - y).abs() <= x.abs() * 1e-15
        }
        (Array(x), Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| near(x, y)),
        (Object(x), Object(y)) => x.len() == y.len() && x.iter().zip(y).all(|((i, x), (j, y))| i == j && near(x, y)),
        _ => a == b,
    }
}

#[test]
fn a_fault_says_where_and_what() {
    for (text, offset, expected, eof) in [
        ("", 0, "a value", true),
        ("  x", 2, "a value", false),
        ("[1,]", 3, "a value", false),
        ("[1 2]", 3, "`,` or `]`", false),
        ("[", 1, "a value or `]`", true),
        ("{", 1, "a key or `}`", true),
        ("{a:1}", 1, "a key or `}`", false),
        (r#"{"a":1,}"#, 7, "a key", false),
        (r#"{"a" 1}"#, 5, "`:`", false),
        (r#"{"a":1"#, 6, "`,` or `}`", true),
        ("tru", 3, "`true`", true),
        ("[nulL]", 4, "`null`", false),
        ("01", 1, "no digit after a leading zero", false),
        ("1.", 2, "a digit after the decimal point", true),
        ("[1e]", 3, "a digit in the exponent", false),
        ("-x", 1, "a digit", false),
        ("\"a\nb\"", 2, "an escape instead of the control character", false),
        (r#""\u12x4""#, 5, "four hexadecimal digits", false),
        (r#""\x""#, 2, "an escape character", false),
        ("\"abc", 4, "the end of the string", true),
        ("\"abc\\", 5, "the end of the string", true),
    ] {
        with(text, |doc| {
            let want = SyntaxFault { offset, expected, eof };
            assert_eq!(doc.faults().syntax.as_ref(), Some(&want), "{text:?}");
        });
    }
}

#[test]
fn what_is_remarkable_is_noted_and_read() {
    with("\u{FEFF}{\"a\":[NaN,-Infinity,Infinity]} x", |doc| {
        let f = doc.faults();
        assert_eq!((f.bom, f.nan, f.trailing, f.syntax.is_none()), (true, Some(9), true, true));
        let a = doc.root().unwrap().get("a").unwrap();
        assert_eq!(a.len(), 3);
        assert_eq!(a.index(1).unwrap().as_f64(), Some(f64::NEG_INFINITY));
        assert!(!a.index(2).unwrap().is_integer() && a.index(0).unwrap().to_serde().is_none());
        assert_eq!(&doc.bytes()[doc.end()..], b" x");
    });
    with(b"{\"id\":1,\"t\":\"a\xffb\",\"s\":\"\\ud800\\ud83d\\ude00\",\"r\":\"\\ufffd\"}", |doc| {
        let f = doc.faults();
        assert_eq!((f.invalid_utf8, f.lone_surrogate, f.replacement_char), (Some(14), Some(23), Some(48)));
        assert!(f.syntax.is_none());
        let root = doc.root().unwrap();
        assert_eq!(root.get("t").unwrap().as_str().unwrap(), "a\u{FFFD}b");
        assert_eq!(root.get("s").unwrap().as_str().unwrap(), "\u{FFFD}😀");
        assert_eq!(root.get("r").unwrap().raw(), br#""\ufffd""#);
        assert_eq!(root.get("id").unwrap().as_i64(), Some(1));
    });
    with("{\"a\":\"x\ty\",\"b\":2}", |doc| {
        assert_eq!(doc.faults().control_char, Some(7));
        assert!(doc.faults().syntax.is_some() && !doc.faults().incomplete);
        assert_eq!(doc.root().unwrap().get("b").unwrap().as_i64(), Some(2));
    });
}

#[test]
fn numbers_keep_their_text() {
    with("[1,1.0,1e2,-0,1.10,12345678901234567890123,1e400,1e999999999,9223372036854775808,0.1]", |doc| {
        let all: Vec<_> = doc.root().unwrap().elements().map(|v| (v.is_integer(), v.as_i64())).collect();
        let want = [
            (true, Some(1)),
            (true, Some(1)),
            (true, Some(100)),
            (true, Some(0)),
            (false, None),
            (true, None),
            (true, None),
            (true, None),
            (true, None),
            (false, None),
        ];
        assert_eq!(all, want);
        assert_eq!(doc.root().unwrap().index(8).unwrap().as_u64(), Some(1 << 63));
        assert_eq!(doc.root().unwrap().index(4).unwrap().raw(), b"1.10");
    });
}

#[test]
fn pointers() {
    with(r#"{"a/b":{"m~n":[0,{"":1}]},"0":2}"#, |doc| {
        let root = doc.root().unwrap();
        assert_eq!(root.at("/a~1b/m~0n/1/").unwrap().as_i64(), Some(1));
        assert_eq!(root.at("/a~1b/m~0n/1/").unwrap().pointer(), "/a~1b/m~0n/1/");
        assert_eq!(root.at("").unwrap().node(), 0);
        assert_eq!(root.at("/0").unwrap().as_i64(), Some(2));
        for none in ["a", "/x", "/a~1b/m~0n/01", "/a~1b/m~0n/-", "/a~1b/m~0n/2", "/0/0"] {
            assert!(root.at(none).is_none(), "{none}");
        }
    });
}

/// Time and memory stay in proportion to the length; a stack would overflow, a quadratic walk would not end.
#[test]
fn any_depth_and_any_number_of_keys() {
    const DEEP: usize = 5_000_000;
    let mut parser = Parser::new();
    let text = "[".repeat(DEEP);
    let doc = parser.parse(text.as_bytes());
    assert_eq!((doc.len(), doc.faults().max_depth as usize), (DEEP, DEEP));
    let text = "{\"a\":".repeat(500_000) + "1" + &"}".repeat(500_000);
    let doc = parser.parse(text.as_bytes());
    assert!(doc.faults().syntax.is_none() && doc.root().unwrap().to_serde().is_none());
    assert_eq!(doc.node(500_000).unwrap().pointer().len(), 1_000_000);
    assert!(doc.root().unwrap().at(&"/a".repeat(500_000)).is_some());
    let keys: Vec<String> = (0..1_000_000).map(|i| format!("\"{i}\":0")).collect();
    let text = format!("{{{}}}", keys.join(","));
    let doc = parser.parse(text.as_bytes());
    assert_eq!((doc.faults().duplicate_key, doc.root().unwrap().len()), (None, 1_000_000));
    let text = format!("{{{},\"123456\":1}}", keys.join(","));
    let doc = parser.parse(text.as_bytes());
    assert_eq!(doc.faults().duplicate_key, Some(text.len() - 11));
    assert_eq!(doc.root().unwrap().get("123456").unwrap().raw(), b"1");
}
