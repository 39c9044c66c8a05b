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
